import { expect, it } from 'vitest';
import { subjectOf, withoutKinds } from '../../../src/librarians/semantic/find-documents.ts';
import CASES from './subject-of.json' with { type: 'json' };

const SUBJECTS = [...CASES.subjects, ...CASES.unchanged.map((query) => [query, query])];
it.each(SUBJECTS)('reads %j as a request about %j', (query = '', subject) =>
  expect(subjectOf(query)).toBe(subject),
);

const PIECES = [
  'find all ',
  'documents about ',
  ' ',
  'the of ',
  'a\n',
  'what does the ',
  'what does the a say about ',
];
it.each(PIECES)('reads 4,000 characters of %j without backtracking', (piece) => {
  expect(subjectOf(piece.repeat(4000 / piece.length)).length).toBeLessThanOrEqual(4000);
});
it.each([
  ['our Policy on returns', 'our on returns'],
  ['explain the guide on unicorns', 'the guide on unicorns'],
  ['policies', 'policies'],
])('removes from %j the kind of text when no document uses the word: %j', (query, rest) => {
  expect(withoutKinds(query, (word) => word !== 'guide')).toBe(rest);
});
