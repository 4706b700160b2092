import { describe, expect, it } from 'vitest';
import type { LibrarianResponse } from '../../../src/contract/core/response.ts';
import { askOnce } from './network.ts';

const BLOCK = {
  answer: 'Descale it every 60 days (care.md, Descaling).',
  sources: [{ file: 'care.md', section: 'Descaling', relevance: 'States the interval' }],
  confidence: 'high',
  confidenceReason: 'care.md states the interval in one sentence',
  outOfDomain: false,
};
const VALID: LibrarianResponse = {
  answer: BLOCK.answer,
  sources: [{ name: 'Care', relevance: 0.9 }],
  confidence: 0.9,
};

/** The response and the logged violations for a navigator reply that differs from a valid one. */
const receive = async (over: object, name = 'navigator') => {
  const reply = { ...VALID, metadata: { [name]: { ...BLOCK, ...over } } } as LibrarianResponse;
  const { responses, lines } = await askOnce({ acme: async () => reply }, [{ to: 'acme' }]);
  return {
    response: responses[0]!,
    violations: lines.filter(({ event }) => event === 'violation'),
  };
};

describe('the answer of another navigator of ours', () => {
  it('is passed on unchanged when it is valid, and may lack information', async () => {
    const valid = { response: { ...VALID, metadata: { navigator: BLOCK } }, violations: [] };
    expect(await receive({})).toEqual(valid);
    expect(
      (await receive({ answer: "I don't have information about this.", sources: [] })).violations,
    ).toEqual([]);
  });
  it.each(['navigator', 'acme'])(
    'loses a faulty optional member, under the name %s',
    async (name) => {
      const excerpts = [{ quote: 'every 60 days', start: 0, end: 5 }];
      const over = { relatedTopics: [' '], sources: [{ ...BLOCK.sources[0], excerpts }] };
      const { response, violations } = await receive(over, name);
      const dropped = { rule: 'form', outcome: 'dropped' };
      expect(response).toMatchObject({ answer: VALID.answer, metadata: { violations: [dropped] } });
      expect(response.metadata?.[name]).toEqual(BLOCK);
      expect(violations).toMatchObject([
        { librarian: 'gateway', from: 'acme', ...dropped },
        { rule: 'form' },
      ]);
    },
  );
  it('loses its block when the reason is meaningless', async () => {
    const { response } = await receive({ confidenceReason: 'Seems right to me' });
    const violations = [{ rule: 'reason-meaningful', outcome: 'dropped' }];
    expect([response.answer, response.metadata]).toEqual([VALID.answer, { violations }]);
  });
  it.each([
    ['sources-or-lack', 'without evidence', { sources: [] }],
    ['out-of-domain-empty', 'with sources out of its domain', { outOfDomain: true }],
  ])('is not passed on by %s: %s', async (rule, _, over) => {
    const { response, violations } = await receive(over);
    const abstained = { rule, outcome: 'abstained' };
    const answer = 'I found nothing that answers this question.';
    expect(response).toMatchObject({
      answer,
      sources: [],
      confidence: 0,
      metadata: { violations: [abstained] },
    });
    expect(JSON.stringify(response)).not.toContain('60 days');
    expect(violations).toMatchObject([{ from: 'acme', ...abstained }]);
  });
});

describe('the answer of a navigator of a partner', () => {
  const ask = async (over: object = {}) => {
    const metadata = {
      navigator: { ...BLOCK, ...over },
      closest: [{ title: 'Care', file: 'care.md' }],
    };
    const librarian = async () => ({ ...VALID, metadata });
    return (await askOnce({ 'partner.acme': librarian }, [{ to: 'partner.acme' }])).responses[0];
  };
  it('is what the partner reports: without its block, and with its name', async () => {
    expect(await ask()).toEqual({
      ...VALID,
      sources: [{ name: 'Care', relevance: 0.9, reported_by: 'partner.acme' }],
      metadata: { reported_by: 'partner.acme' },
    });
  });
  it('is not passed on when its own reply names no evidence', async () => {
    const response = await ask({ sources: [] });
    expect(response).toMatchObject({
      answer: 'I found nothing that answers this question.',
      sources: [],
    });
    expect(response?.metadata).toEqual({
      reported_by: 'partner.acme',
      closest: [],
      violations: [{ rule: 'sources-or-lack', outcome: 'abstained' }],
    });
  });
});
