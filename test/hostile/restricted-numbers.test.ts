import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { answerFromEdition } from '../../src/answering/write/answer-from-edition.ts';
import { buildEdition } from '../../src/knowledge/edition/build-edition.ts';
import { completeEdition, editionFor } from '../../src/knowledge/edition/current-edition.ts';
import { type Edition, openEdition } from '../../src/knowledge/edition/open-edition.ts';
import { isRepeatedIn } from '../../src/knowledge/edition/repeated-blocks.ts';
import { shownTranslations } from '../../src/knowledge/edition/translations.ts';
import {
  domainProbability,
  keynessOf,
  relevanceOfHits,
} from '../../src/knowledge/search/relevance.ts';
import { searchEdition } from '../../src/knowledge/search/search-edition.ts';
import { mayRead } from '../../src/platform/context/capabilities.ts';
import { entryOf, IDENTITY, type Sketch } from '../knowledge/search/edition-fixture.ts';

/** What leaves is made from readable articles alone, numbers included: the same with and without the others. */
const WORDS =
  'pump bench oak furnace filter valve lamp velociflange acquire Brightseam Contoso plan merge payout wallet'.split(
    ' ',
  );
const TAGS = ['Pump', 'Lamp 2', 'Furnace'];

const sentence = fc
  .array(fc.constantFrom(...WORDS), { minLength: 3, maxLength: 9 })
  .map((words) => `The ${words.join(' ')} is described here.`);

const sketch = fc.record({
  audiences: fc.option(fc.subarray(['a', 'b', 'c'], { minLength: 1 }), { nil: undefined }),
  title: fc
    .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })
    .map((words) => words.join(' ')),
  texts: fc.array(fc.array(sentence, { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 3,
  }),
  devices: fc.subarray(TAGS, { maxLength: 1 }),
  intents: fc.subarray(['merge_plan', 'heating'], { maxLength: 1 }),
});

const base = fc.array(sketch, { minLength: 1, maxLength: 25 });

const editionOf = (
  drawn: readonly (readonly [number, typeof base extends fc.Arbitrary<(infer S)[]> ? S : never])[],
): Edition =>
  openEdition(
    completeEdition(
      buildEdition(
        drawn.map(([at, { audiences, title, texts, devices, intents }]) =>
          entryOf({
            id: `t${100 + at}`,
            title,
            ...(audiences === undefined ? {} : { audiences }),
            sections: texts.map((sentences, place) => ({
              text: [...sentences, 'Still need help? Write to us.'].join('\n\n'),
              heading: ['Shared', `Part ${place}`],
            })),
            devices,
            intents,
          } satisfies Sketch),
        ),
        IDENTITY,
      ),
    ),
  );

/** All that can be read from an edition by a question. */
const outputs = (edition: Edition, question: string) => {
  const { hits, query, ...rest } = searchEdition(edition, question);
  const shown = hits.map(({ article, chunk, ...numbers }) => ({
    article: edition.article(article).id,
    text: edition.chunk(chunk).text,
    numbers,
  }));
  return {
    hits: shown,
    relevance: relevanceOfHits({ hits, query, model: rest.model }),
    terms: query.terms.map(({ word, isKnown, idf, chunkCount, corrections }) => [
      word,
      isKnown,
      idf,
      chunkCount,
      corrections,
    ]),
    rest: JSON.stringify({ ...rest, model: undefined }),
    counts: [edition.articleCount, edition.chunkCount, edition.wordTotal],
    domain: domainProbability(edition, { query, quality: rest.quality }),
    keys: query.terms.map((term) => keynessOf(edition, [term])),
    isRepeated: isRepeatedIn(edition)('Still need help? Write to us.'),
    devices: edition.devices(),
    answer: JSON.stringify(answerFromEdition(edition, question, { isScreened: true }).response),
  };
};

it('is the same with and without the articles that the asker may not read', {
  timeout: 120_000,
}, () => {
  const question = fc
    .array(fc.constantFrom(...WORDS, 'velociflang', 'acquisition', 'how', 'is'), {
      minLength: 1,
      maxLength: 6,
    })
    .map((words) => `How does ${words.join(' ')} work?`);
  const property = fc.property(base, fc.subarray(['a', 'b', 'c']), question, (all, held, asked) => {
    const numbered = all.map((each, at) => [at, each] as const);
    const readable = numbered.filter(([, { audiences }]) => mayRead(held, audiences));
    fc.pre(readable.length > 0);
    const seen = outputs(editionFor(editionOf(numbered), held), asked);
    expect(seen).toEqual(outputs(editionFor(editionOf(readable), held), asked));
  });
  fc.assert(property, { numRuns: Number(process.env.AUDIENCE_RUNS ?? 20), seed: 26 });
});

it('has the same confidence with 25 restricted articles that say what the question asks', () => {
  const open = Array.from({ length: 12 }, (_, at) => ({
    audiences: undefined,
    title: `Pump ${at}`,
    devices: [],
    intents: [],
    texts: [[`The pump runs at speed ${at} beside the bench.`]],
  }));
  const staff = Array.from({ length: 25 }, (_, at) => ({
    audiences: ['staff'],
    title: `Memo ${at}`,
    devices: [],
    intents: [],
    texts: [
      ['The acquisition of Brightseam by Contoso is planned, and the velociflange pump runs fast.'],
    ],
  }));
  const numbered = (list: typeof open | typeof staff) =>
    list.map((each, at) => [at, each] as const);
  const without = editionOf(numbered(open) as never);
  const narrowed = editionFor(editionOf(numbered([...open, ...staff] as never) as never), []);
  for (const asked of [
    'Is the acquisition of Brightseam by Contoso planned?',
    'How fast does the velociflange pump run?',
  ])
    expect(outputs(narrowed, asked)).toEqual(outputs(without, asked));
});

const SENTENCES = {
  en: 'The pump and the filter are described here, and the lamp blinks twice when the valve is open.',
  de: 'Die Pumpe und der Filter werden hier beschrieben, und die Lampe blinkt zweimal, wenn das Ventil offen ist.',
  fr: 'La pompe et le filtre sont décrits ici, et la lampe clignote deux fois quand la valve est ouverte.',
};

/** Articles whose paths, keys and texts may make them translations of each other; some are too short to tell their language. */
const inLanguages = fc.array(
  fc.record({
    path: fc.constantFrom('pump.md', 'lamp.md', 'valve.md'),
    folder: fc.constantFrom('', 'de/', 'fr/', 'a/'),
    isHidden: fc.boolean(),
    language: fc.constantFrom('en' as const, 'de' as const, 'fr' as const),
    isShort: fc.boolean(),
    translationKey: fc.option(fc.constantFrom('one', 'two'), { nil: undefined }),
  }),
  { minLength: 2, maxLength: 12 },
);

it('is the same with and without restricted articles in other languages, and translations among them', {
  timeout: 120_000,
}, () => {
  const editionIn = (drawn: typeof inLanguages extends fc.Arbitrary<infer T> ? T : never) => {
    const byId = new Map(drawn.map((each) => [`${each.folder}${each.path}`, each]));
    return openEdition(
      completeEdition(
        buildEdition(
          [...byId].map(([id, { isHidden, language, isShort, translationKey }]) =>
            entryOf({
              id,
              title: id.includes('pump') ? 'Pumps' : 'Filters',
              translationKey,
              url: `https://kb.example/${id}`,
              ...(isHidden ? { audiences: ['staff'] } : {}),
              sections: [
                {
                  text: isShort ? 'Filtern, filters, filtre.' : SENTENCES[language],
                  heading: ['Die and the'],
                },
              ],
            }),
          ),
          IDENTITY,
        ),
      ),
    );
  };
  const property = fc.property(
    inLanguages,
    fc.constantFrom(...Object.values(SENTENCES)),
    (drawn, asked) => {
      const ids = new Map(drawn.map((each) => [`${each.folder}${each.path}`, each]));
      const readable = [...ids.values()].filter(({ isHidden }) => !isHidden);
      fc.pre(readable.length > 0);
      const [narrowed, open] = [editionFor(editionIn(drawn), []), editionIn(readable)];
      const shown = (edition: Edition) => [
        edition.languages,
        ...['en', 'de', 'fr'].map((language) => {
          const isShown = shownTranslations(edition, () => language);
          return Array.from({ length: edition.articleCount }, (_, at) => isShown?.(at) ?? true);
        }),
        outputs(edition, asked),
      ];
      expect(shown(narrowed)).toEqual(shown(open));
    },
  );
  fc.assert(property, { numRuns: Number(process.env.AUDIENCE_RUNS ?? 25), seed: 26 });
});
