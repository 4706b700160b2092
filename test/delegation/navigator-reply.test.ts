import { describe, expect, it } from 'vitest';
import type { LibrarianResponse } from '../../src/contract/response.ts';
import { network } from './network.ts';

const BLOCK = {
  answer: 'Descale it every 60 days (care.md, Descaling).',
  sources: [{ file: 'care.md', section: 'Descaling', relevance: 'States the interval' }],
  confidence: 'high',
  confidenceReason: 'care.md states the interval in one sentence',
  outOfDomain: false,
};
const VALID: LibrarianResponse = { answer: BLOCK.answer, sources: [{ name: 'Care', relevance: 0.9 }], confidence: 0.9 };

/** The response and the logged violations for a navigator reply that differs from a valid one. */
const receive = async (over: object, name = 'navigator') => {
  const reply = { ...VALID, metadata: { [name]: { ...BLOCK, ...over } } } as LibrarianResponse;
  const { ask, lines } = await network({ 'partner.acme': async () => reply });
  const { responses } = await ask([{ to: 'partner.acme' }]);
  const violations = lines.flatMap((line) => (line.event === 'violation' ? [line] : []));
  return { response: responses[0]!, violations };
};

describe('the answer of another navigator', () => {
  it('is passed on unchanged when it is valid', async () => {
    const { response, violations } = await receive({});
    expect(response).toEqual({ ...VALID, metadata: { navigator: BLOCK } });
    expect(violations).toEqual([]);
  });

  it.each(['navigator', 'partner.acme'])('loses a faulty optional member, under the name %s', async (name) => {
    const excerpts = [{ quote: 'every 60 days', start: 0, end: 5 }];
    const over = { relatedTopics: [' '], sources: [{ ...BLOCK.sources[0], excerpts }] };
    const { response, violations } = await receive(over, name);
    expect(response.answer).toBe(VALID.answer);
    expect(response.metadata?.[name]).toEqual(BLOCK);
    expect(response.metadata?.violations).toEqual([{ rule: 'form', outcome: 'dropped' }]);
    expect(violations).toMatchObject([
      { librarian: 'gateway', from: 'partner.acme', rule: 'form', outcome: 'dropped' },
      { rule: 'form' },
    ]);
  });

  it('loses its block when the reason is meaningless', async () => {
    const { response } = await receive({ confidenceReason: 'Seems right to me' });
    expect(response.answer).toBe(VALID.answer);
    expect(response.metadata).toEqual({ violations: [{ rule: 'reason-meaningful', outcome: 'dropped' }] });
  });

  it.each([
    ['sources-or-lack', 'without evidence', { sources: [] }],
    ['out-of-domain-empty', 'with sources out of its domain', { outOfDomain: true }],
  ])('is not passed on by %s: %s', async (rule, _, over) => {
    const { response, violations } = await receive(over);
    expect(response).toMatchObject({
      answer: 'I found nothing that answers this question.',
      sources: [],
      confidence: 0,
    });
    expect(JSON.stringify(response)).not.toContain('60 days');
    expect(response.metadata?.violations).toEqual([{ rule, outcome: 'abstained' }]);
    expect(violations).toMatchObject([{ from: 'partner.acme', rule, outcome: 'abstained' }]);
  });

  it('may lack information', async () => {
    const { violations } = await receive({ answer: "I don't have information about this.", sources: [] });
    expect(violations).toEqual([]);
  });
});
