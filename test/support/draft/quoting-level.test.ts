import { describe, expect, it } from 'vitest';
import { atQuotingLevel, coveredBy } from '../../../src/support/draft/quoting-level.ts';
import { knowledgeOf, passage } from './tickets.ts';

const found = (relevance: number) => ({
  ...knowledgeOf({ ...ROW, relevance }),
  coverage: relevance >= 0.8 ? ('high' as const) : relevance >= 0.7 ? ('medium' as const) : ('none' as const),
});
const ROW = passage('| `F07` | the filter is blocked |');
const answer = { passages: [ROW], hasPromptInjection: false };

describe('atQuotingLevel()', () => {
  it.each([
    ['a sure source', 0.9, 'What is it?', 1, 'high'],
    ['a source that is just sure enough', 0.7, 'What is it?', 1, 'medium'],
    ['no unsure source', 0.69, 'What is it?', 0, 'none'],
    ['an unsure source with the code of the message', 0.2, 'What about F07?', 1, 'medium'],
    ['no unsure source with another code', 0.2, 'What about F08?', 0, 'none'],
    ['no unsure source for a number', 0.2, 'Is it fine at 07 degrees?', 0, 'none'],
  ])('quotes %s', (_, relevance, question, quoted, coverage) => {
    const level = atQuotingLevel({ found: found(relevance), answer }, question);
    expect([level.answer.passages.length, level.found.coverage]).toEqual([quoted, coverage]);
    if (quoted > 0) expect(level.found.sources_consulted[0]?.relevance_score).toBeGreaterThanOrEqual(0.7);
  });
  it('changes nothing where nothing is quoted', () => {
    const given = { found: found(0.2), answer: { ...answer, passages: [] } };
    expect(atQuotingLevel(given, 'What about F07?')).toEqual(given);
  });
});

it('coveredBy() counts the sources of a model that is sure as sources that answer', () => {
  const { coverage, sources_consulted: sources } = coveredBy(found(0.3), [ROW]);
  expect([coverage, sources[0]?.relevance_score]).toEqual(['medium', 0.7]);
  expect(coveredBy(found(0.3), []).sources_consulted[0]?.relevance_score).toBe(0.3);
  expect(coveredBy(found(0.9), [ROW]).coverage).toBe('high');
});
