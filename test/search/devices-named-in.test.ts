import { describe, expect, it } from 'vitest';
import { devicesOwned } from '../../src/search/devices-named-in.ts';

const DEVICES = ['apollo', 'apollo ii', 'apollo iii'];
const owned = (...facts: string[]) => devicesOwned(facts, DEVICES);

describe('devicesOwned()', () => {
  it.each([
    'Owns an Apollo II since May',
    'Has an Apollo II.',
    'Product: Apollo II',
    'Has no hard water and owns an Apollo II',
    'Owns an Apollo II, not an Apollo III',
    'I sold my Apollo III and now have an Apollo II',
    'Owns an Apollo II. Does not want newsletters.',
    'Besitzt einen Apollo II',
    'Ich habe meinen Apollo III verkauft und nutze jetzt einen Apollo II',
    'Kundin mit einem Apollo II, keine Werbung',
  ])('counts a device that a fact states: %s', (fact) => expect(owned(fact)).toEqual(['apollo ii']));

  it.each([
    'I sold my Apollo II',
    'I no longer have the Apollo II',
    'I have never had an Apollo II',
    "Doesn't own an Apollo II",
    'Bought an Apollo II, but returned it',
    'The Apollo II was stolen in May',
    'Used to have an Apollo II',
    'Is thinking about an Apollo II',
    'A friend has an Apollo II',
    'My Apollo II has been replaced',
    'Ich habe meinen Apollo II verkauft',
    'Hat den Apollo II nicht mehr',
    'Hat keinen Apollo II',
    'Hat den Apollo II zurückgegeben',
    'Möchte einen Apollo II kaufen',
    'Hatte früher einen Apollo II',
    'Hat einen Apollo II gekauft, ihn aber verschenkt',
  ])('does not count a device that a fact denies, ends or considers: %s', (fact) => expect(owned(fact)).toEqual([]));

  it('does not count a device that another fact denies, in any order', () => {
    const facts = ['Owns an Apollo II', 'Sold the Apollo II', 'Has an Apollo III'];
    expect(owned(...facts)).toEqual(['apollo iii']);
    expect(owned(...facts.toReversed())).toEqual(['apollo iii']);
  });
});
