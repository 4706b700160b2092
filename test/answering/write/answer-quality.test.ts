import { describe, expect, it } from 'vitest';
import { findAnswer } from '../../../src/answering/passages/find-answer.ts';
import { otherReadings } from '../../../src/answering/write/alternatives.ts';
import { answerFromEdition } from '../../../src/answering/write/answer-from-edition.ts';
import { answerPhrases } from '../../../src/answering/write/answer-phrases.ts';
import type { Comparison } from '../../../src/answering/write/compare-sources.ts';
import { validateNavigatorResponse } from '../../../src/answering/write/validate-navigator-response.ts';
import { NavigatorResponse } from '../../../src/contract/core/navigator-response.ts';
import { cachedChunk } from '../../../src/knowledge/edition/open-edition.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import {
  answerQuestion,
  type QuestionOptions,
} from '../../../src/librarians/navigator/answer-question.ts';
import { editionOf, filler } from '../check/articles-for-test.ts';
import { knowledgeIn } from './knowledge-in.ts';
import { replyOf, scriptedModel } from './scripted-model.ts';

const FIRST = 'The factory setting of the brewing temperature is 92 degrees.';
const LONG = filler(
  'Water that is too hot burns the ground beans, and too cold water leaves them sour.',
  1200,
);
const BRUSH = 'Brush the burrs of the grinder once a week.';
const edition = editionOf(
  {
    id: 'brewing.md',
    title: 'Brewing temperature',
    text: `# Factory setting\n\n${FIRST}\n\n${LONG}`,
  },
  {
    id: 'settings.md',
    title: 'Settings of the machine',
    text: `# Values\n\n${FIRST.replace('92', '94')}`,
  },
  { id: 'cleaning.md', title: 'Cleaning the grinder', text: `# Grinder\n\n${BRUSH}` },
);
const knowledge = knowledgeIn(edition);
const QUESTION = 'What is the factory setting of the brewing temperature?';
const BURRS = 'How often are the burrs of the grinder brushed?';

/** The reply of a model that states these texts and quotes one sentence. */
const withModel = async (
  question: string,
  quote: string,
  stated = [quote],
  options: Partial<QuestionOptions> = {},
) => {
  const ai = scriptedModel(replyOf(stated.map((text) => ({ text, quote, from: quote }))));
  const { answer, metadata } = await answerQuestion(edition, question, {
    ai,
    timeLeftMs: () => 5000,
    ...options,
  });
  return { response: answer.response, frame: answer.frame, metadata };
};

describe('alternative answers', () => {
  it('quote another source that contradicts the answer of a model', async () => {
    const { alternatives, confidence, quality } = (await withModel(QUESTION, FIRST)).response;
    expect(alternatives).toMatchObject([
      {
        kind: 'conflict',
        sources: [{ file: 'settings.md', section: 'Values' }],
        answer: expect.stringContaining('is 94 degrees.'),
        reason: expect.stringContaining('94 instead of 92'),
      },
    ]);
    expect([confidence, quality?.agreement]).toEqual(['low', 'conflict']);
  });
  it('are absent when no article contradicts', async () => {
    const { response } = await withModel('How often are the burrs brushed?', BRUSH);
    expect(response.answer).toContain('once a week');
    for (const each of [response, answerFromEdition(edition, BURRS).response])
      expect(each).not.toHaveProperty('alternatives');
  });
  it('are at most two, and validated like answers', async () => {
    const { response, frame } = await withModel(QUESTION, FIRST);
    const [other] = response.alternatives!;
    expect(NavigatorResponse.safeParse(response).success).toBe(true);
    expect(
      NavigatorResponse.safeParse({ ...response, alternatives: [other, other, other] }).success,
    ).toBe(false);
    expect(validateNavigatorResponse(response, knowledge, { frame })).toEqual([]);
    const altered = {
      ...response,
      alternatives: [{ ...other!, answer: other!.answer.replace('94', '95') }],
    };
    const violation = expect.objectContaining({ rule: 'number-in-source', alternative: 0 });
    expect(validateNavigatorResponse(altered, knowledge, { frame })).toContainEqual(violation);
  });
  it('include an article that fits almost as well and is not shown, unless it states the same', () => {
    const searches = [searchEdition(edition, QUESTION, { limit: 50 })];
    const result = findAnswer(edition, QUESTION, { searches });
    const passageOf = (id: string) => result.units.find(({ source }) => source.id === id)!;
    const [brewing, settings] = ['brewing.md', 'settings.md'].map(passageOf);
    const chunk = cachedChunk(edition, settings!.source.firstChunk);
    const agreement = {
      verdict: 'agrees' as const,
      difference: '',
      citation: '',
      place: { chunk, start: 0, end: 9 },
    };
    const readings = (share: number, comparisons: Comparison[] = []) =>
      otherReadings(
        {
          ...result,
          probability: 0.8,
          passages: [brewing!],
          articles: [
            { source: brewing!.source, share: 0.6 },
            { source: settings!.source, share: 0.6 * share },
          ],
        },
        { comparisons, edition, probability: 0.8, phrases: answerPhrases('en') },
      );
    expect(readings(0.75)).toMatchObject([
      {
        alternative: {
          kind: 'other_reading',
          probability: 0.6,
          confidence: 'medium',
          answer: expect.stringContaining('From “Settings of the machine”:'),
          sources: [{ file: 'settings.md', section: 'Values' }],
        },
      },
    ]);
    expect(readings(0.6)).toEqual([]);
    expect(readings(0.75, [agreement])).toEqual([]);
  });
});

describe('the quality of an answer', () => {
  it('says that another source contradicts it, as the confidence does', async () => {
    const { confidence, confidenceReason, quality } = (await withModel(QUESTION, FIRST)).response;
    expect([confidence, quality?.agreement]).toEqual(['low', 'conflict']);
    expect(quality?.factors).toContainEqual(
      expect.objectContaining({ name: 'conflict', effect: 'limits' }),
    );
    expect(confidenceReason).toContain('Values: 94 instead of 92');
  });
  it('states the quoted share, the number of articles, and the factors of the confidence', () => {
    const { quality, confidenceReason, sources } = answerFromEdition(edition, QUESTION).response;
    expect(quality).toMatchObject({ statements: expect.any(Number), supported: 1, quoted: 1 });
    expect(quality?.sources).toBe(new Set(sources.map(({ file }) => file)).size);
    expect(quality?.factors.map(({ name }) => name)).toContain('calibration');
    for (const { explanation } of quality?.factors ?? [])
      expect(confidenceReason).toContain(explanation);
  });
  it.each([
    ['removed', [FIRST, 'The machine weighs 17 kilograms.'], { supported: 0.5, quoted: 1 }],
    [
      'paraphrased',
      ['The brewing temperature has a factory setting of 92 degrees.'],
      { supported: 1, quoted: 0 },
    ],
  ])('counts %s statements of a model', async (what, stated, counts) => {
    const { quality } = (await withModel(QUESTION, FIRST, stated)).response;
    expect(quality).toMatchObject({ statements: 1, ...counts });
    expect(quality?.factors.some(({ name }) => name === 'removed')).toBe(what === 'removed');
  });
  it('is absent when there is no answer', () => {
    expect(answerFromEdition(edition, 'Who won the cup in 1966?').response).not.toHaveProperty(
      'quality',
    );
  });
});
