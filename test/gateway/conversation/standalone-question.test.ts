import { describe, expect, it } from 'vitest';
import { standaloneQuestion } from '../../../src/gateway/conversation/standalone-question.ts';

const FRAGMENTS: [question: string, previous: string, standalone: string][] = [
  [
    'and on the Apollo II?',
    'How do I update the firmware on the Apollo III?',
    'How do I update the firmware on the Apollo II?',
  ],
  ['And on the Apollo II?', 'How do I reset the Apollo III?', 'How do I reset the Apollo II?'],
  ['What about the Apollo II?', 'How loud is the Apollo III?', 'How loud is the Apollo II?'],
  ['and for last month?', 'What was our revenue this month?', 'What was our revenue last month?'],
  ['on the II?', 'How do I update the firmware on the III?', 'How do I update the firmware on the II?'],
  ['what about returns?', 'How long is the warranty?', 'How long is the warranty for returns?'],
  ['And with Wi-Fi?', 'Can I set it up with Ethernet?', 'Can I set it up with Wi-Fi?'],
  ['ok, and in Canada?', 'How long does shipping take in Germany?', 'How long does shipping take in Canada?'],
  ['ok Apollo II?', 'Where is the reset button of the Apollo III?', 'Where is the reset button of the Apollo II?'],
  ['Apollo II?', 'Where is the reset button of the Apollo III?', 'Where is the reset button of the Apollo II?'],
  ['and without a router?', 'How do I set up the Apollo?', 'How do I set up the Apollo without a router?'],
];

const PRONOUNS: [question: string, previous: string, standalone: string][] = [
  ['How loud is it?', 'What is the hashrate of the Apollo III?', 'How loud is the Apollo III?'],
  ['What is its power draw?', 'How loud is the Apollo II?', "What is the Apollo II's power draw?"],
];

const THEIR_OWN: [question: string, previous: string][] = [
  ['Where is my order?', 'How loud is the Apollo III?'],
  ['Pagination options', 'How many documents can be read at once?'],
  ['How long is the warranty of the Apollo II?', 'How loud is the Apollo III?'],
  ['and how do I update the firmware of the Apollo II?', 'How loud is the Apollo III?'],
  ['Thanks!', 'How loud is the Apollo III?'],
  ['What can you do?', 'How loud is the Apollo III?'],
  ['', 'How loud is the Apollo III?'],
  ['ok great', 'How do I reset my password?'],
  ['Okay, perfect!', 'How do I reset my password?'],
  ['ok thanks a lot', 'How do I reset my password?'],
  ['so helpful', 'How do I reset my password?'],
  ['then fine', 'How do I reset my password?'],
  ['and really nice', 'How do I reset my password?'],
  ['ok lightning', 'How do I reset my password?'],
  ['ok, of course', 'How do I reset my password?'],
  ['so what a pity', 'How do I reset my password?'],
  ['Okay understood, great job', 'How do I reset my password?'],
  ['and on the Apollo II?', ''],
];

describe('standaloneQuestion()', () => {
  for (const [question, previous, standalone] of FRAGMENTS) {
    it(`reads "${question}" behind "${previous}"`, () => {
      expect(standaloneQuestion(question, previous)).toEqual({ text: standalone, from: 'fragment' });
    });
  }
  for (const [question, previous, standalone] of PRONOUNS) {
    it(`reads "${question}" behind "${previous}"`, () => {
      expect(standaloneQuestion(question, previous)).toEqual({ text: standalone, from: 'pronoun' });
    });
  }
  for (const [question, previous] of THEIR_OWN) {
    it(`leaves "${question}" behind "${previous}" as it is`, () => {
      expect(standaloneQuestion(question, previous)).toEqual({ text: question, from: 'as asked' });
    });
  }
  it('looks for a twin only in the beginning of a long question before', () => {
    const previous = `${'How do I set up the pool and the node? '.repeat(20)}What about the Apollo III?`;
    expect(standaloneQuestion('Apollo II?', previous)).toEqual({ text: 'Apollo II?', from: 'as asked' });
    const startedMs = performance.now();
    standaloneQuestion('Apollo II?', 'Apollo III '.repeat(100_000));
    expect(performance.now() - startedMs).toBeLessThan(200);
  });
  it('ends in time on any text', () => {
    for (const text of [
      'a '.repeat(150),
      'the '.repeat(70),
      `and on ${'x'.repeat(290)}`,
      'and the Apollo-'.repeat(20),
    ]) {
      expect(standaloneQuestion(text, text.repeat(20)).text.length).toBeLessThan(2000);
    }
  });
});
