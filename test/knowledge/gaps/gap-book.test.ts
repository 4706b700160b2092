import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KnowledgeGap } from '../../../src/contract/wire/knowledge.ts';
import type {
  GapBook,
  GapSighting,
  OpenGap,
  RevealedGap,
} from '../../../src/knowledge/gaps/gap-book.ts';
import { sqlGapBook } from '../../../src/knowledge/gaps/sql-gap-book.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';

const DAY = Date.UTC(2026, 9, 1);
const EDITIONS = ['e000001-aaaaaaaa', 'e000002-bbbbbbbb', 'e000003-cccccccc'] as const;
const [FIRST, SECOND, THIRD] = EDITIONS;

const bookOf = (maxGaps?: number) => {
  let ids = 0;
  return sqlGapBook(nodeSql(), { newId: () => `gap-${++ids}`, maxGaps });
};

let requests = 0;
const gapOn = (stems: string, more: Partial<RevealedGap> = {}): RevealedGap => ({
  kind: 'question',
  gap: `No article covers ${stems}`,
  product: null,
  intent: 'general_info',
  subject: { stems: stems.split(' ').map((stem) => [stem, 1] as const) },
  ...more,
});
const sighting = (gaps: RevealedGap[], more: Partial<GapSighting> = {}): GapSighting => ({
  requestHash: `request ${++requests}`,
  by: 'user:key-1',
  query: { message: `question ${requests}`, subject: null, intent: 'general_info', product: null },
  gaps,
  edition: FIRST,
  nowMs: DAY,
  ...more,
});
const meet = (book: GapBook, stems: string, more: Partial<GapSighting> = {}) =>
  book.record(sighting([gapOn(stems)], more));
/** Records whether an edition answers a gap that was to be checked. */
const note = (
  book: GapBook,
  gap: OpenGap | undefined,
  edition: string,
  isAnswered: boolean,
  nowMs = DAY,
) =>
  book.noteChecked([{ id: gap?.id ?? '', lastSeenMs: gap?.lastSeenMs ?? 0, isAnswered }], {
    edition,
    nowMs,
  });
const all = { state: 'all', limit: 200, nowMs: DAY } as const;

it('counts a repeated gap, also in other words, and keeps the newest five questions', () => {
  const book = bookOf();
  for (let times = 0; times < 7; times++)
    meet(book, times % 2 === 0 ? 'zigbee hub pair' : 'pair zigbee bridge', { nowMs: DAY + times });
  const { gaps, total } = book.list(all);
  expect(total).toBe(1);
  expect(KnowledgeGap.parse(gaps[0])).toMatchObject({
    count: 7,
    gap: 'question 7',
    missing: 'No article covers zigbee hub pair',
    first_seen: '2026-10-01T00:00:00.000Z',
    last_seen: '2026-10-01T00:00:00.006Z',
    example_queries: Array.from({ length: 5 }, (_, at) => `question ${requests - at}`),
  });
});
const meaning = (stems: Record<string, number>, vector: number[], model = 'm') =>
  gapOn('', { subject: { stems: Object.entries(stems), vector, model } });
const intentOnly = gapOn('', { kind: 'intent', subject: { stems: [] } });
const hub = gapOn('zigbee hub');
it.each<[string, total: number, RevealedGap, RevealedGap]>([
  ['of another kind apart', 2, hub, gapOn('zigbee hub', { kind: 'product' })],
  ['of another product apart', 2, hub, gapOn('zigbee hub', { product: 'Apollo II' })],
  ['of another subject apart', 2, hub, gapOn('rack mount kit')],
  [
    'of another intent and only half of the words apart',
    2,
    hub,
    gapOn('zigbee light', { intent: 'setup_help' }),
  ],
  [
    'of another model apart',
    2,
    meaning({ hub: 1, pair: 1 }, [1], 'one'),
    meaning({ hub: 1, coupl: 3 }, [1], 'two'),
  ],
  ['without a common word apart', 2, meaning({ zigbee: 1 }, [1]), meaning({ rack: 1 }, [1])],
  [
    'of a close meaning together',
    1,
    meaning({ hub: 1, pair: 1 }, [1, 0.1]),
    meaning({ hub: 1, coupl: 3 }, [1, 0.2]),
  ],
  [
    'of one product together',
    1,
    gapOn('hub', { product: 'APOLLO II' }),
    gapOn('hub', { product: 'Apollo II' }),
  ],
  [
    'of another intent and all words the same together',
    1,
    hub,
    gapOn('hub zigbee', { intent: 'setup_help' }),
  ],
  ['of an intent that has no article together', 1, intentOnly, intentOnly],
])('keeps gaps %s', (_, total, ...gaps) => {
  const book = bookOf();
  for (const gap of gaps) book.record(sighting([gap]));
  const listed = book.list(all);
  expect([listed.total, listed.gaps[0]?.count]).toEqual([total, 3 - total]);
});
it('counts a copy of a request once, until an hour later', () => {
  const book = bookOf();
  const copy = { requestHash: 'the same' };
  meet(book, 'zigbee hub', copy);
  meet(book, 'zigbee hub', copy);
  expect(book.list(all).gaps).toMatchObject([{ count: 1 }]);
  meet(book, 'zigbee hub', { ...copy, nowMs: DAY + 3_600_000 });
  expect(book.list(all).gaps).toMatchObject([{ count: 2 }]);
});
it('closes a gap that an edition answers, and reopens it when it is recorded again', () => {
  const book = bookOf();
  meet(book, 'zigbee hub');
  expect(book.toCheck(FIRST, 10, DAY)).toEqual([]);
  const [found] = book.toCheck(SECOND, 10, DAY);
  expect(found).toMatchObject({ kind: 'question', queries: [{ message: `question ${requests}` }] });
  note(book, found, SECOND, true, DAY + 5);
  expect(book.list({ ...all, state: 'open', limit: 5 })).toMatchObject({ gaps: [], total: 0 });
  expect(book.list({ ...all, state: 'closed', limit: 5 }).gaps).toMatchObject([
    { state: 'closed', closed_at: '2026-10-01T00:00:00.005Z', checked_edition: SECOND },
  ]);
  expect(book.toCheck(THIRD, 10, DAY)).toEqual([]);
  meet(book, 'zigbee hub', { edition: THIRD, nowMs: DAY + 9 });
  expect(book.list({ ...all, state: 'open', limit: 5 }).gaps).toMatchObject([
    { count: 2, closed_at: null },
  ]);
});
it('keeps a gap closed when an older edition reports it, and one open that was recorded during its check', () => {
  const book = bookOf();
  meet(book, 'zigbee hub');
  const [found] = book.toCheck(THIRD, 10, DAY);
  note(book, found, THIRD, true);
  meet(book, 'zigbee hub', { edition: SECOND });
  expect(book.list(all).gaps).toMatchObject([
    { count: 2, state: 'closed', checked_edition: THIRD },
  ]);
  const other = bookOf();
  meet(other, 'zigbee hub');
  const [checked] = other.toCheck(SECOND, 10, DAY);
  meet(other, 'zigbee hub', { edition: SECOND, nowMs: DAY + 1 });
  note(other, checked, SECOND, true, DAY + 2);
  expect(other.list(all).gaps).toMatchObject([{ state: 'open', closed_at: null }]);
});
it('follows a rollback of the library once the newer edition is no longer reported', () => {
  const book = bookOf();
  book.record(sighting([gapOn('zigbee hub'), gapOn('rack mount')]));
  const [zigbee, rack] = book.toCheck(THIRD, 10, DAY);
  note(book, zigbee, THIRD, true);
  note(book, rack, THIRD, false);
  expect(book.toCheck(SECOND, 10, DAY + 60_000)).toEqual([]);
  note(book, rack, SECOND, true, DAY + 60_000);
  expect(book.list({ ...all, state: 'open', limit: 5 }).total).toBe(1);
  const later = DAY + 600_000;
  expect(book.toCheck(SECOND, 10, later)).toMatchObject([{ id: rack?.id }]);
  meet(book, 'zigbee hub', { edition: SECOND, nowMs: later });
  const expected = [{ count: 2, checked_edition: SECOND }, { count: 1 }];
  expect(book.list({ ...all, state: 'open', limit: 5 }).gaps).toMatchObject(expected);
});
it('returns the same gaps to two concurrent checks, and records the first result', () => {
  const book = bookOf();
  meet(book, 'zigbee hub');
  const [one] = book.toCheck(SECOND, 10, DAY);
  const [other] = book.toCheck(SECOND, 10, DAY);
  expect(other).toEqual(one);
  for (const [at, isAnswered] of [true, false].entries())
    note(book, one, SECOND, isAnswered, DAY + at);
  expect(book.list(all).gaps).toMatchObject([
    { state: 'closed', closed_at: '2026-10-01T00:00:00.000Z' },
  ]);
});
it('finds the same gap among two thousand with vectors', () => {
  const book = bookOf();
  const vector = Array.from({ length: 1536 }, (_, at) => Math.sin(at));
  const gaps = Array.from({ length: 2000 }, (_, at) => {
    const gap = gapOn(`w${at} v${at}`);
    return { ...gap, subject: { ...gap.subject, vector, model: 'm' } };
  });
  for (let at = 0; at < 2000; at += 20)
    book.record(sighting(gaps.slice(at, at + 20), { by: 'svc:webhooks' }));
  expect(book.list(all).total).toBe(2000);
  book.record(sighting(gaps.slice(1999)));
  const expected = { total: 2000, gaps: [{ count: 2, missing: 'No article covers w1999 v1999' }] };
  expect(book.list({ ...all, limit: 1 })).toMatchObject(expected);
});
it('returns gaps to check in batches, the most frequent first, each once per edition', () => {
  const book = bookOf();
  for (const [index, word] of ['zigbee', 'rack', 'tor', 'vpn', 'solar'].entries())
    for (let times = 0; times <= index; times++) meet(book, word);
  const seen: string[] = [];
  for (
    let batch = book.toCheck(SECOND, 2, DAY);
    batch.length > 0;
    batch = book.toCheck(SECOND, 2, DAY)
  ) {
    seen.push(...batch.map(({ subject }) => subject.stems[0]?.[0] ?? ''));
    for (const gap of batch) note(book, gap, SECOND, false);
  }
  expect(seen).toEqual(['solar', 'vpn', 'tor', 'rack', 'zigbee']);
});
it('lists every gap once across pages, the most frequent first', () => {
  const book = bookOf();
  for (let index = 0; index < 23; index++)
    for (let times = 0; times <= index % 4; times++) meet(book, `word${index}`);
  const seen: KnowledgeGap[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = book.list({ ...all, state: 'open', limit: 5, cursor });
    expect(page.total).toBe(23);
    seen.push(...page.gaps);
    cursor = page.next_cursor;
  }
  expect([seen.length, new Set(seen.map(({ id }) => id)).size]).toEqual([23, 23]);
  expect(seen).toEqual(seen.toSorted((left, right) => right.count - left.count));
});
it('drops closed gaps first beyond its limit, then the least frequent ones', () => {
  const book = bookOf(3);
  meet(book, 'zigbee');
  const [found] = book.toCheck(SECOND, 1, DAY);
  for (let times = 0; times < 5; times++) meet(book, 'zigbee');
  note(book, found, SECOND, true);
  for (const word of ['rack', 'tor', 'vpn', 'rack', 'vpn']) meet(book, word, { edition: SECOND });
  const counts = book
    .list(all)
    .gaps.map(({ missing, count }) => `${missing?.split(' ').at(-1)} ${count}`);
  expect(counts.sort()).toEqual(['rack 2', 'tor 1', 'vpn 2']);
  book.record(
    sighting([gapOn('solar'), gapOn('solar panel'), gapOn('ups')], {
      edition: SECOND,
      nowMs: DAY + 1,
    }),
  );
  expect(book.list(all).total).toBe(3);
});
it('lets a key add 200 gaps a day and counts known ones beyond; our own functions have no limit', () => {
  const book = bookOf();
  const found = (at: number, more: Partial<GapSighting> = {}) =>
    book.record(sighting([gapOn(`word${at}`)], more));
  for (let at = 0; at < 205; at++) found(at);
  found(0);
  expect([book.list(all).total, book.list(all).gaps[0]?.count]).toEqual([200, 2]);
  found(300, { by: 'user:key-2' });
  found(301, { by: 'svc:webhooks' });
  found(302, { nowMs: DAY + 86_400_000 });
  expect(book.list(all).total).toBe(203);
});
describe('with audiences', () => {
  const meetFor = (book: GapBook, ...lists: (string[] | undefined)[]) => {
    for (const audiences of lists) {
      const query = {
        message: `for ${audiences?.join()}`,
        subject: null,
        intent: 'x',
        product: null,
      };
      meet(book, 'pump', { audiences, query });
    }
  };
  const seen = (book: GapBook, audiences?: string[]) => {
    const { gaps, total } = book.list({ ...all, audiences });
    const records = book
      .records({ limit: 50 }, audiences)
      .gaps.map(({ examples }) => examples.at(-1)?.message);
    const messages = gaps.map(({ example_queries }) => example_queries[0]);
    expect([records.toSorted(), total]).toEqual([messages.toSorted(), messages.length]);
    return messages.toSorted();
  };
  it('shows a gap to callers who hold all its audiences, and never mixes questions', () => {
    const book = bookOf();
    meetFor(book, undefined, ['staff'], ['staff', 'sales'], ['sales', 'staff'], ['*']);
    expect(seen(book)).toEqual(['for undefined']);
    expect(seen(book, ['sales'])).toEqual(['for undefined']);
    expect(seen(book, ['staff'])).toEqual(['for staff', 'for undefined']);
    expect(seen(book, ['sales', 'staff'])).toEqual([
      'for sales,staff',
      'for staff',
      'for undefined',
    ]);
    expect(seen(book, ['*'])).toHaveLength(4);
  });
  it('reads a gap by its id for the same callers alone', () => {
    const book = bookOf();
    meetFor(book, undefined, ['staff']);
    const { gaps } = book.list({ ...all, audiences: ['*'] });
    const readable = (audiences?: string[]) =>
      gaps.flatMap(({ id }) => book.read(id, DAY, audiences)?.example_queries[0] ?? []);
    expect(readable()).toEqual(['for undefined']);
    expect(readable(['sales'])).toEqual(['for undefined']);
    expect(readable(['staff']).toSorted()).toEqual(['for staff', 'for undefined']);
  });
  it('returns gaps to check by their audiences', () => {
    const book = bookOf();
    meetFor(book, undefined, ['staff']);
    const toCheck = (audiences?: string[]) =>
      book.toCheck(SECOND, 9, DAY, audiences).map(({ queries }) => queries[0]?.message);
    expect(book.audienceLists()).toEqual([['staff'], []]);
    expect(toCheck(['staff'])).toEqual(['for staff']);
    expect(toCheck()).toEqual(['for undefined']);
    expect(toCheck(['staff', 'sales'])).toEqual([]);
  });
  it('restores no gap that a key may not see, and tells it of no id whether it is taken', () => {
    const [from, to] = [bookOf(), bookOf()];
    meetFor(from, undefined, ['staff']);
    const [open, staff] = from
      .records({ limit: 9 }, ['*'])
      .gaps.toSorted((one, other) => (one.audiences ?? []).length - (other.audiences ?? []).length);
    expect(to.restore([staff!], ['*'])).toEqual({ restored: 1, refused: [] });
    const free = { ...open!, id: 'free' };
    const taken = { ...open!, id: staff!.id };
    expect(to.restore([free, taken], ['sales'])).toEqual({
      restored: 0,
      refused: ['free', staff!.id],
    });
    expect(to.restore([free, taken], ['staff'])).toEqual({ restored: 1, refused: [] });
    // Now the key sees one of them.
    expect(to.restore([free], ['sales'])).toEqual({ restored: 0, refused: [] });
  });
  it('counts erased questions in gaps that the key may see, and erases all', () => {
    const book = bookOf();
    meetFor(book, undefined, ['staff']);
    const query = { message: 'mine', subject: null, intent: 'x', product: null, person: 'p' };
    meet(book, 'own words', { query });
    meet(book, 'own other', { query, audiences: ['staff'] });
    expect(book.erasePerson('p', ['sales'])).toBe(1);
    expect([book.erasePerson('p', ['*']), seen(book, ['*']).length]).toEqual([0, 2]);
  });
  it('keeps the audiences of exported gaps', () => {
    const [from, to] = [bookOf(), bookOf()];
    meetFor(from, ['staff']);
    expect(to.restore(from.records({ limit: 9 }, ['*']).gaps)).toEqual({
      restored: 1,
      refused: [],
    });
    expect([seen(to), seen(to, ['staff'])]).toEqual([[], ['for staff']]);
  });
});
it('truncates between whole characters', () => {
  const book = bookOf();
  meet(book, 'zigbee', {
    query: { message: `${'x'.repeat(999)}😀`, subject: null, intent: 'x', product: null },
  });
  expect(book.list(all).gaps[0]?.example_queries).toEqual(['x'.repeat(999)]);
});
it('accepts any text', () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  const stem = fc.tuple(text, fc.double({ min: 0.1, max: 1, noNaN: true }));
  const gap: fc.Arbitrary<RevealedGap> = fc.record({
    kind: fc.constantFrom('product', 'intent', 'question', 'outdated'),
    gap: fc.string({ minLength: 1, maxLength: 900 }),
    product: fc.option(text),
    intent: fc.option(text),
    subject: fc.record({ stems: fc.array(stem, { maxLength: 12 }) }),
  });
  const property = fc.property(fc.array(gap, { maxLength: 8 }), text, (gaps, message) => {
    const book = bookOf(5);
    book.record(
      sighting(gaps, { query: { message, subject: message, intent: message, product: message } }),
    );
    expect(book.list(all).total).toBeLessThanOrEqual(5);
    expect(book.toCheck(SECOND, 50, DAY).length).toBe(book.list(all).total);
  });
  fc.assert(property, { numRuns: 100 });
});

it('lists the gaps of the last 24 hours, whatever day it is then', () => {
  const book = bookOf();
  const hour = 3_600_000;
  meet(book, 'zigbee hub', { nowMs: DAY - 23 * hour });
  meet(book, 'solar panel', { nowMs: DAY - 25 * hour });
  const recent = book.list({ ...all, days: 1 });
  expect(recent).toMatchObject({
    total: 1,
    gaps: [{ example_queries: [`question ${requests - 1}`] }],
  });
  expect(book.list({ ...all, nowMs: DAY + hour, days: 1 }).total).toBe(1);
  expect(book.list({ ...all, nowMs: DAY + 2 * hour, days: 1 }).total).toBe(0);
});

it('lists gaps that were closed in some days by when they were, page by page', () => {
  const book = bookOf();
  const words = ['zigbee hub', 'solar panel', 'rack mount'];
  for (const [times, stems] of words.entries())
    for (let at = 0; at <= times; at++) meet(book, stems);
  const open = book.toCheck(SECOND, 3, DAY);
  // The most frequent one is closed first.
  for (const [at, gap] of open.entries()) note(book, gap, SECOND, true, DAY + at);
  const closed = { state: 'closed', nowMs: DAY, days: 7, limit: 2 } as const;
  const first = book.list(closed);
  const second = book.list({ ...closed, cursor: first.next_cursor ?? '' });
  expect([...first.gaps, ...second.gaps].map(({ count }) => count)).toEqual([1, 2, 3]);
  expect(
    book.list({ ...closed, days: undefined, limit: 9 }).gaps.map(({ count }) => count),
  ).toEqual([3, 2, 1]);
});

it('restores the last day of a gap with it', () => {
  const from = bookOf();
  meet(from, 'zigbee hub', { nowMs: DAY - 86_400_000 });
  const to = bookOf();
  to.restore(from.records({ limit: 9 }).gaps);
  const [gap] = to.list({ ...all, days: 7 }).gaps;
  expect(gap?.weeks).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
});

it('counts how often a gap occurs by week, and lists those of the last days by it', () => {
  const book = bookOf();
  const day = 86_400_000;
  for (const ago of [60, 9, 8, 8, 3]) meet(book, 'zigbee hub', { nowMs: DAY - ago * day });
  for (const ago of [2, 1, 0]) meet(book, 'solar panel', { nowMs: DAY - ago * day });
  const [often, seldom] = book.list(all).gaps;
  expect([often?.count, often?.weeks]).toEqual([5, [0, 0, 0, 0, 0, 0, 3, 1]]);
  expect([seldom?.count, seldom?.weeks.at(-1)]).toEqual([3, 3]);
  const recent = book.list({ ...all, state: 'open', days: 7 });
  expect(recent.gaps.map(({ weeks }) => weeks.at(-1))).toEqual([3, 1]);
  expect(book.list({ ...all, state: 'open', days: 2 })).toMatchObject({
    total: 1,
    gaps: [{ id: seldom?.id }],
  });
  const first = book.list({ ...all, state: 'open', days: 7, limit: 1 });
  const second = book.list({ ...all, state: 'open', days: 7, cursor: first.next_cursor ?? '' });
  expect([...first.gaps, ...second.gaps].map(({ id }) => id)).toEqual([seldom?.id, often?.id]);
  const [open] = book.toCheck(SECOND, 1, DAY);
  note(book, open, SECOND, true, DAY - 20 * day);
  expect(book.list({ ...all, state: 'closed', days: 7 }).total).toBe(0);
  expect(book.list({ ...all, state: 'closed', days: 28 }).total).toBe(1);
  book.remove(often?.id ?? '');
  book.remove(seldom?.id ?? '');
  meet(book, 'zigbee hub');
  expect(book.list(all).gaps).toMatchObject([{ count: 1, weeks: [0, 0, 0, 0, 0, 0, 0, 1] }]);
});
