import { expect, it } from 'vitest';
import { coverageOf } from '../../../src/support/retrieval/knowledge.ts';

it.each([
  [1, 'high'],
  [0.8, 'high'],
  [0.7999, 'medium'],
  [0.7, 'medium'],
  [0.6999, 'low'],
  [0.4, 'low'],
  [0.3999, 'none'],
  [0, 'none'],
])('coverageOf(%d) is %s', (best, coverage) => expect(coverageOf(best)).toBe(coverage));
