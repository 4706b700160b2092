import { describe, expect, it } from 'vitest';
import { keepsQuestion } from '../../src/gateway/understand-question.ts';

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

const KEPT: [question: string, written: string][] = [
  ['and on the Apollo III?', 'What does E31 mean on the Apollo III?'],
  ['Should I not restart it?', 'Should I not restart the Apollo III?'],
  ["Shouldn't I restart it?", 'Should I not restart the miner?'],
  ['How do I avoid it without opening the case?', 'How do I avoid overheating without opening the case?'],
  ['is port 8080 right for it?', 'Is port 8080 right for the Apollo II?'],
  ['What about the Apollo II?', 'Why does the Apollo II not hash?'],
  ['and from Canada?', 'Does shipping from Canada take 10 days?'],
  ['Is it covered too?', 'Is lightning damage covered?'],
  ['does Zephyr hash too?', 'Does Zephyr hash?'],
  ['ok, and why?', 'Why does the Apollo III not hash?'],
];

const TURNED: [question: string, written: string][] = [
  ['does Zephyr hash too?', 'does Apollo III hash too?'],
  ['Zephyr too?', 'Does Apollo III hash?'],
  ['is port 8080 right for it?', 'Is port right for the Apollo II?'],
  ['is port 8080 right for it?', 'Is port right for port 1?'],
  ['does it take 10 days?', 'Does shipping take 1 days?'],
  ['should I not restart it?', 'Should I restart the Apollo III?'],
  ["shouldn't I restart it?", 'Should I restart the Apollo III?'],
  ['should I restart it?', 'Should I not restart the Apollo III?'],
  ['does the Apollo II hash?', 'Why does the Apollo II not hash?'],
  ['how do I avoid it without opening the case?', 'How do I avoid overheating?'],
  ['how do I avoid it without opening the case?', 'Without opening how do I avoid the case?'],
  ['and when it is not covered?', 'When is lightning damage covered?'],
  ['is E40 the same?', 'Is E31 the same on the Apollo II?'],
  ['and on the Apollo II?', 'Why does the Apollo III not hash E31 and II?'],
  ['on Apollo III too?', 'What does E31 mean on III?'],
  ['does it ship to the US?', 'Does shipping take us?'],
  ['why does it restart?', 'How does the Apollo III restart?'],
  ['should I restart it?', 'Can I restart the miner?'],
  ['is it covered if I restart it?', 'Is lightning damage covered, restart?'],
  ['is shipping covered, or lightning?', 'Is lightning or shipping covered?'],
  ['How do I reset it?', 'What does E31 mean?'],
  ['is it safe?', 'Is the wallet of the Apollo II safe?'],
];

describe('keepsQuestion()', () => {
  it.each(KEPT)('takes for %j %j', (question, written) => {
    expect(keepsQuestion(written, question, before)).toBe(true);
  });

  it.each(TURNED)('refuses for %j %j', (question, written) => {
    expect(keepsQuestion(written, question, before)).toBe(false);
  });
});
