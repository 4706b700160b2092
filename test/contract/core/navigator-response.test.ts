import { expect, it } from 'vitest';
import { confidenceOf, levelOf } from '../../../src/contract/core/confidence-level.ts';
import {
  LACK_IN_LANGUAGE,
  statesLackOfInformation,
} from '../../../src/contract/core/lack-of-information.ts';
import { isMeaningfulReason } from '../../../src/contract/core/navigator-response.ts';
import SENTENCES from './sentences.json' with { type: 'json' };

it.each(SENTENCES.meaningful)('accepts as the reason of a confidence: %s', (reason) => {
  expect(isMeaningfulReason(reason)).toBe(true);
});
it.each(SENTENCES.vague)('finds too vague as the reason of a confidence: %s', (reason) => {
  expect(isMeaningfulReason(reason)).toBe(false);
});
it.each([
  ...SENTENCES.lack,
  ...Object.values(LACK_IN_LANGUAGE).flatMap((lacks) => Object.values(lacks)),
])('recognises a lack of information: %s', (answer) => {
  expect(statesLackOfInformation(answer)).toBe(true);
});
it.each(SENTENCES.noLack)('recognises no lack of information: %s', (answer) => {
  expect(statesLackOfInformation(answer)).toBe(false);
});
it('divides confidence into levels at 0.8 and 0.6, and converts a level to a number and back', () => {
  const levels = ['high', 'high', 'medium', 'medium', 'low', 'low', 'low'] as const;
  expect([1, 0.8, 0.79, 0.6, 0.59, 0, Number.NaN].map(levelOf)).toEqual(levels);
  for (const level of levels) expect(levelOf(confidenceOf(level))).toBe(level);
});
