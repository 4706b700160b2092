import { describe, expect, it } from 'vitest';
import { namesProduct, productsNamedIn } from '../../../src/agents/web-search/product-names.ts';
import CASES from './product-names.json' with { type: 'json' };

const PRODUCTS = ['iPhone 17', 'iPhone 17 Pro', 'Apollo', 'Apollo II', 'Apollo III', 'Apollo II Power Supply'].map(
  (name) => ({ name }),
);
const allNamed = (query: string, products = PRODUCTS) => productsNamedIn(query, products).map(({ name }) => name);
const named = (query: string, products = PRODUCTS) => allNamed(query, products)[0];

describe('productsNamedIn()', () => {
  it.each(CASES.named)('finds in "%s" the %s', (query, name) => {
    expect(named(query)).toBe(name);
  });

  it.each(CASES.unnamed)('finds none in "%s"', (query) => {
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

describe('namesProduct()', () => {
  it.each(CASES.takes)('takes %s for the iPhone 17', (title) => {
    expect(namesProduct(title, { name: 'iPhone 17' })).toBe(true);
  });

  it.each(CASES.rejects)('does not take %s for it', (title) => {
    expect(namesProduct(title, { name: 'iPhone 17' })).toBe(false);
  });

  it('tells the models of a family apart, and takes the words of their category for neutral', () => {
    const titles = [
      'Orbit Espresso Machine',
      'Orbit II Espresso Machines',
      'Orbit III Home Machine',
      'Orbit 2 Machine',
    ];
    const taken = (name: string, category = 'Espresso machines') =>
      titles.filter((title) => namesProduct(title, { name, category }));
    expect(taken('Orbit')).toEqual(['Orbit Espresso Machine']);
    expect(taken('Orbit II')).toEqual(['Orbit II Espresso Machines']);
    expect(taken('Orbit III')).toEqual(['Orbit III Home Machine']);
    expect(taken('Orbit', 'Kitchen')).toEqual([]);
  });

  it.each([
    ['an accessory', 'Orbit case', 'Cases'],
    ['a condition', 'Orbit used', 'Used devices'],
    ['a variant', 'Orbit Pro', 'Pro'],
  ])('takes no title with %s for the product, even where its category has the word', (_, title, category) => {
    expect(namesProduct(title, { name: 'Orbit', category })).toBe(false);
  });

  it('takes an accessory for itself, not its device', () => {
    expect(namesProduct('Orbit II Power Supply', { name: 'Orbit II Power Supply' })).toBe(true);
    expect(namesProduct('Orbit II Power Supply', { name: 'Orbit II' })).toBe(false);
  });
});
