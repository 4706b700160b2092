import { describe, expect, it } from 'vitest';
import { claimsQuestion } from '../../../src/gateway/concierge/claims-question.ts';

const LIBRARIAN = {
  id: 'desk',
  name: 'Desk',
  description: 'Knows about wine.',
  examples: ['How do I track my parcel?', 'Can an order be cancelled before delivery?', 'What time is it delivered?'],
};

describe('claimsQuestion()', () => {
  it.each([
    'My parcel was never delivered',
    'Good morning! Could you please tell me about cancelling an order?',
    'TRACKING OF PARCELS',
  ])('claims %j, whose words the examples know together', (question) => {
    expect(claimsQuestion(LIBRARIAN, question)).toBe(true);
  });

  it.each([
    ['one word is too little', 'What time is it in Tokyo?'],
    ['most words are unknown', 'Can my doctor cancel an order of the court in Vienna?'],
    ['its form says nothing', 'How do I do it before?'],
    ['only the description has the word', 'Wine, wine and more wine'],
    ['nothing is asked', ''],
  ])('does not claim where %s', (_reason, question) => {
    expect(claimsQuestion(LIBRARIAN, question)).toBe(false);
  });

  it('claims nothing for a librarian without examples', () => {
    expect(claimsQuestion({ id: 'desk', name: 'Desk' }, 'Track my parcel')).toBe(false);
  });
});
