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
/** What a model is shown for a message, and what it is asked before, where articles are this likely. */
const shownFor = async (message: string, { relevance = 0.9, isForeign = false, queries = [] }: Given = {}) => {
  const { ticket, found } = await foundIn(EDITION, message);
  const asked: AIMessage[][] = [];
  const ai: AIClient = {
    model: 'test-model',
    complete: async (messages) => {
      asked.push([...messages]);
      return { text: JSON.stringify({ queries }), usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
  const likely = new Map([...found.units.relevance.keys()].map((article) => [article, relevance]));
  const given = { ...found, isForeign, units: { ...found.units, relevance: likely } };
  const calls = startModelCalls({ ai, timeMs: 1000 });
  const passages = await modelPassages(given, { ...ticket, question: message, history: [], calls });
  calls.end();
  return { asked, texts: passages.map(({ text }) => text).join('\n\n'), isAnswerable: canAnswerFrom(given) };
};

describe('modelPassages()', () => {
  it('shows whole sections, and none for other devices', async () => {
    const { texts, asked } = await shownFor(LOUD);
    expect(texts).toContain('The fan is loud in Turbo mode. Choose Eco mode.');
    expect(texts).toContain('needs a filter');
    expect(texts).not.toMatch(/blue screw|has a switch/);
    expect(asked).toEqual([]);
  });
  it('shows no section for a single device when the device is unknown', async () => {
    const { texts } = await shownFor('The fan is loud. How do I make the fan quieter?');
    expect(texts).toContain('Choose Eco mode');
    expect(texts).not.toMatch(/blue screw|has a switch|needs a filter/);
  });
  it('shows uncertain articles too, but no unrelated ones', async () => {
    expect((await shownFor(LOUD, { relevance: 0.05 })).texts).toContain('Choose Eco mode');
    const none = await shownFor(LOUD, { relevance: 0.01 });
    expect([none.texts, none.isAnswerable]).toEqual(['', false]);
  });
  it('searches by queries of the model when the search is weak', async () => {
    const queries = ['carpet living room'];
    expect((await shownFor(LOUD, { relevance: 0.5, queries })).asked).toHaveLength(0);
    const { asked, texts } = await shownFor(LOUD, { relevance: 0.39, queries });
    expect(asked).toHaveLength(1);
    expect(texts).toContain('damped by a carpet');
  });
  it('requests queries in the language of the articles for a message in another', async () => {
    const given = { isForeign: true, queries: ['carpet living room'] };
    const { asked, texts, isAnswerable } = await shownFor('Der Fan von meinem Apollo II ist zu laut', given);
    expect([asked.length, isAnswerable]).toEqual([1, true]);
    expect(texts).toContain('damped by a carpet');
  });
});
