import { expect, it } from 'vitest';
import { answerFromEdition } from '../../../src/answering/write/answer-from-edition.ts';
import { validateNavigatorResponse } from '../../../src/answering/write/validate-navigator-response.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import { openSmallKb } from './small-kb.ts';

const { edition, knowledge } = openSmallKb();
/** Paraphrases "How often" of care/descale.md without a common word, in English and in German. */
const PARAPHRASE = 'Calcium deposits removal interval?';
const GERMAN = 'Wie oft muss der Kalk aus dem Kessel entfernt werden?';

/** The answer when the embedding of that section has this similarity to the question. */
const answerAt = (similarity: number, question: string, model = 'text-embedding-3-small') => {
  const chunks = Array.from({ length: edition.chunkCount }, (_, at) => edition.chunk(at));
  const chunk = chunks.findIndex(({ headingPath }) => headingPath.at(-1) === 'How often');
  const other = { chunk: (chunk + 3) % edition.chunkCount, similarity: 0.1 };
  const search = { model: 'text-embedding-3-small', near: [{ chunk, similarity }, other] };
  const outcome = { ...searchEdition(edition, question, { limit: 10 }, search), model };
  return answerFromEdition(edition, question, { outcome });
};

it.each([
  [0.7, PARAPHRASE],
  [0.7, GERMAN],
  [0.4, PARAPHRASE],
])(
  'quotes a passage of the same meaning, in another language as well: %d, %s',
  (similarity, question) => {
    const { response, verdict, frame } = answerAt(similarity, question);
    expect(verdict).toBe('answer');
    expect(response.sources).toContainEqual(
      expect.objectContaining({ file: 'care/descale.md', section: 'How often' }),
    );
    expect(response.answer).toContain('Descale the boiler every 60 days');
    expect(validateNavigatorResponse(response, knowledge, { query: question, frame })).toEqual([]);
  },
);
it.each([
  ['when no passage is similar', 0.2, PARAPHRASE, undefined, /^I don't have/],
  [
    'in the language of the question',
    0.2,
    GERMAN,
    undefined,
    /^Unsere Artikel gibt es nur auf Englisch/,
  ],
  ['when only word vectors are as similar', 0.4, PARAPHRASE, 'static-words-2', /^I don't have/],
])('declines %s', (_when, similarity, question, model, opening) => {
  const { verdict, response } = answerAt(similarity, question, model);
  expect(verdict).not.toBe('answer');
  expect(response.answer).toMatch(opening);
});
