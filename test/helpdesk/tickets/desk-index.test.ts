import { describe, expect, it } from 'vitest';
import { TicketsResponse } from '../../../src/contract/tickets.ts';
import { deskIndex } from '../../../src/helpdesk/tickets/desk-index.ts';
import type { JobReport } from '../../../src/helpdesk/tickets/report-jobs.ts';
import { nodeSql } from '../../storage/node-sql.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const place = (ticketId = '1207') => ({ helpdesk: 'chatwoot', ticketId });
const job = (more: Partial<JobReport> = {}): JobReport => ({
  ...{ job: 1, version: 1, state: 'open', result: null, attempts: 1, last_error: null },
  ...{ accepted_at: at(0), changed_at: at(0), next_attempt_at: at(1) },
  ...more,
});
const listed = (index: ReturnType<typeof deskIndex>, state: 'open' | 'done' | 'dead', limit = 50, cursor?: string) =>
  TicketsResponse.parse(index.list({ state, limit, cursor }));

describe('deskIndex()', () => {
  it('lists jobs by how they stand, what changed last first', () => {
    const index = deskIndex(nodeSql());
    index.report(place('1'), [
      job({ changed_at: at(1) }),
      job({ job: 2, changed_at: at(3), state: 'dead', last_error: 'No.' }),
    ]);
    index.report(place('2'), [job({ changed_at: at(2) })]);
    expect(listed(index, 'open').tickets.map(({ id }) => id)).toEqual(['chatwoot/2/1', 'chatwoot/1/1']);
    expect(listed(index, 'dead')).toMatchObject({ total: 1, tickets: [{ id: 'chatwoot/1/2', last_error: 'No.' }] });
    expect(listed(index, 'done')).toEqual({ tickets: [], total: 0, next_cursor: null });
  });

  it('believes the newest of what it is told, in whatever order that comes', () => {
    const index = deskIndex(nodeSql());
    index.report(place(), [job({ version: 5, state: 'done', result: 'note' })]);
    index.report(place(), [job({ version: 2 })]);
    index.report(place(), [job({ version: 5 })]);
    expect([listed(index, 'open').total, listed(index, 'done').total]).toEqual([0, 1]);
  });

  it('comes in pages that neither repeat nor leave out anything', () => {
    const index = deskIndex(nodeSql());
    for (let count = 0; count < 25; count += 1) index.report(place(`t${count}`), [job({ changed_at: at(count % 3) })]);
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = listed(index, 'open', 7, cursor);
      ids.push(...page.tickets.map(({ id }) => id));
      expect(page.total).toBe(25);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(new Set(ids).size).toBe(25);
    expect(index.list({ state: 'open', limit: 5, cursor: 'x' })).toBe('unknown cursor');
  });

  it('keeps ids apart whatever tickets are called', () => {
    const index = deskIndex(nodeSql());
    for (const ticketId of ['a/1', 'a', 'a%2F1', '\ud800', 'ticket 🙂']) index.report(place(ticketId), [job()]);
    const ids = listed(index, 'open').tickets.map(({ id }) => id);
    expect(new Set(ids).size).toBe(5);
    for (const id of ids) expect(id).not.toMatch(/\s/);
  });

  it('finds the dead ones, by their ids or all, and no others', () => {
    const index = deskIndex(nodeSql());
    index.report(place('1'), [job({ state: 'dead' }), job({ job: 2 })]);
    index.report(place('2'), [job({ state: 'dead', changed_at: at(1) })]);
    expect(index.dead(['chatwoot/1/1', 'chatwoot/1/2', 'none'], 10).map(({ id }) => id)).toEqual(['chatwoot/1/1']);
    expect(index.dead('all', 10).map(({ place: { ticketId } }) => ticketId)).toEqual(['1', '2']);
    expect(index.dead('all', 1)).toHaveLength(1);
    index.forget('chatwoot/1/1');
    expect(index.countDead()).toBe(1);
  });

  it('lists each delivery that could not be kept once, with what it was', () => {
    const index = deskIndex(nodeSql());
    const options = { now: Date.UTC(2026, 0, 1), error: 'Cannot keep the delivery.' };
    for (const about of ['990001', '990001', 'latest'])
      index.addUndelivered({ ...place(), about, message: `{"about":"${about}"}` }, options);
    index.report(place(), [job({ state: 'done' })]);
    expect(listed(index, 'dead').tickets).toMatchObject([{ last_error: 'Cannot keep the delivery.' }, {}]);
    expect(index.dead('all', 10).map(({ message }) => message)).toEqual(['{"about":"990001"}', '{"about":"latest"}']);
  });

  it('forgets what ended long ago, but no delivery that waits for somebody', () => {
    const index = deskIndex(nodeSql());
    index.report(place('1'), [job({ state: 'done' }), job({ job: 2, state: 'dead' }), job({ job: 3 })]);
    index.report(place('2'), [job({ state: 'done', changed_at: at(50) })]);
    index.addUndelivered({ ...place(), about: 'first', message: '{}' }, { now: Date.UTC(2026, 0, 1), error: 'No.' });
    index.prune(Date.UTC(2026, 0, 1, 0, 30));
    expect(['open', 'done', 'dead'].map((state) => listed(index, state as 'open').total)).toEqual([1, 1, 1]);
  });
});
