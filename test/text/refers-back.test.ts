import { describe, expect, it } from 'vitest';
import { referenceIn, refersBack, turnsFor } from '../../src/text/refers-back.ts';
import cases from './refers-back.json' with { type: 'json' };

describe.each(Object.entries(cases.refersBack))('refersBack() in %s', (_, questions) => {
  it.each(questions)('finds a reference in %j', (question) => {
    expect(refersBack(question)).toBe(true);
  });
});
describe.each(Object.entries(cases.standsAlone))('refersBack() in %s', (_, questions) => {
  it.each(questions)('reads %j alone', (question) => {
    expect(referenceIn(question)).toBe('nothing');
  });
});

describe('referenceIn()', () => {
  it.each([
    ['Is it covered by the warranty?', 'thing'],
    ['Can I return it within thirty days?', 'thing'],
    ['How long does it last?', 'question'],
    ['And in Canada?', 'question'],
    ['What about the warranty?', 'question'],
  ])('tells whether %j asks something of its own', (question, reference) => {
    expect(referenceIn(question)).toBe(reference);
  });
  it('reads what is said when a question was asked back as its reply', () => {
    const before = { question: 'It does not work', answer: 'Which device is it about?' };
    expect(referenceIn('The Apollo II', before)).toBe('question');
    expect(referenceIn('What does the warranty cover?', before)).toBe('nothing');
    expect(referenceIn('The Apollo II', { ...before, answer: 'Restart it.' })).toBe('nothing');
  });
});

describe('turnsFor()', () => {
  const turn = (speaker: 'user' | 'assistant', text: string) => ({ speaker, text });
  const asked = [turn('user', 'How loud is it?'), turn('assistant', '45 dBA.')];
  it('gives no turns to a question that stands alone', () => {
    expect(turnsFor('How do I reset the password?', asked)).toEqual([]);
    expect(turnsFor('And in Eco?', [])).toEqual([]);
  });
  it('leaves out thanks with their replies', () => {
    const thanked = [...asked, turn('user', 'Thanks!'), turn('assistant', 'You are welcome. Anything else?')];
    expect(turnsFor('And in Eco?', thanked)).toEqual(asked);
  });
});
