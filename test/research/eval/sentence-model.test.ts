import { describe, expect, it } from 'vitest';
import { sentenceModel } from '../../../research/eval/sentence-model.ts';
import { cosine } from '../../knowledge/vectors-for-test.ts';

describe('sentenceModel()', () => {
  const model = sentenceModel();

  it('ranks a paraphrase above a sentence that shares words and means something else', async () => {
    const [question = [], paraphrase = [], other = []] = await model.embedBatch([
      'How do I get a new password?',
      'I cannot remember my login and need to reset it',
      'How do I get a new kitchen table?',
    ]);
    expect(question).toHaveLength(model.dimensions);
    expect(cosine(question, paraphrase)).toBeGreaterThan(cosine(question, other));
  });
  it('gives a text the same vector in any batch', async () => {
    const alone = await model.embed('The fan is loud');
    const [, beside = []] = await model.embedBatch([
      'A much longer text about something else entirely',
      'The fan is loud',
    ]);
    expect(cosine(alone, beside)).toBeCloseTo(1, 5);
  });
  it('can be aborted', async () => {
    await expect(
      model.embed('The fan is loud', { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      reason: 'aborted',
    });
  });
});
