import { describe, expect, it } from 'vitest';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';
import { searchEdition } from '../../src/search/search-edition.ts';
import { openSmallKb } from './small-kb.ts';

const { edition: EDITION, knowledge } = openSmallKb();

/** Says what "How often" of care/descale.md says, and shares no word with any article. */
const PARAPHRASE = 'Calcium deposits removal interval?';

const outcomeWith = (similarity: number) => {
  const chunk = Array.from({ length: EDITION.chunkCount }, (_, at) => EDITION.chunk(at)).findIndex(
    ({ headingPath }) => headingPath.at(-1) === 'How often',
  );
  const near = [
    { chunk, similarity },
    { chunk: (chunk + 3) % EDITION.chunkCount, similarity: 0.1 },
  ];
  return searchEdition(EDITION, PARAPHRASE, { limit: 10 }, { model: 'text-embedding-3-small', near });
};

describe('answerFromEdition() with meanings compared', () => {
  it('quotes a passage that means the same and shares no word', () => {
    const { response, verdict } = answerFromEdition(EDITION, PARAPHRASE, { outcome: outcomeWith(0.7) });
    expect(verdict).toBe('answer');
    expect(response.sources[0]).toMatchObject({ file: 'care/descale.md', section: 'How often' });
    expect(response.answer).toContain('Descale the boiler every 60 days');
    expect(validateNavigatorResponse(response, knowledge, { query: PARAPHRASE })).toEqual([]);
  });

  it('declines as before where nothing is near', () => {
    const { verdict } = answerFromEdition(EDITION, PARAPHRASE, { outcome: outcomeWith(0.2) });
    expect(verdict).not.toBe('answer');
  });
});
