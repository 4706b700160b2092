import { describe, expect, it } from 'vitest';
import type { CheckRun } from '../../../src/knowledge/checks/check-book.ts';
import { sqlCheckBook } from '../../../src/knowledge/checks/sql-check-book.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';

const NOW = Date.UTC(2026, 9, 1);
const open = { audiences: [], nowMs: NOW };
const staff = { audiences: ['staff'], nowMs: NOW };
const check = (at: number, more: object = {}) => ({
  id: `c${at}`,
  input: { question: `Question ${at}?`, contains: 'yes', ...more },
});
const checks = (count: number) => Array.from({ length: count }, (_, at) => check(at));
const all = { state: 'all', limit: 50 } as const;
const ran = (at: number, state: 'green' | 'red', more: Partial<CheckRun> = {}): CheckRun => ({
  ...check(at),
  edition: 'e1',
  changes: [],
  result: {
    state,
    lacks: state === 'red' ? ['contains'] : [],
    answer: { outcome: 'answered', text: 'no', cites: [] },
  },
  ...more,
});

describe('the book of checks', () => {
  it('adds, replaces and leaves as it is', () => {
    const book = sqlCheckBook(nodeSql());
    expect(book.put({ ...open, checks: checks(3) })).toEqual({
      added: 3,
      changed: 0,
      unchanged: 0,
    });
    book.note(ran(0, 'green'), NOW);
    book.note(ran(1, 'green'), NOW);
    const changed = [check(0), check(1, { contains: 'no' }), check(7)];
    expect(book.put({ ...open, checks: changed })).toEqual({ added: 1, changed: 1, unchanged: 1 });
    expect(book.list(all, open).counts).toEqual({ red: 0, not_run: 3, green: 1 });
  });

  it('counts those still to be run, and tells when one was last run', () => {
    const book = sqlCheckBook(nodeSql());
    book.put({ ...open, checks: checks(3) });
    book.note(ran(0, 'green'), NOW);
    book.note(ran(1, 'red'), NOW + 60_000);
    const lastRun = { last_ran_at: new Date(NOW + 60_000).toISOString() };
    expect(book.list(all, open)).toMatchObject({ ...lastRun, running: true, pending: 1 });
    book.start(open);
    expect(book.list(all, open)).toMatchObject({ ...lastRun, running: true, pending: 3 });
    for (const at of [0, 1, 2]) book.note(ran(at, 'green'), NOW + 120_000);
    expect(book.list(all, open)).toMatchObject({
      running: false,
      pending: 0,
      last_ran_at: new Date(NOW + 120_000).toISOString(),
    });
  });

  it('takes a question that stands in one call twice as its last one', () => {
    const book = sqlCheckBook(nodeSql());
    expect(book.put({ ...open, checks: [check(0), check(0, { contains: 'no' })] })).toMatchObject({
      added: 1,
    });
    expect(book.list(all, open).checks).toMatchObject([{ contains: 'no' }]);
  });

  it('stores none of a call when there would be too many', () => {
    const book = sqlCheckBook(nodeSql(), { maxChecks: 3 });
    book.put({ ...open, checks: checks(2) });
    expect(book.put({ ...open, checks: checks(5) })).toEqual({ full: 2 });
    expect(book.list(all, open).checks).toHaveLength(2);
    expect(book.put({ ...open, checks: checks(3) })).toMatchObject({ added: 1, unchanged: 2 });
  });

  it('lists red ones first, page by page, each once', () => {
    const book = sqlCheckBook(nodeSql());
    book.put({ ...open, checks: checks(7) });
    for (const at of [0, 1, 2]) book.note(ran(at, 'green'), NOW);
    for (const at of [4, 6]) book.note(ran(at, 'red'), NOW);
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = book.list({ ...all, limit: 2, cursor }, open);
      ids.push(...page.checks.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(ids).toEqual(['c4', 'c6', 'c3', 'c5', 'c0', 'c1', 'c2']);
    expect(book.list({ ...all, state: 'red' }, open).checks.map(({ id }) => id)).toEqual([
      'c4',
      'c6',
    ]);
  });

  it('lists each once in the order of their making, while some change their state', () => {
    const book = sqlCheckBook(nodeSql());
    book.put({ ...open, checks: checks(4) });
    const query = { ...all, order: 'created', limit: 2 } as const;
    const first = book.list(query, open);
    book.note(ran(0, 'green'), NOW);
    book.note(ran(3, 'red'), NOW);
    const second = book.list({ ...query, cursor: first.next_cursor ?? '' }, open);
    const ids = [first, second].flatMap((page) => page.checks.map(({ id }) => id));
    expect(ids).toEqual(['c0', 'c1', 'c2', 'c3']);
    expect(second.next_cursor).toBeNull();
  });

  it('pages as if there were none that others alone may see, also from one that was deleted', () => {
    const pagesOf = (hiddenCount: number) => {
      const book = sqlCheckBook(nodeSql());
      const hidden = checks(hiddenCount).map((each) => ({ ...each, id: `h${each.id}` }));
      if (hiddenCount > 0) book.put({ ...staff, checks: hidden });
      book.put({ ...open, checks: checks(4) });
      const query = { ...all, order: 'created', limit: 2 } as const;
      const { next_cursor: cursor } = book.list(query, open);
      const from = (after: string) =>
        book.list({ ...query, cursor: after }, open).checks.map(({ id }) => id);
      const pages = [cursor, from(cursor ?? ''), from(`0.${NOW}.hc0`)];
      book.remove('c1', []);
      return [...pages, from(cursor ?? '')];
    };
    expect(pagesOf(3)).toEqual(pagesOf(0));
    expect(pagesOf(0)).toEqual([`0.${NOW + 1}.c1`, ['c2', 'c3'], ['c0', 'c1'], ['c2', 'c3']]);
  });

  it('changes the check of a question that the author may see, with its audiences', () => {
    const book = sqlCheckBook(nodeSql());
    const other = (more: object = {}) => ({ ...check(0, more), id: 'other' });
    book.put({ ...open, checks: [check(0)] });
    expect(book.put({ ...staff, checks: [other()] })).toMatchObject({ added: 0, unchanged: 1 });
    const changed = other({ contains: 'no' });
    expect(book.put({ ...staff, checks: [changed] })).toMatchObject({ added: 0, changed: 1 });
    expect(book.readAll([])).toMatchObject([
      { id: 'c0', audiences: [], input: { contains: 'no' } },
    ]);
  });

  it('changes the named one of several, and one of others not', () => {
    const book = sqlCheckBook(nodeSql());
    book.put({ ...staff, checks: [check(0)] });
    const own = { ...check(0), id: 'own' };
    const changed = { ...own, existingId: 'c0', input: { ...own.input, contains: 'no' } };
    expect(book.put({ ...open, checks: [own] })).toMatchObject({ added: 1 });
    expect(book.put({ ...staff, checks: [changed] })).toMatchObject({ added: 0, changed: 1 });
    expect(book.readAll(['staff']).map(({ id, input }) => [id, input.contains])).toEqual([
      ['c0', 'no'],
      ['own', 'yes'],
    ]);
    // A name of another question says nothing.
    const strange = { ...check(5), existingId: 'c0' };
    expect(book.put({ ...staff, checks: [strange] })).toMatchObject({ added: 1, changed: 0 });
  });

  it('writes nothing where the named one is gone, or not for the author', () => {
    const book = sqlCheckBook(nodeSql());
    book.put({ ...staff, checks: [check(0)] });
    book.put({ ...open, checks: [{ ...check(0), id: 'own' }] });
    const writing = (existingId: string) => [
      check(1),
      { ...check(0, { contains: 'no' }), existingId },
    ];
    for (const id of ['c0', 'deleted'])
      expect(book.put({ ...open, checks: writing(id) })).toEqual({ missing: 'Question 0?' });
    expect(book.readAll(['*']).map(({ input }) => input.contains)).toEqual(['yes', 'yes']);
  });

  it('runs a check that backs off again once there is another edition', () => {
    const book = sqlCheckBook(nodeSql());
    book.put({ ...open, checks: checks(2) });
    book.note(ran(1, 'green'), NOW);
    const failures: number[] = [];
    const postpone = (at: number, edition: string) =>
      book.postpone(`c${at}`, edition, (count) => {
        failures.push(count);
        return NOW + 1_000_000;
      });
    for (const at of [0, 1, 1]) postpone(at, 'e2');
    book.noteEdition('e2', NOW);
    expect(book.due(9, NOW)).toEqual([]);
    book.noteEdition('e3', NOW);
    expect(book.due(9, NOW)).toHaveLength(2);
    postpone(1, 'e3');
    expect(failures).toEqual([1, 1, 2, 1]);
  });

  it('leaves those that there are where only new ones are to be added', () => {
    const book = sqlCheckBook(nodeSql());
    book.put({ ...open, checks: [check(0)] });
    const written = [check(0, { contains: 'no' }), check(1)];
    expect(book.put({ ...open, checks: written, isOnlyNew: true })).toEqual({
      added: 1,
      changed: 0,
      unchanged: 1,
    });
    expect(book.readAll([])[0]?.input.contains).toBe('yes');
  });

  it('shows, runs and deletes only what the audiences may see', () => {
    const book = sqlCheckBook(nodeSql());
    book.put({ ...open, checks: [check(0)] });
    book.put({ ...staff, checks: [check(1)] });
    expect(book.list(all, open)).toMatchObject({ checks: [{ id: 'c0' }], counts: { not_run: 1 } });
    expect(book.list(all, { ...staff, audiences: ['*'] }).checks).toHaveLength(2);
    expect(book.readAll([]).map(({ id }) => id)).toEqual(['c0']);
    expect(book.start(open)).toBe(1);
    expect([
      book.remove('c1', []),
      book.remove('c1', ['staff']),
      book.remove('c1', ['staff']),
    ]).toEqual([false, true, false]);
  });

  it('lists no answer from another than the current edition', () => {
    const book = sqlCheckBook(nodeSql());
    book.put({ ...open, checks: [check(0)] });
    book.note(ran(0, 'red'), NOW);
    const answers = ['e1', 'e2', undefined].map(
      (edition) => book.list(all, { ...open, edition }).checks[0]?.answer?.text,
    );
    expect(answers).toEqual(['no', undefined, undefined]);
  });

  it('notes no result for a check that was changed or deleted while it ran', () => {
    const book = sqlCheckBook(nodeSql());
    book.put({ ...open, checks: checks(2) });
    book.put({ ...open, checks: [check(0, { contains: 'no' })] });
    book.remove('c1', []);
    for (const at of [0, 1]) book.note(ran(at, 'green'), NOW);
    expect(book.list(all, open).counts).toEqual({ red: 0, not_run: 1, green: 0 });
    expect(book.due(9, NOW)).toHaveLength(1);
  });

  it('keeps the marks of editions that a check was last run against', () => {
    const book = sqlCheckBook(nodeSql());
    book.put({ ...open, checks: checks(2) });
    const marks = (byte: number) => Uint8Array.of(byte);
    book.keepMarks('e1', marks(1));
    for (const at of [0, 1]) book.note(ran(at, 'green'), NOW);
    book.keepMarks('e2', marks(2));
    book.note(ran(0, 'green', { edition: 'e2' }), NOW);
    book.keepMarks('e3', marks(3));
    expect(['e1', 'e2', 'e3'].map((edition) => book.marks(edition)?.[0])).toEqual([1, 2, 3]);
    for (const at of [0, 1]) book.note(ran(at, 'green', { edition: 'e3' }), NOW);
    book.keepMarks('e4', marks(4));
    expect(['e1', 'e2', 'e3', 'e4'].map((edition) => book.marks(edition)?.[0])).toEqual([
      undefined,
      undefined,
      3,
      4,
    ]);
  });
});
