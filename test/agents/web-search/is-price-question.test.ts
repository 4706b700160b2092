import { describe, expect, it } from 'vitest';
import { isPriceQuestion } from '../../../src/agents/web-search/is-price-question.ts';

describe('isPriceQuestion()', () => {
  it.each([
    'What does the iPhone 17 cost online?',
    'How does our price compare with the market?',
    'Is it cheaper at a competitor?',
    'Are we more expensive than others?',
    'How much is the Apollo II elsewhere?',
    'Do other stores sell it for less?',
    "What are today's deals for this product?",
    'Was kostet das iPhone 17 woanders?',
    'Ist es bei der Konkurrenz günstiger?',
    'Wie viel zahlt man anderswo?',
  ])('says yes to "%s"', (query) => {
    expect(isPriceQuestion(query)).toBe(true);
  });

  it.each([
    'Search the web for reviews of this product',
    'What is the latest news about the manufacturer?',
    'Who sold the company?',
    'How do I reset an Apollo II?',
    'Has the rival already launched its new product?',
  ])('says no to "%s"', (query) => {
    expect(isPriceQuestion(query)).toBe(false);
  });
});
