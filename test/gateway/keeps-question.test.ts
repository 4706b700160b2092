import { describe, expect, it } from 'vitest';
import { keepsQuestion } from '../../src/gateway/understand-question.ts';
import rewritten from './rewritten-questions.json' with { type: 'json' };

const before = {
  questions: [
    'What does E31 mean on the Apollo II?',
    'Why does the Apollo III not hash?',
    'Does shipping from Canada to the US take 10 days?',
  ],
  answers: [
    'E31: overheating. Lightning damage is covered. Restart the miner, opening the case is not needed. Port 8080 and port 1 are right.',
  ],
};

describe('keepsQuestion()', () => {
  it.each(rewritten.kept)('accepts for $question $written', ({ question, written }) => {
    expect(keepsQuestion(written, question, before)).toBe(true);
  });

  it.each(rewritten.changed)('refuses for $question $written', ({ question, written }) => {
    expect(keepsQuestion(written, question, before)).toBe(false);
  });
});
