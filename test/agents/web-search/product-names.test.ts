import { describe, expect, it } from 'vitest';
import { namesProduct, productsNamedIn } from '../../../src/agents/web-search/product-catalogue.ts';
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

  it('finds all named products, each once and in the order of the question', () => {
    expect(allNamed('Compare Apollo II with Apollo III online')).toEqual(['Apollo II', 'Apollo III']);
    expect(allNamed('Apollo III, Apollo or Apollo III?')).toEqual(['Apollo III', 'Apollo']);
    expect(allNamed('iPhone 17e, iPhone 17 Pro')).toEqual(['iPhone 17 Pro']);
    expect(allNamed('an Apollo II power supply')).toEqual(['Apollo II Power Supply']);
  });

  it('matches numbers exactly, and prefers an exact spelling', () => {
    expect(named('price of the Filter 12346', [{ name: 'Filter 12345' }])).toBeUndefined();
    const alike = [{ name: 'Widgit Alpha' }, { name: 'Widget Alpha' }, { name: 'Widgat Alpha' }];
    expect(named('price of the widget alpha', alike)).toBe('Widget Alpha');
  });

  it('does not match Apollo II to a catalogue with only Apollo, nor the reverse', () => {
    expect(named('What does the Apollo II cost?', [{ name: 'Apollo' }])).toBeUndefined();
    expect(named('What does the Apollo cost?', [{ name: 'Apollo II' }])).toBeUndefined();
  });
});

describe('namesProduct()', () => {
  it.each(CASES.takes)('accepts %s as the iPhone 17', (title) => {
    expect(namesProduct(title, { name: 'iPhone 17' })).toBe(true);
  });

  it.each(CASES.rejects)('rejects %s as the iPhone 17', (title) => {
    expect(namesProduct(title, { name: 'iPhone 17' })).toBe(false);
  });

  it('distinguishes the models of a family, and ignores the words of their category', () => {
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
  ])('rejects a title with %s, even if its category contains the word', (_, title, category) => {
    expect(namesProduct(title, { name: 'Orbit', category })).toBe(false);
  });

  it('matches an accessory to itself, not to its device', () => {
    expect(namesProduct('Orbit II Power Supply', { name: 'Orbit II Power Supply' })).toBe(true);
    expect(namesProduct('Orbit II Power Supply', { name: 'Orbit II' })).toBe(false);
  });
});
