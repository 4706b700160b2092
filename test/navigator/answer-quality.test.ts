import { describe, expect, it } from 'vitest';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { answerQuestion, type QuestionOptions } from '../../src/navigator/answer-question.ts';
import { editionOf, filler } from '../grounding/articles-for-test.ts';
import { replyOf, scriptedModel } from './scripted-model.ts';

const FIRST = 'The factory setting of the brewing temperature is 92 degrees.';
const LONG = filler('Water that is too hot burns the ground beans, and too cold water leaves them sour.', 1200);
const BRUSH = 'Brush the burrs of the grinder once a week.';
const edition = editionOf(
  { id: 'brewing.md', title: 'Brewing temperature', text: `# Factory setting\n\n${FIRST}\n\n${LONG}` },
  { id: 'settings.md', title: 'Settings of the machine', text: `# Values\n\n${FIRST.replace('92', '94')}` },
  { id: 'cleaning.md', title: 'Cleaning the grinder', text: `# Grinder\n\n${BRUSH}` },
);
const QUESTION = 'What is the factory setting of the brewing temperature?';

/** The reply of a model that states these texts and quotes one sentence. */
const withModel = async (question: string, quote: string, stated = [quote], options: Partial<QuestionOptions> = {}) => {
  const ai = scriptedModel(replyOf(stated.map((text) => ({ text, quote, from: quote }))));
  const { answer, metadata } = await answerQuestion(edition, question, { ai, timeLeftMs: () => 5000, ...options });
  return { response: answer.response, metadata };
};

describe('the quality of an answer', () => {
  it('says that another source contradicts it, as the confidence does', async () => {
    const { confidence, confidenceReason, quality } = (await withModel(QUESTION, FIRST)).response;
    expect([confidence, quality?.agreement]).toEqual(['low', 'conflict']);
    expect(quality?.factors).toContainEqual(expect.objectContaining({ name: 'conflict', effect: 'limits' }));
    expect(confidenceReason).toContain('Values: 94 instead of 92');
  });
  it('states the quoted share, the number of articles, and the factors of the confidence', () => {
    const { quality, confidenceReason, sources } = answerFromEdition(edition, QUESTION).response;
    expect(quality).toMatchObject({ statements: expect.any(Number), supported: 1, quoted: 1 });
    expect(quality?.sources).toBe(new Set(sources.map(({ file }) => file)).size);
    expect(quality?.factors.map(({ name }) => name)).toContain('calibration');
    for (const { explanation } of quality?.factors ?? []) expect(confidenceReason).toContain(explanation);
  });
  it.each([
    ['removed', [FIRST, 'The machine weighs 17 kilograms.'], { supported: 0.5, quoted: 1 }],
    ['paraphrased', ['The brewing temperature has a factory setting of 92 degrees.'], { supported: 1, quoted: 0 }],
  ])('counts %s statements of a model', async (what, stated, counts) => {
    const { quality } = (await withModel(QUESTION, FIRST, stated)).response;
    expect(quality).toMatchObject({ statements: 1, ...counts });
    expect(quality?.factors.some(({ name }) => name === 'removed')).toBe(what === 'removed');
  });
  it('is absent when there is no answer', () => {
    expect(answerFromEdition(edition, 'Who won the cup in 1966?').response).not.toHaveProperty('quality');
  });
});
