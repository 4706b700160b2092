import { describe, expect, it } from 'vitest';
import { type AnswerType, answerTypeOf, offersType } from '../../src/grounding/answer-type.ts';

describe('answerTypeOf()', () => {
  const CASES: [string, AnswerType | undefined][] = [
    ['Who built the bridge?', 'person'],
    ['When was the bridge built?', 'time'],
    ['In what year was it built?', 'time'],
    ['How many arches does it have?', 'number'],
    ['How long does the battery last?', 'number'],
    ['Where is the bridge?', 'place'],
    ['Which country is it in?', 'place'],
    ['Why was it built?', 'reason'],
    ['How do I cross the bridge?', undefined],
    ['What is a bridge?', undefined],
  ];
  it.each(CASES)('reads %j as a question for %s', (question, type) => {
    expect(answerTypeOf(question)).toBe(type);
  });
});

describe('offersType()', () => {
  const known = new Set(['bridge', 'anna']);
  const isKnown = (word: string) => known.has(word.toLowerCase());
  const CASES: [AnswerType, string, boolean][] = [
    ['person', 'The bridge was built by Otto Klein.', true],
    ['person', 'The bridge was built by Anna.', false],
    ['person', 'The bridge is old.', false],
    ['time', 'It was built in 1962.', true],
    ['time', 'It was built quickly.', false],
    ['number', 'It has seven arches.', true],
    ['number', 'It has arches.', false],
    ['place', 'It stands near Bern.', true],
    ['place', 'It stands near the river.', false],
    ['reason', 'It was built because the ferry sank.', true],
    ['reason', 'It was built of stone.', false],
  ];
  it.each(CASES)('%s: %j is %s', (type, sentence, offers) => {
    expect(offersType(type, sentence, isKnown)).toBe(offers);
  });
});
