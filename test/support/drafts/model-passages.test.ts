import { expect, it } from 'vitest';
import { startModelCalls } from '../../../src/answering/model/model-calls.ts';
import { canAnswerFrom, modelPassages } from '../../../src/support/drafts/write-with-model.ts';
import { scriptedModel, seeking } from '../../answering/write/scripted-model.ts';
import articles from './model-passages.json' with { type: 'json' };
import { editionOf, foundIn } from './tickets.ts';

// The compiler reads the pairs of a JSON file as lists of any of their values.
const EDITION = editionOf(articles as unknown as Parameters<typeof editionOf>[0]);
const LOUD = 'The fan of my Apollo II is loud. How do I make the fan quieter?';

/** The passages for a model, and the number of its earlier calls, when articles have this relevance. */
const shownFor = async (
  message: string,
  { relevance = 0.9, isForeign = false, queries = ['carpet living room'] } = {},
) => {
  const { ticket, found } = await foundIn(EDITION, message);
  const ai = scriptedModel();
  ai.queries =
    queries.length > 0 ? seeking(...queries) : { text: JSON.stringify({ alone: '', parts: [] }) };
  const likely = new Map([...found.units.relevance.keys()].map((article) => [article, relevance]));
  const given = { ...found, isForeign, units: { ...found.units, relevance: likely } };
  const calls = startModelCalls({ ai, timeMs: 1000 });
  const passages = await modelPassages(given, { ...ticket, question: message, history: [], calls });
  calls.end();
  const texts = passages.map(({ text }) => text).join('\n\n');
  return { calls: ai.calls.length, texts, isAnswerable: canAnswerFrom(given) };
};

it('returns whole sections, and none for other devices', async () => {
  const { texts, calls } = await shownFor(LOUD);
  expect(texts).toContain('The fan is loud in Turbo mode. Choose Eco mode.');
  expect(texts).toContain('needs a filter');
  expect(texts).not.toMatch(/blue screw|has a switch/);
  expect(calls).toBe(0);
});
it('returns no section for a single device when the device is unknown', async () => {
  const { texts } = await shownFor('The fan is loud. How do I make the fan quieter?');
  expect(texts).toContain('Choose Eco mode');
  expect(texts).not.toMatch(/blue screw|has a switch|needs a filter/);
});
it('includes uncertain articles, but no unrelated ones', async () => {
  const given = { queries: [] as string[] };
  expect((await shownFor(LOUD, { ...given, relevance: 0.05 })).texts).toContain('Choose Eco mode');
  const { texts, isAnswerable } = await shownFor(LOUD, { ...given, relevance: 0.01 });
  expect([texts, isAnswerable]).toEqual(['', false]);
});
it.each([
  ['when the search is weak', LOUD, { relevance: 0.39 }, 1],
  [
    'for a message in another language',
    'Der Fan von meinem Apollo II ist zu laut',
    { isForeign: true },
    1,
  ],
  ['not when the search is not weak', LOUD, { relevance: 0.5 }, 0],
])('searches by queries of the model %s', async (_when, message, given, expected) => {
  const { calls, texts, isAnswerable } = await shownFor(message, given);
  expect([calls, isAnswerable]).toEqual([expected, true]);
  expect(texts.includes('damped by a carpet')).toBe(expected === 1);
});
