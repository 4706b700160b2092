import { describe, expect, it } from 'vitest';
import { askingItems, asksIn, wordsOfAsk } from '../../../src/support/message/asks.ts';

describe('askingItems()', () => {
  it.each([
    [
      'numbered items of which most ask',
      '1. Where is the log? 2. It fails with E11. 3. Can I buy a filter?',
      3,
    ],
    ['steps that were done', 'I did this: 1. reset it 2. changed the cable. What next?', 0],
    ['lettered items', 'a) Where is the log? b) Can I buy a filter?', 2],
    [
      'lines with signs, with and without a question mark',
      'I have three questions\n- where is the log?\n- my wifi is hidden, will it connect\n- do you sell a filter? mine is old\n\nAlso: thanks!',
      3,
    ],
    ['a remark between dashes', 'The lamp - is it new? - is red. Why?', 0],
    ['letters out of order', 'See b) and a) of the list? And why?', 0],
    ['a single question', 'Where is the log of old errors?', 0],
  ])('reads %s', (_, message, count) => expect(askingItems(message)).toHaveLength(count));
});

it('ends the last item of a list of lines at its paragraph', () => {
  const items = askingItems('* where is the log?\n* is it\n  new?\n\nBest regards?');
  expect(items).toEqual(['where is the log?', 'is it\n  new?']);
});

describe('asksIn()', () => {
  const asked = (message: string, isCovered = true) =>
    asksIn(message, { isCovered }).asks.map(({ text, isUnsure }) =>
      isUnsure ? `? ${text}` : text,
    );

  it('reads each question by itself', () => {
    expect(asked('How loud is the lamp? And what does shipping to Canada cost?')).toEqual([
      'How loud is the lamp?',
      'And what does shipping to Canada cost?',
    ]);
    expect(asked('Wie laut ist die Lampe? Was kostet der Versand nach Norwegen?')).toHaveLength(2);
  });
  it('leaves a question without a subject to what stands before it', () => {
    expect(asked('How loud is the lamp in the garden? Why is that?')).toHaveLength(1);
    expect(asked('The lamp shows E40. What does that mean?', false)).toEqual([
      'The lamp shows E40. What does that mean?',
    ]);
  });
  it('reads a sentence that holds a question, of which it is not sure', () => {
    expect(asked('Please tell me how I reset the lamp. It is red.')).toEqual([
      '? Please tell me how I reset the lamp.',
    ]);
    expect(asked('Außerdem möchte ich wissen, wie ich das Passwort ändere.')).toHaveLength(1);
    expect(asked('Here is what the display of the lamp says:')).toEqual([]);
  });
  it('divides halves of a question only where the articles do not answer them together', () => {
    const message = 'How long does a repair take and what does the shipping cost?';
    expect(asked(message, false)).toHaveLength(2);
    expect(asked(message)).toEqual([message, '? what does the shipping cost?']);
  });
  it('leaves the first question after a story to the whole, unless it names a subject', () => {
    const story = 'My lamp is dark since Monday.';
    expect(asksIn(`${story} Can you help me with it?`, { isCovered: true })).toEqual({
      asks: [],
      hasStory: true,
    });
    expect(asked(`${story} How long does shipping to Canada take?`)).toEqual([
      '? How long does shipping to Canada take?',
    ]);
  });
});

describe('wordsOfAsk()', () => {
  it('has the statement that a question without a subject is about', () => {
    expect(wordsOfAsk('It is new. The lamp shows E40. What is it?')).toBe(
      'The lamp shows E40. What is it?',
    );
    expect(wordsOfAsk('It is new. How do I clean the filter?')).toBe('How do I clean the filter?');
  });
});
