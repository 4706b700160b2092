import { describe, expect, it } from 'vitest';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';
import { searchEdition } from '../../src/search/search-edition.ts';
import { openSmallKb } from './small-kb.ts';

const { edition: EDITION, knowledge } = openSmallKb();

/** Paraphrases "How often" of care/descale.md without a common word. */
const PARAPHRASE = 'Calcium deposits removal interval?';

/** "How often are calcium deposits to be removed?" */
const GERMAN = 'Wie oft muss der Kalk aus dem Kessel entfernt werden?';

const outcomeWith = (similarity: number, question = PARAPHRASE) => {
  const chunk = Array.from({ length: EDITION.chunkCount }, (_, at) => EDITION.chunk(at)).findIndex(
    ({ headingPath }) => headingPath.at(-1) === 'How often',
  );
  const near = [
    { chunk, similarity },
    { chunk: (chunk + 3) % EDITION.chunkCount, similarity: 0.1 },
  ];
  return searchEdition(EDITION, question, { limit: 10 }, { model: 'text-embedding-3-small', near });
};

describe('answerFromEdition() with embeddings', () => {
  it('quotes a passage of the same meaning without a common word', () => {
    const { response, verdict } = answerFromEdition(EDITION, PARAPHRASE, { outcome: outcomeWith(0.7) });
    expect(verdict).toBe('answer');
    expect(response.sources).toContainEqual(expect.objectContaining({ file: 'care/descale.md', section: 'How often' }));
    expect(response.answer).toContain('Descale the boiler every 60 days');
    expect(validateNavigatorResponse(response, knowledge, { query: PARAPHRASE })).toEqual([]);
  });

  it('answers a question in another language in the language of the articles', () => {
    const near = answerFromEdition(EDITION, GERMAN, { outcome: outcomeWith(0.7, GERMAN) });
    expect(near.verdict).toBe('answer');
    expect(near.response.answer).toContain('Descale the boiler every 60 days');
    const far = answerFromEdition(EDITION, GERMAN, { outcome: outcomeWith(0.2, GERMAN) });
    expect(far.response.answer).toMatch(/^Unsere Artikel gibt es nur auf Englisch/);
  });

  it('does not treat the cosine of word vectors as text similarity', () => {
    const outcome = { ...outcomeWith(0.99), model: 'static-words-2' };
    expect(answerFromEdition(EDITION, PARAPHRASE, { outcome }).verdict).not.toBe('answer');
  });
  it('declines when no passage is similar', () => {
    const { verdict } = answerFromEdition(EDITION, PARAPHRASE, { outcome: outcomeWith(0.2) });
    expect(verdict).not.toBe('answer');
  });
});
