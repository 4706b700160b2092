import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KnowledgeGap } from '../../../src/contract/knowledge-gaps.ts';
import { nodeSql } from '../../../src/dev/stand-ins/node-sql.ts';
import type { GapSighting, MetGap } from '../../../src/knowledge/gaps/gap-book.ts';
import { sqlGapBook } from '../../../src/knowledge/gaps/sql-gap-book.ts';

const DAY = Date.UTC(2026, 9, 1);
const EDITIONS = ['e000001-aaaaaaaa', 'e000002-bbbbbbbb', 'e000003-cccccccc'] as const;
const [FIRST, SECOND, THIRD] = EDITIONS;

const bookOf = (maxGaps?: number) => {
  let ids = 0;
  return sqlGapBook(nodeSql(), { newId: () => `gap-${++ids}`, maxGaps });
};

let requests = 0;
const gapOn = (stems: string, more: Partial<MetGap> = {}): MetGap => ({
  kind: 'question',
  gap: `No article covers ${stems}`,
  product: null,
  intent: 'general_info',
  subject: { stems: stems.split(' ').map((stem) => [stem, 1] as const) },
  ...more,
});
const sighting = (gaps: MetGap[], more: Partial<GapSighting> = {}): GapSighting => ({
  requestHash: `request ${++requests}`,
  by: 'user:key-1',
  query: { message: `question ${requests}`, subject: null, intent: 'general_info', product: null },
  gaps,
  edition: FIRST,
  nowMs: DAY,
  ...more,
});
const all = { state: 'all', limit: 200 } as const;

describe('sqlGapBook()', () => {
  it('counts what is met again, in other words too, and keeps the newest five questions', () => {
    const book = bookOf();
    for (let times = 0; times < 7; times++) {
      const words = times % 2 === 0 ? 'zigbee hub pair' : 'pair zigbee bridge';
      book.record(sighting([gapOn(words)], { nowMs: DAY + times }));
    }
    const { gaps, total } = book.list(all);
    expect(total).toBe(1);
    expect(KnowledgeGap.parse(gaps[0])).toMatchObject({ count: 7, gap: 'No article covers zigbee hub pair' });
    expect(gaps[0]?.example_queries).toHaveLength(5);
    expect(gaps[0]?.example_queries[0]).toBe(`question ${requests}`);
    expect(gaps[0]).toMatchObject({ first_seen: '2026-10-01T00:00:00.000Z', last_seen: '2026-10-01T00:00:00.006Z' });
  });

  it.each([
    ['another kind', gapOn('zigbee hub', { kind: 'product' })],
    ['another product', gapOn('zigbee hub', { product: 'Apollo II' })],
    ['another subject', gapOn('rack mount kit')],
    ['another intent, and only half of the words', gapOn('zigbee light', { intent: 'setup_help' })],
  ])('keeps apart what is of %s', (_, other) => {
    const book = bookOf();
    book.record(sighting([gapOn('zigbee hub')]));
    book.record(sighting([other]));
    expect(book.list(all).total).toBe(2);
  });

  it.each([
    [
      'a product in other letters',
      gapOn('zigbee hub', { product: 'APOLLO II' }),
      gapOn('zigbee hub', { product: 'Apollo II' }),
    ],
    [
      'an intent that was told differently, of the same words',
      gapOn('zigbee hub'),
      gapOn('hub zigbee', { intent: 'setup_help' }),
    ],
    [
      'an intent that has no article',
      gapOn('', { kind: 'intent', subject: { stems: [] } }),
      gapOn('', { kind: 'intent', subject: { stems: [] } }),
    ],
    [
      'a meaning that is close, and a word in common',
      gapOn('zigbee hub pair', {
        subject: {
          stems: [
            ['zigbee', 1],
            ['hub', 1],
            ['pair', 1],
          ],
          vector: [1, 0.1],
          model: 'm',
        },
      }),
      gapOn('', {
        subject: {
          stems: [
            ['zigbee', 1],
            ['coupl', 1],
            ['bridg', 1],
          ],
          vector: [1, 0.2],
          model: 'm',
        },
      }),
    ],
  ])('takes for the same %s', (_, left, right) => {
    const book = bookOf();
    book.record(sighting([left]));
    book.record(sighting([right]));
    expect(book.list(all).gaps).toMatchObject([{ count: 2 }]);
  });

  it('does not compare meanings of two models, nor those without any word in common', () => {
    const subject = (stem: string, model: string) => ({
      stems: [
        [stem, 1],
        [`${stem}x`, 1],
      ] as const,
      vector: [1, 0],
      model,
    });
    const book = bookOf();
    book.record(sighting([gapOn('', { subject: subject('zigbee', 'one') })]));
    book.record(
      sighting([
        gapOn('', {
          subject: {
            ...subject('zigbee', 'two'),
            stems: [
              ['zigbee', 1],
              ['coupl', 3],
            ],
          },
        }),
      ]),
    );
    book.record(sighting([gapOn('', { subject: subject('rack', 'one') })]));
    expect(book.list(all).total).toBe(3);
  });

  it('counts a copy of a request once, until an hour later', () => {
    const book = bookOf();
    const copy = { requestHash: 'the same' };
    book.record(sighting([gapOn('zigbee hub')], copy));
    book.record(sighting([gapOn('zigbee hub')], copy));
    expect(book.list(all).gaps).toMatchObject([{ count: 1 }]);
    book.record(sighting([gapOn('zigbee hub')], { ...copy, nowMs: DAY + 3_600_000 }));
    expect(book.list(all).gaps).toMatchObject([{ count: 2 }]);
  });

  it('closes what an edition answers, and opens it again when it is met again', () => {
    const book = bookOf();
    book.record(sighting([gapOn('zigbee hub')]));
    expect(book.toCheck(FIRST, 10, DAY)).toEqual([]);
    const [asked] = book.toCheck(SECOND, 10, DAY);
    expect(asked).toMatchObject({ kind: 'question', query: { message: `question ${requests}` } });
    const results = [{ id: asked?.id ?? '', lastSeenMs: asked?.lastSeenMs ?? 0, isAnswered: true }];
    book.noteChecked(results, { edition: SECOND, nowMs: DAY + 5 });
    expect(book.list({ state: 'open', limit: 5 })).toMatchObject({ gaps: [], total: 0 });
    expect(book.list({ state: 'closed', limit: 5 }).gaps).toMatchObject([
      { state: 'closed', closed_at: '2026-10-01T00:00:00.005Z', checked_edition: SECOND },
    ]);
    expect(book.toCheck(THIRD, 10, DAY)).toEqual([]);
    book.record(sighting([gapOn('zigbee hub')], { edition: THIRD, nowMs: DAY + 9 }));
    expect(book.list({ state: 'open', limit: 5 }).gaps).toMatchObject([{ count: 2, closed_at: null }]);
  });

  it('leaves closed what is met in an edition older than the one that closed it', () => {
    const book = bookOf();
    book.record(sighting([gapOn('zigbee hub')]));
    const [asked] = book.toCheck(THIRD, 10, DAY);
    book.noteChecked([{ id: asked?.id ?? '', lastSeenMs: DAY, isAnswered: true }], { edition: THIRD, nowMs: DAY });
    book.record(sighting([gapOn('zigbee hub')], { edition: SECOND }));
    expect(book.list(all).gaps).toMatchObject([{ count: 2, state: 'closed', checked_edition: THIRD }]);
  });

  it('follows a library that was rolled back, once the newer edition is not reported any more', () => {
    const book = bookOf();
    book.record(sighting([gapOn('zigbee hub'), gapOn('rack mount')]));
    const [zigbee, rack] = book.toCheck(THIRD, 10, DAY);
    const results = [zigbee, rack].map((gap, at) => ({ id: gap?.id ?? '', lastSeenMs: DAY, isAnswered: at === 0 }));
    book.noteChecked(results, { edition: THIRD, nowMs: DAY });
    expect(book.toCheck(SECOND, 10, DAY + 60_000)).toEqual([]);
    book.noteChecked([{ ...results[1], id: rack?.id ?? '', lastSeenMs: DAY, isAnswered: true }], {
      edition: SECOND,
      nowMs: DAY + 60_000,
    });
    expect(book.list({ state: 'open', limit: 5 }).total).toBe(1);
    const later = DAY + 600_000;
    expect(book.toCheck(SECOND, 10, later)).toMatchObject([{ id: rack?.id }]);
    book.record(sighting([gapOn('zigbee hub')], { edition: SECOND, nowMs: later }));
    expect(book.list({ state: 'open', limit: 5 }).gaps).toMatchObject([
      { count: 2, checked_edition: SECOND },
      { count: 1 },
    ]);
  });

  it('gives two that compare at once the same gaps, and takes what both note once', () => {
    const book = bookOf();
    book.record(sighting([gapOn('zigbee hub')]));
    const [one] = book.toCheck(SECOND, 10, DAY);
    const [other] = book.toCheck(SECOND, 10, DAY);
    expect(other).toEqual(one);
    for (const [at, isAnswered] of [true, false].entries()) {
      book.noteChecked([{ id: one?.id ?? '', lastSeenMs: DAY, isAnswered }], { edition: SECOND, nowMs: DAY + at });
    }
    expect(book.list(all).gaps).toMatchObject([{ state: 'closed', closed_at: '2026-10-01T00:00:00.000Z' }]);
  });

  it('knows the same among two thousand with vectors', () => {
    const book = bookOf();
    const vector = Array.from({ length: 1536 }, (_, at) => Math.sin(at));
    const on = (stems: string): MetGap => {
      const gap = gapOn(stems);
      return { ...gap, subject: { ...gap.subject, vector, model: 'm' } };
    };
    for (let at = 0; at < 100; at++) {
      book.record(
        sighting(
          Array.from({ length: 20 }, (_, place) => on(`w${at * 20 + place} v${at * 20 + place}`)),
          { by: 'svc:webhooks' },
        ),
      );
    }
    expect(book.list(all).total).toBe(2000);
    book.record(sighting([on('w1999 v1999')]));
    expect(book.list({ ...all, limit: 1 })).toMatchObject({
      total: 2000,
      gaps: [{ count: 2, gap: 'No article covers w1999 v1999' }],
    });
  });

  it('leaves open what was met while it was compared', () => {
    const book = bookOf();
    book.record(sighting([gapOn('zigbee hub')]));
    const [asked] = book.toCheck(SECOND, 10, DAY);
    book.record(sighting([gapOn('zigbee hub')], { edition: SECOND, nowMs: DAY + 1 }));
    book.noteChecked([{ id: asked?.id ?? '', lastSeenMs: asked?.lastSeenMs ?? 0, isAnswered: true }], {
      edition: SECOND,
      nowMs: DAY + 2,
    });
    expect(book.list(all).gaps).toMatchObject([{ state: 'open', closed_at: null }]);
  });

  it('hands out what is to be compared in batches, the most often met first, and each once an edition', () => {
    const book = bookOf();
    for (const [index, word] of ['zigbee', 'rack', 'tor', 'vpn', 'solar'].entries())
      for (let times = 0; times <= index; times++) book.record(sighting([gapOn(word)]));
    const seen: string[] = [];
    for (let batch = book.toCheck(SECOND, 2, DAY); batch.length > 0; batch = book.toCheck(SECOND, 2, DAY)) {
      seen.push(...batch.map(({ subject }) => subject.stems[0]?.[0] ?? ''));
      const results = batch.map(({ id, lastSeenMs }) => ({ id, lastSeenMs, isAnswered: false }));
      book.noteChecked(results, { edition: SECOND, nowMs: DAY });
    }
    expect(seen).toEqual(['solar', 'vpn', 'tor', 'rack', 'zigbee']);
  });

  it('leads from page to page, every gap once, the most often met first', () => {
    const book = bookOf();
    for (let index = 0; index < 23; index++)
      for (let times = 0; times <= index % 4; times++) book.record(sighting([gapOn(`word${index}`)]));
    const seen: number[] = [];
    const ids = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = book.list({ state: 'open', limit: 5, cursor });
      expect(page.total).toBe(23);
      for (const { id, count } of page.gaps) {
        ids.add(id);
        seen.push(count);
      }
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(ids.size).toBe(23);
    expect(seen).toEqual(seen.toSorted((left, right) => right - left));
  });

  it('forgets beyond its bound the closed ones first, then the least met, with their questions', () => {
    const book = bookOf(3);
    book.record(sighting([gapOn('zigbee')]));
    const [asked] = book.toCheck(SECOND, 1, DAY);
    for (let times = 0; times < 5; times++) book.record(sighting([gapOn('zigbee')]));
    book.noteChecked([{ id: asked?.id ?? '', lastSeenMs: DAY, isAnswered: true }], { edition: SECOND, nowMs: DAY });
    for (const word of ['rack', 'tor', 'vpn', 'rack', 'vpn']) book.record(sighting([gapOn(word)], { edition: SECOND }));
    expect(
      book
        .list(all)
        .gaps.map(({ gap, count }) => `${gap.split(' ').at(-1)} ${count}`)
        .sort(),
    ).toEqual(['rack 2', 'tor 1', 'vpn 2']);
    book.record(sighting([gapOn('solar'), gapOn('solar panel'), gapOn('ups')], { edition: SECOND, nowMs: DAY + 1 }));
    expect(book.list(all).total).toBe(3);
  });

  it('lets a key add 200 gaps a day and counts known ones beyond; our own functions have no limit', () => {
    const book = bookOf();
    const found = (at: number, more: Partial<GapSighting> = {}) => book.record(sighting([gapOn(`word${at}`)], more));
    for (let at = 0; at < 205; at++) found(at);
    found(0);
    expect([book.list(all).total, book.list(all).gaps[0]?.count]).toEqual([200, 2]);
    found(300, { by: 'user:key-2' });
    found(301, { by: 'svc:webhooks' });
    found(302, { nowMs: DAY + 86_400_000 });
    expect(book.list(all).total).toBe(203);
  });

  it('keeps whole characters of what it cuts', () => {
    const book = bookOf();
    const query = { message: `${'x'.repeat(999)}😀`, subject: null, intent: 'x', product: null };
    book.record(sighting([gapOn('zigbee')], { query }));
    expect(book.list(all).gaps[0]?.example_queries).toEqual(['x'.repeat(999)]);
  });

  it('holds whatever texts it is given', () => {
    const text = fc.string({ unit: 'binary', maxLength: 300 });
    const gap = fc.record({
      kind: fc.constantFrom('product', 'intent', 'question', 'outdated' as const),
      gap: fc.string({ minLength: 1, maxLength: 900 }),
      product: fc.option(text),
      intent: fc.option(text),
      subject: fc.record({
        stems: fc.array(fc.tuple(text, fc.double({ min: 0.1, max: 1, noNaN: true })), { maxLength: 12 }),
      }),
    });
    const property = fc.property(fc.array(gap, { maxLength: 8 }), text, (gaps, message) => {
      const book = bookOf(5);
      const query = { message, subject: message, intent: message, product: message };
      book.record(sighting(gaps as MetGap[], { query }));
      expect(book.list(all).total).toBeLessThanOrEqual(5);
      expect(book.toCheck(SECOND, 50, DAY).length).toBe(book.list(all).total);
    });
    fc.assert(property, { numRuns: 100 });
  });
});
