import { describe, expect, it } from 'vitest';
import { Catalogue, storedCatalogue } from '../../../src/agents/analytics/catalogue.ts';
import { SqlRefused, SqlUnavailable } from '../../../src/storage/sql-database.ts';
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

  it.each([
    ['an unknown fragment', { ...QUESTION, sql: 'SELECT {other}' }, 'there is no fragment called other'],
    ['an unknown parameter', { ...QUESTION, parameters: ['place'] }, 'there is no parameter called place'],
    ['an unknown member', { ...QUESTION, isOurs: true }, 'Unrecognized key'],
  ])('refuses %s', (_what, question, message) => {
    const read = Catalogue.safeParse({ ...FILE, questions: [question] });
    expect(JSON.stringify(read.error?.issues)).toContain(message);
  });

  it('refuses a fragment that uses a later one', () => {
    const fragments = { placed: FILE.fragments.placed, day: FILE.fragments.day };
    expect(Catalogue.safeParse({ ...FILE, fragments }).success).toBe(false);
  });
});

describe('storedCatalogue()', () => {
  let time = 0;
  const opened = (read: () => Promise<string | undefined>) => {
    let reads = 0;
    const run = async () => {
      reads++;
      const json = await read();
      return { columns: ['catalogue'], rows: json === undefined ? [] : [[json]], schemaVersion: 1 };
    };
    const explain = () => Promise.reject(new Error('not used'));
    return { catalogueOf: storedCatalogue({ run, explain }, { now: () => time }), readsOf: () => reads };
  };

  it('reads the catalogue once a minute, and returns the same object while it does not change', async () => {
    let json = JSON.stringify(FILE);
    const { catalogueOf, readsOf } = opened(async () => json);
    const first = await catalogueOf();
    expect([await catalogueOf(), readsOf()]).toEqual([first, 1]);
    time += 60_000;
    expect(await catalogueOf()).toBe(first);
    json = JSON.stringify({ ...FILE, questions: [] });
    time += 60_000;
    expect([(await catalogueOf())?.questions, readsOf()]).toEqual([[], 3]);
  });

  it('returns undefined until a catalogue is stored, also in a database without its table', async () => {
    let json: string | undefined;
    const { catalogueOf } = opened(async () => json);
    expect(await catalogueOf()).toBeUndefined();
    json = JSON.stringify(FILE);
    expect(await catalogueOf()).toMatchObject({ questions: [{ name: 'orders' }] });
    expect(await opened(() => Promise.reject(new SqlRefused('no such table'))).catalogueOf()).toBeUndefined();
  });

  it.each(['not JSON', '{}', 'null'])('throws DATA_SOURCE_ERROR for an invalid catalogue: %s', async (json) => {
    await expect(opened(async () => json).catalogueOf()).rejects.toMatchObject({ code: 'DATA_SOURCE_ERROR' });
  });

  it('throws when the database does not answer', async () => {
    await expect(opened(() => Promise.reject(new SqlUnavailable('down'))).catalogueOf()).rejects.toThrow('down');
  });
});
