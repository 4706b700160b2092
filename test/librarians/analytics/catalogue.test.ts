import { describe, expect, it, vi } from 'vitest';
import { Catalogue, storedCatalogue } from '../../../src/librarians/analytics/catalogue.ts';
import { SqlRefused, SqlUnavailable } from '../../../src/platform/storage/sql-database.ts';
import FILE from './catalogue.json' with { type: 'json' };

const QUESTION = FILE.questions[0]!;

describe('Catalogue', () => {
  it('inserts fragments and resolves parameters', () => {
    expect(Catalogue.parse(FILE)).toMatchObject({
      synonyms: [['order', 'purchase']],
      questions: [
        {
          sql: QUESTION.sql.replace('{placed}', 'ordered_on BETWEEN :period_from AND :period_to'),
          parameters: [{ kind: 'period', name: 'period', isOptional: true }],
        },
      ],
    });
  });

  const fragments = { placed: FILE.fragments.placed, day: FILE.fragments.day };
  it.each([
    [
      'an unknown fragment',
      { questions: [{ ...QUESTION, sql: 'SELECT {other}' }] },
      'no fragment called other',
    ],
    ['a fragment that uses a later one', { fragments }, 'no fragment called day'],
    [
      'an unknown parameter',
      { questions: [{ ...QUESTION, parameters: ['place'] }] },
      'no parameter called place',
    ],
    ['an unknown member', { questions: [{ ...QUESTION, isOurs: true }] }, 'Unrecognized key'],
  ])('refuses %s', (_what, change, message) => {
    const read = Catalogue.safeParse({ ...FILE, ...change });
    expect(JSON.stringify(read.error?.issues)).toContain(message);
  });
});

describe('storedCatalogue()', () => {
  /** A database whose catalogue is read by `read`, and a clock. */
  const opened = (read: () => Promise<string | undefined>) => {
    const clock = { now: 0 };
    const run = vi.fn(async () => {
      const json = await read();
      return { columns: ['catalogue'], rows: json === undefined ? [] : [[json]], schemaVersion: 1 };
    });
    const explain = () => Promise.reject(new Error('not used'));
    return { catalogueOf: storedCatalogue({ run, explain }, { now: () => clock.now }), run, clock };
  };

  it('reads the catalogue once a minute, and returns the same object while it does not change', async () => {
    let json = JSON.stringify(FILE);
    const { catalogueOf, run, clock } = opened(async () => json);
    const first = await catalogueOf();
    expect([await catalogueOf(), run.mock.calls.length]).toEqual([first, 1]);
    clock.now += 60_000;
    expect(await catalogueOf()).toBe(first);
    json = JSON.stringify({ ...FILE, questions: [] });
    clock.now += 60_000;
    expect([(await catalogueOf())?.questions, run.mock.calls.length]).toEqual([[], 3]);
  });
  it('returns undefined until a catalogue is stored, also in a database without its table', async () => {
    let json: string | undefined;
    const { catalogueOf } = opened(async () => json);
    expect(await catalogueOf()).toBeUndefined();
    json = JSON.stringify(FILE);
    expect(await catalogueOf()).toMatchObject({ questions: [{ name: 'orders' }] });
    expect(
      await opened(() => Promise.reject(new SqlRefused('no such table'))).catalogueOf(),
    ).toBeUndefined();
  });
  it.each([
    ...['not JSON', '{}', 'null'].map(
      (json) => [json, async () => json, { code: 'DATA_SOURCE_ERROR' }] as const,
    ),
    ['no answer', () => Promise.reject(new SqlUnavailable('down')), { message: 'down' }] as const,
  ])('throws for %s', (_, read, error) =>
    expect(opened(read).catalogueOf()).rejects.toMatchObject(error),
  );
});
