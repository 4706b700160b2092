import { describe, expect, it } from 'vitest';
import { namesProduct } from '../../../src/agents/web-search/names-product.ts';

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
    expect(namesProduct(title, 'iPhone 17')).toBe(true);
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
    expect(namesProduct(title, 'iPhone 17')).toBe(false);
  });

  it('tells the miners of a family apart', () => {
    const titles = ['Apollo Bitcoin Miner', 'Apollo II Bitcoin Miner', 'Apollo III Home Miner', 'Apollo 2 Miner'];
    const taken = (name: string) => titles.filter((title) => namesProduct(title, name));
    expect(taken('Apollo')).toEqual(['Apollo Bitcoin Miner']);
    expect(taken('Apollo II')).toEqual(['Apollo II Bitcoin Miner']);
    expect(taken('Apollo III')).toEqual(['Apollo III Home Miner']);
  });

  it('takes an accessory for itself, not its device', () => {
    expect(namesProduct('Apollo II Power Supply', 'Apollo II Power Supply')).toBe(true);
    expect(namesProduct('Apollo II Power Supply', 'Apollo II')).toBe(false);
  });
});
