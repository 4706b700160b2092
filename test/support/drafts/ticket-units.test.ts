import { describe, expect, it } from 'vitest';
import { findAnswer, type RankedUnit } from '../../../src/answering/passages/find-answer.ts';
import { coveredBy, rankTicketUnits, withUnits } from '../../../src/support/drafts/ticket-units.ts';
import { answerFrom, editionOf, foundIn, knowledgeOf, passage } from './tickets.ts';
import texts from './without-intents.json' with { type: 'json' };

const WITHOUT_INTENTS = editionOf(
  Object.fromEntries(
    Object.entries(texts).map(([id, { title, text }]) => [
      id,
      [{ title, intents: [] }, text] as const,
    ]),
  ),
);

it('considers the likely articles of the search, even if many others have more common words', async () => {
  const others = Array.from({ length: 12 }, (_, at) => [
    `care/fan-${at}.md`,
    [{ title: `Loud fan ${at}` }, 'The loud fan of the miner is loud.'] as const,
  ]);
  const edition = editionOf({
    ...Object.fromEntries(others),
    'orders/parts.md': [
      { title: 'Parts' },
      'Orders of parts leave within two days; a fan is one of them.',
    ],
  });
  const { found } = await foundIn(edition, 'The fan of the miner is loud.');
  const parts = found.evidence.edition.articleCount - 1;
  const rankedWith = (articles: readonly number[]) =>
    rankTicketUnits({ ...found.evidence, articles }, {}).units.map(({ source }) => source.id);
  expect(rankedWith([])).not.toContain('orders/parts.md');
  expect(rankedWith([parts])).toContain('orders/parts.md');
});

const MESSAGES = [
  'Guten Tag,\n\nwenn ich nachts das Auto lade, ist mein Hausspeicher am Morgen leer. Kann man das verhindern?',
  'Bonjour,\n\nmon fils a retiré la clé USB et depuis il y a des erreurs FAT partout. Peut-on la réparer ?',
  'Hello,\n\nmy pay comes on the last day of every month. How do I tell the schedule the last day?',
];

it.each(MESSAGES)(
  'ranks units as an answer to a question does, without an intent: %j',
  async (message) => {
    const { found } = await foundIn(WITHOUT_INTENTS, message, { intent: 'unknown' });
    const { text, search } = found.evidence;
    const { units } = findAnswer(WITHOUT_INTENTS, text, { searches: [search] });
    const sharesOf = (those: readonly RankedUnit[]) =>
      those.map(({ source, share }) => [source.id, share]);
    expect(sharesOf(found.units.units)).toEqual(sharesOf(units));
  },
);

it('quotes what surely answers a question, without an intent', async () => {
  const { passages } = await answerFrom(WITHOUT_INTENTS, MESSAGES[1] ?? '', { intent: 'unknown' });
  expect(passages.map(({ text }) => text).join('\n')).toContain('`fsck`');
});

it('quotes nothing of articles without intents that do not answer', async () => {
  const message =
    'Hello,\n\nHow do I attach a photo of a receipt to a purchase?\n\nKind regards,\nBen Hall';
  expect((await answerFrom(WITHOUT_INTENTS, message, { intent: 'unknown' })).passages).toEqual([]);
});

describe('what is covered', () => {
  const CODES = { title: 'Codes', intents: [] };
  const edition = editionOf({
    'codes.md': [
      CODES,
      '| Code | Meaning |\n| - | - |\n| f07 | the filter is blocked |\n| f08 | the pump is dry |',
    ],
    'fans.md': [{ title: 'Fans', intents: [] }, 'The fan of the brewer cools its pump.'],
    'pumps.md': [
      { title: 'Pumps', intents: [] },
      'The pump of the brewer needs water, and a filter before it.',
    ],
  });
  it.each([
    ['The brewer stopped this morning, the children cry and it says F07.', 'medium'],
    ['The brewer stopped this morning, the children cry and it says F09.', 'none'],
  ])(
    'counts an article that explains a code of the message as one that answers: %s',
    async (message, coverage) => {
      const { found, knowledge } = await foundIn(edition, message, { intent: 'unknown' });
      expect(withUnits(knowledge, found.units).coverage).toBe(coverage);
    },
  );
  it('counts the sources of a model that is sure', () => {
    const row = passage('| `F07` | the filter is blocked |');
    const found = { ...knowledgeOf({ ...row, relevance: 0.3 }), coverage: 'none' as const };
    const { coverage, sources_consulted: sources } = coveredBy(found, [row]);
    expect([coverage, sources[0]?.relevance_score]).toEqual(['medium', 0.7]);
    expect(coveredBy(found, []).sources_consulted[0]?.relevance_score).toBe(0.3);
    expect(coveredBy(knowledgeOf({ ...row, relevance: 0.9 }), [row]).coverage).toBe('high');
  });
});
