import { describe, expect, it } from 'vitest';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { chunkAtHand } from '../../src/search/chunks-at-hand.ts';
import { searchEdition } from '../../src/search/search-edition.ts';
import { openSampleKb } from './sample-kb.ts';

const edition = openSampleKb();
const placeOf = (text: string) =>
  Array.from({ length: edition.chunkCount }, (_, at) => at).findIndex((at) =>
    chunkAtHand(edition, at).text.includes(text),
  );
const RETURNS = placeOf('You may return a device within 30 days');

const near = (question: string, chunk: number) =>
  searchEdition(
    edition,
    question,
    { limit: 10 },
    {
      model: 'text-embedding-3-small',
      near: [
        { chunk, similarity: 0.62 },
        { chunk: (chunk + 40) % edition.chunkCount, similarity: 0.3 },
      ],
    },
  );

describe('confidence', () => {
  it('of what means the same is not lent to a quote of another passage', () => {
    const question = 'Is reimbursement possible if I dislike the box?';
    const { response } = answerFromEdition(edition, question, { outcome: near(question, RETURNS) });
    expect(response.sources[0]?.file).toBe('orders/warranty-and-returns.md');
    const other = 'Can I run my Apollo submerged in mineral oil?';
    const far = answerFromEdition(edition, other, { outcome: near(other, placeOf('Hold the fan blades')) });
    if (far.response.confidence === 'high')
      expect(far.response.sources[0]?.file).toBe('hardware/fan-noise-and-temperature.md');
  });
});
