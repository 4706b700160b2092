import { describe, expect, it } from 'vitest';
import { namesProduct, productsNamedIn } from '../../../src/agents/web-search/product-names.ts';

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

describe('namesProduct()', () => {
  it.each([
    'iPhone 17',
    'iphone 17',
    'Apple iPhone 17',
    'iPhone17 256GB',
    'Apple iPhone 17 256GB Unlocked - Black',
    'iPhone 17 on Amazon',
    'iPhone 17 (256 GB, Sage) at Harbour Street Store',
    'Apple iPhone 17 5G, Dual SIM, 256 GB, blau',
    'Buy iPhone 17 | Example Shop',
    'iPhone 17 at Harbour Street Store',
    'iPhone 17 from Northgate Electronics',
    'iPhone 17 on sale',
    'NEW iPhone 17 – Northgate Electronics',
    'Apple iPhone 17: Amazon.example',
  ])('takes %s for the iPhone 17', (title) => {
    expect(namesProduct(title, { name: 'iPhone 17' })).toBe(true);
  });

  it.each([
    'iPhone 17 Pro',
    'iPhone 17 Pro Max 256GB',
    'iPhone 17 Plus',
    'iPhone 17+',
    'iPhone 17e',
    'iPhone 17 Air',
    'iPhone 16',
    'iPhone 170',
    'iPhone 1 7 Pro',
    'iPhone 17 case',
    'iPhone 17 - Clear Case',
    'Clear Case for iPhone 17',
    'Cable, iPhone 17',
    'Charger compatible with iPhone 17',
    'Hülle für iPhone 17',
    'Funda para iPhone 17',
    'iPhone 17 Displayfolie',
    'Spigen Rugged iPhone 17',
    'iPhone 17 mystery gadget',
    'iPhone 17 + Case Bundle',
    'iPhone 17 256GB - Refurbished',
    'Refurbished iPhone 17',
    'iPhone 17 (gebraucht)',
    'iPhone 17 generalüberholt',
    'iPhone 17, wie neu',
    'Pre-Owned iPhone 17',
    'iPhone 17 open box',
    'iPhone 17 reconditionné',
    'iPhone 17 for parts',
    'iPhone 17 - 24 monthly payments',
    'iPhone 17 mit Vertrag',
    'iPhone 16, iPhone 17',
    'iPhone 17 vs iPhone 16',
    '2x iPhone 17',
    '5 iPhone 17',
    'Pack of 5 iPhone 17',
    'Dummy iPhone 17',
    'iPhone 17 at T-Mobile on EIP',
    'iPhone 17 (256 GB) at T-Mobile on EIP',
    'iPhone 17 on EIP',
    'iPhone 17 from $30',
    'iPhone 17 | from $30',
    'iPhone 17 by UAG',
    'iPhone 17 at UAG',
    'iPhone 17, by Unknown Maker',
    'iPhone 17 by Apple Trade-in',
    'iPhone 17 at Apple Trade-in',
    'iPhone 17 von privat Bastler',
    'iPhone 17 bei Bastler',
    'iPhone 17 at Shop With Many Names',
    'iPhone 17 on Finance',
    'iPhone 17 auf Ratenzahlung',
    'iPhone',
    '17',
    '',
  ])('does not take %s for it', (title) => {
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
