import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/grounding/decide-answer.ts';
import { decline } from '../../src/navigator/decline.ts';
import { answeringModelOf } from '../../src/search/answering-model.ts';
import { searchEdition } from '../../src/search/search-edition.ts';
import { openSmallKb } from './small-kb.ts';

const { edition } = openSmallKb();
const said = (question: string, verdict: Decision['verdict'], articleCount = 12) =>
  decline({
    question,
    outcome: searchEdition(edition, question),
    decision: { verdict, domain: 0.02, answer: 0.01 },
    model: answeringModelOf(edition),
    articleCount,
    related: [],
  });

describe('decline()', () => {
  it('is highly sure that a question is foreign only when fewer than half of its words are known', () => {
    expect(said('Can I get a mortgage for a flat in Berlin?', 'out-of-domain')).toMatchObject({
      confidence: 'high',
      probability: 0.98,
    });
    const half = said('Will weeks of water change my credit card purchase?', 'out-of-domain');
    expect(half.confidence).toBe('medium');
    expect(half.confidenceReason).toMatch(/^Medium confidence: /);
  });

  it('is highly sure that nothing is written only when a word is unknown', () => {
    expect(said('mortgage water steam drops', 'no-information').confidence).toBe('high');
    expect(said('sachet gauge roasting burrs', 'no-information').confidence).toBe('medium');
  });

  it('names the words that are missing as a sentence would', () => {
    expect(said('water mortgage visa', 'no-information').confidenceReason).toContain(
      'does not contain "mortgage" or "visa"',
    );
  });

  it('speaks of one article as of one', () => {
    expect(said('water mortgage', 'no-information', 1).confidenceReason).toContain('the only article was searched');
    expect(said('water mortgage', 'no-information', 12).confidenceReason).toContain('all 12 articles were searched');
  });

  it('is not sure of anything where the question has no words', () => {
    expect(said('???', 'no-words')).toMatchObject({ confidence: 'low', probability: 0.3 });
  });
});
