import { describe, expect, it } from 'vitest';
import { NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { findAnswer } from '../../src/grounding/find-answer.ts';
import { excerptsOf } from '../../src/grounding/render-passage.ts';
import { alternativesOf } from '../../src/navigator/alternatives.ts';
import { answerFromEdition, knowledgeIn } from '../../src/navigator/answer-from-edition.ts';
import { answerQuestion } from '../../src/navigator/answer-question.ts';
import { validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';
import { searchEdition } from '../../src/search/search-edition.ts';
import { editionOf } from '../grounding/articles-for-test.ts';
import { replyOf, scriptedModel } from './scripted-model.ts';

const LONG = 'Water that is too hot burns the ground beans, and water that is too cold leaves them sour. '.repeat(14);
const edition = editionOf(
  {
    id: 'brewing.md',
    title: 'Brewing temperature',
    text: `# Factory setting\n\nThe factory setting of the brewing temperature is 92 degrees.\n\n${LONG}`,
  },
  {
    id: 'settings.md',
    title: 'Settings of the machine',
    text: '# Values\n\nThe factory setting of the brewing temperature is 94 degrees.',
  },
  {
    id: 'cleaning.md',
    title: 'Cleaning the grinder',
    text: '# Grinder\n\nBrush the burrs of the grinder once a week.',
  },
);
const QUESTION = 'What is the factory setting of the brewing temperature?';
const FIRST = 'The factory setting of the brewing temperature is 92 degrees.';
const withModel = async (question: string, quote: string) => {
  const ai = scriptedModel(replyOf([{ text: quote, quote, from: quote }]));
  return (await answerQuestion(edition, question, { ai, timeLeftMs: () => 5000 })).answer.response;
};

describe('alternative answers', () => {
  it('quote another source that contradicts the answer of a model', async () => {
    const { alternatives = [], confidence, quality } = await withModel(QUESTION, FIRST);
    const [other] = alternatives;
    expect(alternatives.length).toBe(1);
    expect(other).toMatchObject({ kind: 'conflict', sources: [{ file: 'settings.md', section: 'Values' }] });
    expect(other?.answer).toContain('is 94 degrees.');
    expect(other?.reason).toContain('94 instead of 92');
    expect(confidence).toBe('low');
    expect(quality).toMatchObject({ agreement: 'conflict' });
    expect(quality?.factors).toContainEqual(expect.objectContaining({ name: 'conflict', effect: 'limits' }));
  });

  it('are absent when no article contradicts', async () => {
    const response = await withModel('How often are the burrs brushed?', 'Brush the burrs of the grinder once a week.');
    expect(response.answer).toContain('once a week');
    expect(response).not.toHaveProperty('alternatives');
    expect(answerFromEdition(edition, 'How often are the burrs of the grinder brushed?').response).not.toHaveProperty(
      'alternatives',
    );
  });

  it('are validated like answers, and dropped when they break a rule', async () => {
    const response = await withModel(QUESTION, FIRST);
    const knowledge = knowledgeIn(edition);
    expect(NavigatorResponse.safeParse(response).success).toBe(true);
    expect(validateNavigatorResponse(response, knowledge)).toEqual([]);
    const [other] = response.alternatives ?? [];
    const altered = { ...response, alternatives: [{ ...other!, answer: other!.answer.replace('94', '95') }] };
    expect(validateNavigatorResponse(altered, knowledge)).toContainEqual(
      expect.objectContaining({ rule: 'number-in-source', alternative: 0 }),
    );
    const ai = scriptedModel(replyOf([{ text: FIRST, quote: FIRST, from: FIRST }]));
    const { answer, metadata } = await answerQuestion(edition, QUESTION, {
      ...{ ai, timeLeftMs: () => 5000 },
      knowledge: { ...knowledge, article: (id) => (id === 'settings.md' ? undefined : knowledge.article(id)) },
    });
    expect(answer.response.answer).toContain('92 degrees');
    expect(answer.response).not.toHaveProperty('alternatives');
    expect(metadata.violations).toContainEqual({ rule: 'file-exists', outcome: 'dropped' });
  });

  it('include another article that fits almost as well, but not one that fits by chance', () => {
    const found = findAnswer(edition, QUESTION, {
      searches: [searchEdition(edition, QUESTION, { limit: 50 })],
      room: 10_000,
    });
    const passageIn = (id: string) => found.passages.find(({ source }) => source.id === id)!;
    const readings = (share: number, probability: number, other = passageIn('settings.md')) =>
      alternativesOf({
        ...{ edition: 'e1', probability, sources: [], comparisons: [] },
        readings: {
          found: {
            ...{ ...found, probability },
            passages: [{ ...passageIn('brewing.md'), share: 0.8 }],
            others: [{ ...other, share: 0.8 * share }],
          },
          quotesIn: ([passage]) => {
            const [excerpt] = excerptsOf(edition, passage!.unit);
            const text = excerpt!.chunk.text.slice(excerpt!.start, excerpt!.end);
            return [{ ...excerpt!, text, article: passage!.source, relevance: 0.5, matched: [] }];
          },
        },
      });
    const [reading] = readings(0.75, 0.8);
    expect(reading).toMatchObject({ kind: 'other_reading', probability: 0.6, confidence: 'medium' });
    expect(reading?.answer).toContain('From “Settings of the machine” (settings.md):');
    expect(reading?.sources).toMatchObject([{ file: 'settings.md', section: 'Values' }]);
    // Too low a share, too low a probability, no words of the question.
    expect(readings(0.4, 0.8)).toEqual([]);
    expect(readings(0.6, 0.2)).toEqual([]);
    const [brush] = findAnswer(edition, 'How often are the burrs of the grinder brushed?', {
      searches: [searchEdition(edition, 'How often are the burrs of the grinder brushed?', {})],
    }).passages;
    expect(readings(0.75, 0.8, brush)).toEqual([]);
  });

  it('have at most two in the schema', async () => {
    const response = await withModel(QUESTION, FIRST);
    const [other] = response.alternatives ?? [];
    expect(NavigatorResponse.safeParse({ ...response, alternatives: [other, other, other] }).success).toBe(false);
  });
});

describe('the quality of an answer', () => {
  it('states the quoted share, the number of articles, and the factors of the confidence', () => {
    const { quality, confidenceReason, sources } = answerFromEdition(edition, QUESTION).response;
    expect(quality).toMatchObject({ statements: expect.any(Number), supported: 1, quoted: 1 });
    expect(quality?.sources).toBe(new Set(sources.map(({ file }) => file)).size);
    expect(quality?.factors.map(({ name }) => name)).toContain('calibration');
    for (const { explanation } of quality?.factors ?? []) expect(confidenceReason).toContain(explanation);
  });

  it('counts removed and paraphrased statements of a model', async () => {
    const ai = scriptedModel(
      replyOf([
        { text: FIRST, quote: FIRST, from: FIRST },
        { text: 'The machine weighs 17 kilograms.', quote: FIRST, from: FIRST },
      ]),
    );
    const { answer } = await answerQuestion(edition, QUESTION, { ai, timeLeftMs: () => 5000 });
    expect(answer.response.quality).toMatchObject({ statements: 1, supported: 0.5, quoted: 1 });
    expect(answer.response.quality?.factors.map(({ name }) => name)).toContain('removed');
    const paraphrased = 'The brewing temperature has a factory setting of 92 degrees.';
    const other = scriptedModel(replyOf([{ text: paraphrased, quote: FIRST, from: FIRST }]));
    const { response } = (await answerQuestion(edition, QUESTION, { ai: other, timeLeftMs: () => 5000 })).answer;
    expect(response.quality).toMatchObject({ statements: 1, supported: 1, quoted: 0 });
  });

  it('is absent when there is no answer', () => {
    expect(answerFromEdition(edition, 'Who won the cup in 1966?').response).not.toHaveProperty('quality');
  });
});
