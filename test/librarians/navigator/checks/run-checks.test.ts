import { describe, expect, it, vi } from 'vitest';
import {
  KnowledgeCheck,
  type KnowledgeCheckInput,
  KnowledgeChecks,
} from '../../../../src/contract/wire/checks.ts';
import type { CheckBook } from '../../../../src/knowledge/checks/check-book.ts';
import { sqlCheckBook } from '../../../../src/knowledge/checks/sql-check-book.ts';
import { buildEdition } from '../../../../src/knowledge/edition/build-edition.ts';
import { editionFor } from '../../../../src/knowledge/edition/current-edition.ts';
import { type Edition, openEdition } from '../../../../src/knowledge/edition/open-edition.ts';
import {
  CheckNotRun,
  type CheckRunner,
  runCheck,
  workOnChecks,
} from '../../../../src/librarians/navigator/checks/run-checks.ts';
import { earliest } from '../../../../src/platform/jobs/job-runner.ts';
import { nodeSql } from '../../../../tools/stand-ins/node-sql.ts';
import { entryOf, type Sketch } from '../../../knowledge/search/edition-fixture.ts';

const DAY = Date.UTC(2026, 9, 1);
const PORTS = 'network/ports.md';
const SHIPPING = 'orders/shipping.md';
const portsWith = (text: string): Sketch => ({
  id: PORTS,
  title: 'Open a port',
  sections: [{ text }],
});
const shipping: Sketch = {
  id: SHIPPING,
  title: 'Shipping to Canada',
  sections: [{ text: 'Shipping a parcel to Canada takes 9 working days.' }],
};
const RIGHT = 'Open port 8333 on your router so that other nodes reach your node.';
const WRONG = 'Open port 8334 on your router so that other nodes reach your node.';

const editionNumber = (number: number, ...sketches: Sketch[]): Edition =>
  openEdition(
    buildEdition(sketches.map(entryOf), {
      id: `e${number}`,
      workspace: 'default',
      createdAt: '2026-01-02T03:04:05Z',
    }),
  );

const port: KnowledgeCheckInput = {
  question: 'Which port do I open on my router?',
  contains: '8333',
};
const parcel: KnowledgeCheckInput = {
  question: 'How long does shipping to Canada take?',
  cites: SHIPPING,
};
const match: KnowledgeCheckInput = {
  question: 'Who won the football match yesterday?',
  declined: true,
};

const scope = { audiences: [], nowMs: DAY };
const bookWith = (...inputs: KnowledgeCheckInput[]): CheckBook => {
  const book = sqlCheckBook(nodeSql());
  book.put({ ...scope, checks: inputs.map((input, at) => ({ id: `c${at}`, input })) });
  return book;
};
const listOf = (book: CheckBook, query: object = {}) =>
  KnowledgeChecks.parse(
    book.list(
      { state: 'all', limit: 50, ...query },
      { ...scope, nowMs: Number.MAX_SAFE_INTEGER, edition: 'e1' },
    ),
  );

/** Runs what is due on an edition, in as many steps as it takes. */
const runOn = async (
  book: CheckBook,
  edition: Edition,
  { nowMs = DAY, run = answered }: { nowMs?: number; run?: CheckRunner['run'] } = {},
) => {
  const faults: unknown[] = [];
  let steps = 0;
  let next: number | undefined;
  do {
    steps += 1;
    const lookAt = await workOnChecks({
      book,
      run,
      now: () => nowMs,
      random: () => 0.5,
      onFault: (error: unknown) => faults.push(error),
      currentEdition: async () => edition.id,
      editionFor: async (audiences) => editionFor(edition, audiences),
    });
    next = earliest(book.nextDueAt(), lookAt);
  } while (next !== undefined && next <= nowMs && steps < 20);
  return { faults, steps, next };
};
const answered = (edition: Edition, check: KnowledgeCheckInput) =>
  runCheck(edition, check, { timeLeftMs: () => 1000 });

describe('a run', () => {
  it('notes what came of each question', async () => {
    const book = bookWith(port, parcel, match);
    const { faults, next } = await runOn(book, editionNumber(1, portsWith(RIGHT), shipping));
    expect(faults).toEqual([]);
    expect(next).toBe(DAY + 60_000);
    const { checks, counts, running } = listOf(book);
    expect(counts).toEqual({ red: 0, not_run: 0, green: 3 });
    expect(running).toBe(false);
    expect(KnowledgeCheck.parse(checks[0])).toMatchObject({
      state: 'green',
      since: '2026-10-01T00:00:00.000Z',
      edition: 'e1',
      lacks: [],
      broken_by: null,
      answer: { cites: [{ id: PORTS, title: 'Open a port' }] },
    });
    expect(checks[2]?.answer?.outcome).toBe('declined');
  });

  it('names the article whose change has turned a check red, until it is green again', async () => {
    const book = bookWith(port, parcel);
    await runOn(book, editionNumber(1, portsWith(RIGHT), shipping));
    const other: Sketch = { ...shipping, id: 'orders/returns.md', title: 'Returns' };
    await runOn(book, editionNumber(2, portsWith(WRONG), shipping, other), { nowMs: DAY + 1000 });
    const [red, green] = listOf(book).checks;
    expect(red).toMatchObject({
      question: port.question,
      state: 'red',
      lacks: ['contains'],
      since: '2026-10-01T00:00:01.000Z',
      broken_by: {
        before: 'e1',
        after: 'e2',
        articles: [{ id: PORTS, title: 'Open a port', change: 'changed' }],
      },
    });
    expect(green).toMatchObject({
      state: 'green',
      since: '2026-10-01T00:00:00.000Z',
      edition: 'e2',
    });
    await runOn(book, editionNumber(3, portsWith(`${WRONG} Then wait.`), shipping), {
      nowMs: DAY + 2000,
    });
    expect(listOf(book).checks[0]).toMatchObject({
      edition: 'e3',
      broken_by: { before: 'e1', after: 'e2' },
    });
    await runOn(book, editionNumber(4, portsWith(RIGHT), shipping), { nowMs: DAY + 3000 });
    expect(listOf(book).checks[0]).toMatchObject({
      state: 'green',
      broken_by: null,
      since: '2026-10-01T00:00:03.000Z',
    });
  });

  it('names an article that was removed, and one that was added', async () => {
    const book = bookWith(port, parcel, match);
    await runOn(book, editionNumber(1, portsWith(RIGHT), shipping));
    const score: Sketch = {
      id: 'news/football.md',
      title: 'Who won the football match yesterday',
      sections: [{ text: 'The football match of yesterday: the reds won it by 3 to 1.' }],
    };
    await runOn(book, editionNumber(2, portsWith(RIGHT), score));
    const changes = listOf(book, { state: 'red' }).checks.map(
      ({ broken_by: broken }) => broken?.articles,
    );
    expect(changes).toEqual([
      [{ id: SHIPPING, title: 'Shipping to Canada', change: 'removed' }],
      [{ id: 'news/football.md', title: score.title, change: 'added' }],
    ]);
  });

  it('names an article that became restricted as removed, to those who may not read it', async () => {
    const book = bookWith(parcel);
    const staff = { audiences: ['staff'], nowMs: DAY };
    book.put({
      ...staff,
      checks: [{ id: 'staff', input: { ...parcel, question: `${parcel.question} Please.` } }],
    });
    await runOn(book, editionNumber(1, portsWith(RIGHT), shipping));
    const restricted = { ...shipping, audiences: ['staff'] };
    await runOn(book, editionNumber(2, portsWith(RIGHT), restricted));
    const [red] = listOf(book).checks;
    expect(red).toMatchObject({
      state: 'red',
      broken_by: { articles: [{ id: SHIPPING, change: 'removed' }] },
    });
    expect(book.readAll(['staff']).map(({ state }) => state)).toEqual(['red', 'green']);
  });

  it('reads the marks of an edition once a step, and only for a check that turns red', async () => {
    const book = bookWith(port, { ...port, question: `${port.question} Please.` }, parcel);
    await runOn(book, editionNumber(1, portsWith(RIGHT), shipping));
    const marks = vi.spyOn(book, 'marks');
    await runOn(book, editionNumber(2, portsWith(WRONG), shipping));
    expect(listOf(book).counts).toMatchObject({ red: 2, green: 1 });
    expect(marks).toHaveBeenCalledTimes(1);
    await runOn(book, editionNumber(3, portsWith(`${WRONG} Then wait.`), shipping));
    expect(marks).toHaveBeenCalledTimes(1);
  });

  it('asks a check that cannot be run less and less often', async () => {
    const book = bookWith(port);
    const edition = editionNumber(1, portsWith(RIGHT));
    const run = () => Promise.reject(new CheckNotRun('no model'));
    const waits: number[] = [];
    for (let nowMs = DAY; waits.length < 9; nowMs = book.nextDueAt() ?? 0) {
      await runOn(book, edition, { nowMs, run });
      waits.push(((book.nextDueAt() ?? 0) - nowMs) / 60_000);
    }
    expect(waits).toEqual([5, 10, 20, 40, 60, 60, 60, 60, 60]);
    book.start(scope);
    await runOn(book, edition, { run });
    expect(book.nextDueAt()).toBe(DAY + 300_000);
  });

  it('names no article that is the same in both editions', async () => {
    const book = bookWith(port);
    const citing = (state: 'green' | 'red', ...ids: string[]) => ({
      state,
      lacks: state === 'red' ? ['contains' as const] : [],
      answer: {
        outcome: 'answered' as const,
        text: '',
        cites: ids.map((id) => ({ id, title: id })),
      },
    });
    const run = async ({ id }: Edition) =>
      id === 'e1' ? citing('green', PORTS) : citing('red', SHIPPING);
    await runOn(book, editionNumber(1, portsWith(RIGHT), shipping), { run });
    await runOn(book, editionNumber(2, portsWith(WRONG), shipping), { run });
    expect(listOf(book).checks[0]?.broken_by?.articles).toEqual([
      { id: PORTS, title: PORTS, change: 'changed' },
    ]);
  });

  it('is for every other edition, and for no edition twice', async () => {
    const book = bookWith(port);
    const asked: string[] = [];
    const run = (edition: Edition, check: KnowledgeCheckInput) => {
      asked.push(edition.id);
      return answered(edition, check);
    };
    for (const number of [1, 1, 2, 1])
      await runOn(book, editionNumber(number, portsWith(RIGHT)), { run });
    expect(asked).toEqual(['e1', 'e2', 'e1']);
    book.start(scope);
    await runOn(book, editionNumber(1, portsWith(RIGHT)), { run });
    expect(asked).toHaveLength(4);
  });

  it('takes many checks in steps', async () => {
    const many = Array.from({ length: 45 }, (_, at) => ({
      question: `Question ${at}?`,
      declined: true as const,
    }));
    const book = bookWith(...many);
    const { steps } = await runOn(book, editionNumber(1, portsWith(RIGHT)));
    expect([steps, listOf(book).counts]).toEqual([3, { red: 0, not_run: 0, green: 45 }]);
  });

  it('leaves a check that could not be run as it was, runs the others, and comes back', async () => {
    const book = bookWith(port, parcel);
    await runOn(book, editionNumber(1, portsWith(RIGHT), shipping));
    const run = async (edition: Edition, check: KnowledgeCheckInput) => {
      if (check.question === port.question) throw new CheckNotRun('no model');
      return answered(edition, check);
    };
    const { faults, next } = await runOn(book, editionNumber(2, portsWith(WRONG), shipping), {
      run,
    });
    expect(faults).toHaveLength(1);
    expect(next).toBe(DAY + 60_000);
    expect(listOf(book).checks).toMatchObject([
      { question: port.question, state: 'green', edition: 'e1' },
      { question: parcel.question, state: 'green', edition: 'e2' },
    ]);
    await runOn(book, editionNumber(2, portsWith(WRONG), shipping), { nowMs: DAY + 300_000 });
    expect(listOf(book).checks[0]).toMatchObject({
      state: 'red',
      broken_by: { before: 'e1', after: 'e2' },
    });
  });

  it('says nothing about a check whose answer lacked a model', async () => {
    const ai = { model: 'm', complete: () => Promise.reject(new Error('down')) };
    const edition = editionNumber(1, portsWith(WRONG));
    await expect(runCheck(edition, port, { ai, timeLeftMs: () => 20_000 })).rejects.toThrow(
      CheckNotRun,
    );
  });

  it('puts all checks off where nothing was published', async () => {
    const book = bookWith(port, parcel);
    const lookAt = await workOnChecks({
      book,
      run: answered,
      now: () => DAY,
      random: () => 0.5,
      onFault: () => undefined,
      currentEdition: async () => undefined,
      editionFor: () => Promise.reject(new Error('not read')),
    });
    expect([lookAt, book.nextDueAt()]).toEqual([DAY + 60_000, DAY + 60_000]);
    expect(book.due(9, DAY + 60_000)).toHaveLength(2);
  });
});
