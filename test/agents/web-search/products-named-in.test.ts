import { describe, expect, it } from 'vitest';
import { productsNamedIn } from '../../../src/agents/web-search/products-named-in.ts';

const PRODUCTS = ['iPhone 17', 'iPhone 17 Pro', 'Apollo', 'Apollo II', 'Apollo III', 'Apollo II Power Supply'].map(
  (name) => ({ name }),
);
const allNamed = (query: string, products = PRODUCTS) => productsNamedIn(query, products).map(({ name }) => name);
const named = (query: string, products = PRODUCTS) => allNamed(query, products)[0];

describe('productsNamedIn()', () => {
  it.each([
    ['What does the iPhone 17 cost elsewhere?', 'iPhone 17'],
    ['what does the IPHONE17 cost', 'iPhone 17'],
    ['Is the iPhone 17 Pro cheaper at a competitor?', 'iPhone 17 Pro'],
    ['price of the iphnoe 17 online', 'iPhone 17'],
    ['price of the ihpone 17 online', 'iPhone 17'],
    ['iPhone 17 256GB price', 'iPhone 17'],
    ['What does the Apollo cost?', 'Apollo'],
    ['What does the Apolo II cost?', 'Apollo II'],
    ['apollo iii price', 'Apollo III'],
    ['Where can I buy an Apollo II power supply?', 'Apollo II Power Supply'],
    ["The iPhone 17's price", 'iPhone 17'],
  ])('finds in "%s" the %s', (query, name) => {
    expect(named(query)).toBe(name);
  });

  it.each([
    'What does the iPhone 16 cost?',
    'What does the iPhone cost?',
    'What does an iPhone 17 case cost?',
    'What does an iPhone 17 Max cost?',
    'iPhone 17e price',
    'What does an iPhone 17s cost?',
    'What does the Apollo 4 cost?',
    'What does the Apollo IV cost?',
    'What is the weather like?',
    '17',
    '?',
  ])('finds none in "%s"', (query) => {
    expect(named(query)).toBeUndefined();
  });

  it('finds all that are named, each once and in the order of the question', () => {
    expect(allNamed('Compare Apollo II with Apollo III online')).toEqual(['Apollo II', 'Apollo III']);
    expect(allNamed('Apollo III, Apollo or Apollo III?')).toEqual(['Apollo III', 'Apollo']);
    expect(allNamed('iPhone 17e, iPhone 17 Pro')).toEqual(['iPhone 17 Pro']);
    expect(allNamed('an Apollo II power supply')).toEqual(['Apollo II Power Supply']);
  });

  it('holds numbers to the digit, and prefers the name that is written without a mistake', () => {
    expect(named('price of the Filter 12346', [{ name: 'Filter 12345' }])).toBeUndefined();
    const alike = [{ name: 'Widgit Alpha' }, { name: 'Widget Alpha' }, { name: 'Widgat Alpha' }];
    expect(named('price of the widget alpha', alike)).toBe('Widget Alpha');
  });

  it('does not take the Apollo II for an Apollo that alone is known', () => {
    expect(named('What does the Apollo II cost?', [{ name: 'Apollo' }])).toBeUndefined();
    expect(named('What does the Apollo cost?', [{ name: 'Apollo II' }])).toBeUndefined();
  });
});
