import { describe, expect, it } from 'vitest';
import type { Findings } from '../../../src/agents/web-search/answer-extractively.ts';
import { isBorneByFindings } from '../../../src/agents/web-search/is-borne-by-findings.ts';
import { type RawResult, webResult } from '../../../src/agents/web-search/web-result.ts';

const QUESTION = 'What does the Kettle K2 cost elsewhere?';
const RESULTS: RawResult[] = [
  {
    title: 'Kettle K2',
    url: 'https://north.example/k2',
    shop: 'North',
    price: '$49.00',
    snippet: 'Boils in 3 minutes.',
  },
  {
    title: 'Kettle K2 review',
    url: 'https://reviews.example/k2',
    snippet: 'Our testers liked the quiet pump. The lid does not lock.',
  },
];
const findings: Findings = {
  results: RESULTS.map((raw) => webResult(raw, 'us')).filter((result) => result !== undefined),
  isAboutPrice: true,
};
const isKept = (summary: string) => isBorneByFindings(summary, QUESTION, findings);

describe('isBorneByFindings()', () => {
  it.each([
    'The Kettle K2 costs 49.00 USD at North.',
    'The Kettle K2 costs 49.00 USD at [North](https://north.example/k2), and boils in 3 minutes.',
    'The testers liked the quiet pump. The lid does not lock.',
    'See https://north.example/k2.',
  ])('keeps %j', (summary) => {
    expect(isKept(summary)).toBe(true);
  });

  it.each([
    'The lid of the Kettle K2 does lock.',
    'The testers disliked the quiet pump.',
    'The Kettle K2 was recalled by its manufacturer because of a fire.',
    'The Kettle K2 costs 49.00 USD at North. Most owners complain about its rusty base plate.',
    'Boils in 5 minutes.',
  ])('refuses %j', (summary) => {
    expect(isKept(summary)).toBe(false);
  });
});
