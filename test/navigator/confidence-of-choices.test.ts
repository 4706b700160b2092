import { describe, expect, it } from 'vitest';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { answerQuestion } from '../../src/navigator/answer-question.ts';
import { answerWithModel } from '../../src/navigator/answer-with-model.ts';
import { chunkAtHand } from '../../src/search/chunks-at-hand.ts';
import { searchEdition } from '../../src/search/search-edition.ts';
import { openSampleKb } from './sample-kb.ts';
import { scriptedModel } from './scripted-model.ts';

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

/** States a line of the passage that `choose` picks. */
const citing = (choose: (passages: { section: string; text: string; passage: string }[]) => unknown) =>
  scriptedModel(({ given }) => {
    const chosen = choose(given.passages) as { passage: string; text: string } | undefined;
    const text = chosen?.text.split('\n').find((line) => line.length > 30 && !/^[|#`>]/.test(line)) ?? 'x';
    const statements = [{ passages: [chosen?.passage ?? 'p1'], text: text.slice(0, 400) }];
    return { text: JSON.stringify({ citations: [], statements, verdict: 'answer', confidence: 'high' }) };
  });

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

  it('of a model that cites another passage than the one that means the same is low', async () => {
    const question = 'kaboodle refundability?';
    const ai = citing((passages) => passages.find(({ section }) => section === 'Customs'));
    const outcome = near(question, RETURNS);
    const { response, account } = await answerWithModel(edition, question, { ai, outcome, timeLeftMs: 5000 });
    expect([account.answeredBy, response.confidence]).toEqual(['model', 'low']);
  });

  it('is raised by no choice of passages above that of the quotes', async () => {
    let answered = 0;
    for (const question of [
      'How long before I can spend the coins of a block I found solo?',
      'Which UPS should I buy for my Apollo III?',
      'Which USB dongle do I need to run the first Apollo wirelessly?',
      'May I return a device?',
    ]) {
      const quotes = answerFromEdition(edition, question);
      for (const place of [0, 1, 2, 3, 4, 5]) {
        const ai = citing((passages) => passages[place]);
        const { answer, metadata } = await answerQuestion(edition, question, { ai, timeLeftMs: () => 5000 });
        if (metadata.answered_by !== 'model') continue;
        answered += 1;
        expect(answer.probability).toBeLessThanOrEqual(quotes.probability + 1e-9);
      }
    }
    expect(answered).toBeGreaterThan(5);
  });
});
