import { describe, expect, it } from 'vitest';
import type { AIClient, AIMessage } from '../../../src/contract/librarian.ts';
import { startModelCalls } from '../../../src/grounding/model-calls.ts';
import { canAnswerFrom, modelPassages } from '../../../src/support/draft/write-with-model.ts';
import { editionOf, foundIn } from './tickets.ts';

const EDITION = editionOf({
  'care/fans.md': [
    { title: 'Fans and noise' },
    '## Make the fan quieter\n\nThe fan is loud in Turbo mode. Choose Eco mode.\n\n## Apollo III: the fan\n\nTurn the blue screw of the fan.',
  ],
  'care/fans-of-iii.md': [
    { title: 'Loud fan', devices: ['Apollo III'] },
    'The loud fan of an Apollo III has a switch.',
  ],
  'care/fans-of-ii.md': [{ title: 'Fan filter', devices: ['Apollo II'] }, 'A loud fan of an Apollo II needs a filter.'],
  'care/rooms.md': [{ title: 'Rooms', intents: [] }, 'The sound of a living room is damped by a carpet.'],
});
const LOUD = 'The fan of my Apollo II is loud. How do I make the fan quieter?';

interface Given {
  relevance?: number;
  isForeign?: boolean;
  queries?: string[];
}
/** The passages for a model, and its earlier calls, when articles have this relevance. */
const shownFor = async (message: string, { relevance = 0.9, isForeign = false, queries = [] }: Given = {}) => {
  const { ticket, found } = await foundIn(EDITION, message);
  const modelCalls: AIMessage[][] = [];
  const ai: AIClient = {
    model: 'test-model',
    complete: async (messages) => {
      modelCalls.push([...messages]);
      return { text: JSON.stringify({ queries }), usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
  const likely = new Map([...found.units.relevance.keys()].map((article) => [article, relevance]));
  const given = { ...found, isForeign, units: { ...found.units, relevance: likely } };
  const calls = startModelCalls({ ai, timeMs: 1000 });
  const passages = await modelPassages(given, { ...ticket, question: message, history: [], calls });
  calls.end();
  return { modelCalls, texts: passages.map(({ text }) => text).join('\n\n'), isAnswerable: canAnswerFrom(given) };
};

describe('modelPassages()', () => {
  it('returns whole sections, and none for other devices', async () => {
    const { texts, modelCalls } = await shownFor(LOUD);
    expect(texts).toContain('The fan is loud in Turbo mode. Choose Eco mode.');
    expect(texts).toContain('needs a filter');
    expect(texts).not.toMatch(/blue screw|has a switch/);
    expect(modelCalls).toEqual([]);
  });
  it('returns no section for a single device when the device is unknown', async () => {
    const { texts } = await shownFor('The fan is loud. How do I make the fan quieter?');
    expect(texts).toContain('Choose Eco mode');
    expect(texts).not.toMatch(/blue screw|has a switch|needs a filter/);
  });
  it('includes uncertain articles, but no unrelated ones', async () => {
    expect((await shownFor(LOUD, { relevance: 0.05 })).texts).toContain('Choose Eco mode');
    const none = await shownFor(LOUD, { relevance: 0.01 });
    expect([none.texts, none.isAnswerable]).toEqual(['', false]);
  });
  it('searches by queries of the model when the search is weak', async () => {
    const queries = ['carpet living room'];
    expect((await shownFor(LOUD, { relevance: 0.5, queries })).modelCalls).toHaveLength(0);
    const { modelCalls, texts } = await shownFor(LOUD, { relevance: 0.39, queries });
    expect(modelCalls).toHaveLength(1);
    expect(texts).toContain('damped by a carpet');
  });
  it('requests queries in the language of the articles for a message in another', async () => {
    const given = { isForeign: true, queries: ['carpet living room'] };
    const { modelCalls, texts, isAnswerable } = await shownFor('Der Fan von meinem Apollo II ist zu laut', given);
    expect([modelCalls.length, isAnswerable]).toEqual([1, true]);
    expect(texts).toContain('damped by a carpet');
  });
});
