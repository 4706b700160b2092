import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { answerFromEdition, promptInjectionScreen } from '../../src/navigator/answer-from-edition.ts';
import { answeringModelOf, decodeKey, relevanceOfHits } from '../../src/search/answering-model.ts';
import { buildEdition } from '../../src/search/build-edition.ts';
import { editionFor, fitForEverybody } from '../../src/search/current-edition.ts';
import { fitEdition } from '../../src/search/fit-edition.ts';
import { type Edition, openEdition } from '../../src/search/open-edition.ts';
import { findTerm } from '../../src/search/open-index.ts';
import { isRepeatedIn } from '../../src/search/repeated-blocks.ts';
import { searchEdition } from '../../src/search/search-edition.ts';
import { mayRead } from '../../src/signing/capabilities.ts';
import { stem } from '../../src/text/stem.ts';
import { entryOf, IDENTITY, type Sketch } from '../search/edition-fixture.ts';

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
  title: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
  texts: fc.array(fc.array(sentence, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
  devices: fc.subarray(TAGS, { maxLength: 1 }),
  intents: fc.subarray(['merge_plan', 'heating'], { maxLength: 1 }),
});

const base = fc.array(sketch, { minLength: 1, maxLength: 25 });

/** As the library publishes it. */
const complete = (edition: Uint8Array) => fitForEverybody(fitEdition(edition));

const editionOf = (
  drawn: readonly (readonly [number, typeof base extends fc.Arbitrary<(infer S)[]> ? S : never])[],
): Edition =>
  openEdition(
    complete(
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
            ...{ devices, intents },
          } satisfies Sketch),
        ),
        IDENTITY,
      ),
    ),
  );

/** All that can be read from an edition by a question. */
const outputs = (edition: Edition, question: string) => {
  const { hits, query, ...rest } = searchEdition(edition, question);
  const model = answeringModelOf(edition);
  const shown = hits.map(({ article, chunk, ...numbers }) => ({
    ...{ article: edition.article(article).id, text: edition.chunk(chunk).text, numbers },
  }));
  return {
    hits: shown,
    relevance: relevanceOfHits({ hits, query, model: rest.model }, model),
    terms: query.terms.map(({ word, isKnown, idf, chunkCount, corrections }) => [
      word,
      isKnown,
      idf,
      chunkCount,
      corrections,
    ]),
    rest: JSON.stringify({ ...rest, model: undefined }),
    counts: [edition.articleCount, edition.chunkCount, edition.wordTotal],
    model: { domain: model.domain, threshold: model.domainThreshold, topics: model.topics },
    keys: WORDS.map((word) => {
      const term = findTerm(edition.index, stem(word.toLowerCase()));
      return term < 0 ? undefined : decodeKey(model.keys[term]);
    }),
    isRepeated: isRepeatedIn(edition)('Still need help? Write to us.'),
    devices: edition.devices(),
    answer: JSON.stringify(answerFromEdition(edition, question, { screen: promptInjectionScreen }).response),
  };
};

it('is the same with and without the articles that the asker may not read', { timeout: 120_000 }, () => {
  const question = fc
    .array(fc.constantFrom(...WORDS, 'velociflang', 'acquisition', 'how', 'is'), { minLength: 1, maxLength: 6 })
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
    ...{ audiences: undefined, title: `Pump ${at}`, devices: [], intents: [] },
    texts: [[`The pump runs at speed ${at} beside the bench.`]],
  }));
  const staff = Array.from({ length: 25 }, (_, at) => ({
    ...{ audiences: ['staff'], title: `Memo ${at}`, devices: [], intents: [] },
    texts: [['The acquisition of Brightseam by Contoso is planned, and the velociflange pump runs fast.']],
  }));
  const numbered = (list: typeof open | typeof staff) => list.map((each, at) => [at, each] as const);
  const without = editionOf(numbered(open) as never);
  const narrowed = editionFor(editionOf(numbered([...open, ...staff] as never) as never), []);
  for (const asked of [
    'Is the acquisition of Brightseam by Contoso planned?',
    'How fast does the velociflange pump run?',
  ])
    expect(outputs(narrowed, asked)).toEqual(outputs(without, asked));
});
