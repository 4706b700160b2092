import { describe, expect, it } from 'vitest';
import { openFolder } from '../../research/eval/answer-bases.ts';
import type { Edition } from '../../src/knowledge/edition/open-edition.ts';
import { createRetriever } from '../../src/knowledge/search/retrieve.ts';
import { answerQuestion } from '../../src/librarians/navigator/answer-question.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { SAMPLE_KNOWLEDGE_BASE } from '../../tools/sample/files.ts';
import { openSmallKb } from '../answering/write/small-kb.ts';
import followUps from './follow-ups.json' with { type: 'json' };
import library from './library-de.json' with { type: 'json' };
import standalone from './standalone.json' with { type: 'json' };

const wordVectors = shippedWordVectors;
const retrieve = createRetriever({ wordVectors });
const LIBRARY = library.map((article) => ({
  ...article,
  url: `https://bib.example/${article.id}`,
  devices: [],
  intents: [],
  lastUpdated: '2026-01-01T00:00:00Z',
}));
const BASES: Record<string, Edition> = {
  sample: openFolder('sample', SAMPLE_KNOWLEDGE_BASE).edition,
  machine: openSmallKb().edition,
  library: openSmallKb(LIBRARY).edition,
};

type Turn = { speaker: 'user' | 'assistant'; text: string };
const ask = async (base: string, question: string, history: readonly Turn[] = []) => {
  const edition = BASES[base]!;
  const { answer } = await answerQuestion(edition, question, {
    history,
    retrieve,
    wordVectors,
    timeLeftMs: () => 5000,
  });
  const { probability, response, closest } = answer;
  return {
    probability,
    first: response.sources[0]?.file ?? closest[0]?.file,
    text: response.answer,
  };
};
const turnsOf = async (base: string, question: string): Promise<Turn[]> => [
  { speaker: 'user', text: question },
  { speaker: 'assistant', text: (await ask(base, question)).text },
];

describe.each(Object.entries(standalone))('in a conversation about the %s', (base, questions) => {
  it.each(questions)(
    'answers %j as when it is asked alone, whatever was asked before',
    async (question) => {
      const alone = await ask(base, question);
      for (const before of questions)
        expect(await ask(base, question, await turnsOf(base, before))).toEqual(alone);
    },
  );
});

describe('a follow-up', () => {
  it.each(followUps)(
    '$question after $before is about the same subject, and not surer than in full',
    async (given) => {
      const { base, before, question, full, article, isMissed = false } = given;
      const [answer, inFull] = [
        await ask(base, question, await turnsOf(base, before)),
        await ask(base, full),
      ];
      expect(answer.probability).toBeLessThanOrEqual(inFull.probability);
      // In few words, the search finds another article even with the question before.
      if (!isMissed) expect(answer.first).toContain(article.replace(/\.md$/, ''));
    },
  );
  it('is answered from the right article 62 times of 65', () => {
    expect(followUps.filter(({ isMissed }) => isMissed === true).length).toBeLessThanOrEqual(3);
    expect(followUps).toHaveLength(65);
  });
});
