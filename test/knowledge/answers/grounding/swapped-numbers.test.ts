import { describe, expect, it } from 'vitest';
import { swappedNumbers } from '../../../../src/knowledge/answers/grounding/swapped-numbers.ts';

const SOURCE = 'Descale the boiler every 60 days, or every 30 days with hard water.';

describe('swappedNumbers()', () => {
  it('finds numbers that were given to each other', () => {
    expect(swappedNumbers('Descale the boiler every 30 days, or every 60 days with hard water.', [SOURCE])).toEqual([
      ['30', '60'],
    ]);
  });

  it.each([
    SOURCE,
    'With hard water descale every 30 days, otherwise descale the boiler every 60 days.',
    'Descale the boiler every 60 days.',
    'The filter lasts for 50 litres, or two months.',
    'It takes 30 to 60 days.',
  ])('lets pass: %s', (statement) => {
    expect(swappedNumbers(statement, [SOURCE])).toEqual([]);
  });
});
