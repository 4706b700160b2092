import { expect, it } from 'vitest';
import { devicesOwned } from '../../../src/knowledge/search/devices-named-in.ts';
import facts from './devices-named-in.json' with { type: 'json' };

const owned = (...stated: string[]) => devicesOwned(stated, ['apollo', 'apollo ii', 'apollo iii']);

it.each(facts.owned)('devicesOwned() counts a device that a fact states: %s', (fact) =>
  expect(owned(fact)).toEqual(['apollo ii']),
);
it.each(facts.notOwned)(
  'devicesOwned() does not count a device that a fact denies, ends or considers: %s',
  (fact) => expect(owned(fact)).toEqual([]),
);
it('devicesOwned() does not count a device that another fact denies, in any order', () => {
  const stated = ['Owns an Apollo II', 'Sold the Apollo II', 'Has an Apollo III'];
  expect(owned(...stated)).toEqual(['apollo iii']);
  expect(owned(...stated.toReversed())).toEqual(['apollo iii']);
});
