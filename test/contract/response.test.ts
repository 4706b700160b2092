import { describe, expect, it } from 'vitest';
import { ErrorBody, ErrorCode, ErrorInfo, HTTP_STATUS } from '../../src/contract/error-info.ts';
import { LibrarianResponse } from '../../src/contract/response.ts';
import { validateResponse } from '../../src/contract/validate-response.ts';
import examples from './examples/librarian-response.json' with { type: 'json' };
import { itRefuses, itTakes } from './it-refuses.ts';

const nested = (levels: number): unknown => (levels === 0 ? 'end' : { next: nested(levels - 1) });

describe('LibrarianResponse', () => {
  itTakes(LibrarianResponse, examples.responses);
  itRefuses(LibrarianResponse, examples.full, [
    ['a response with none of the three', '', { confidence: 1 }, /none of answer, delegate, error/],
    ['null', '', null, /expected object/],
    ['an empty answer', 'answer', ' \n', /empty/],
    ['a source with a blank name', 'sources.0.name', ' ', /empty/],
    ['a source that runs code', 'sources.0.url', 'javascript:alert(1)', /web address/],
    ['a confidence of NaN', 'confidence', Number.NaN, /expected number/],
    ['a delegation without a target', 'delegate', { query: 'Which?' }, /is missing/, 'delegate.to'],
    ['a target that is an address', 'delegate.0.to', 'https://x.y', /librarian id/],
    ['a delegation with a blank query', 'delegate.0.query', ' ', /empty/],
    ['an error with a blank message', 'error.message', '', /empty/],
    ['a suggestion of one word', 'error.suggestion', 'Reconsider', /too short/],
    ['a short suggestion', 'error.suggestion', 'Try it.', /too short/],
    ['a suggestion that repeats the message', 'error.suggestion', 'one source did NOT reply!', /repeats/],
    ['details nested too deep', 'error.details', nested(7), /deeper than 6/],
    ['metadata nested too deep', 'metadata', nested(17), /deeper than 16/],
    ['metadata of a megabyte', 'metadata', { a: 'x'.repeat(1e6) }, /larger than 256000/],
    ['metadata that JSON would change', 'metadata', { a: [Number.NaN] }, /cannot carry/],
  ]);

  it('drops unknown members', () => {
    expect(LibrarianResponse.parse({ answer: 'Yes.', secret: 1 })).toEqual({ answer: 'Yes.' });
  });

  it('accepts a short suggestion in a script without spaces', () => {
    const error = { code: 'TIMEOUT', message: '超时', suggestion: '请稍后再试' };
    expect(ErrorInfo.safeParse(error).success).toBe(true);
  });
});

describe('ErrorCode', () => {
  it('has the twelve standard codes', () => {
    expect(ErrorCode.options).toEqual(examples.errorCodes);
  });

  it('maps each code to an error status', () => {
    const statuses = examples.errorCodes.map((code) => HTTP_STATUS[ErrorCode.parse(code)]);
    expect(statuses).toEqual([400, 401, 404, 429, 500, 504, 503, 502, 508, 508, 503, 502]);
  });

  it('is sent in a body under `error`', () => {
    const body = { error: { code: 'NOT_FOUND', message: 'Cannot find the librarian: none is called x' } };
    expect(ErrorBody.parse(body)).toEqual(body);
  });
});

describe('validateResponse()', () => {
  const warningsOf = (response: unknown) => {
    const result = validateResponse(response);
    return result.ok ? result.warnings.map(({ path }) => path) : result.issues;
  };

  it.each([
    ['an answer longer than 4,000 characters', { answer: 'a'.repeat(4001) }, ['answer']],
    ['no hint at a low confidence', { answer: 'Perhaps.', confidence: 0.59 }, ['partial']],
    ['a source named twice', { answer: 'Yes.', sources: [{ name: 'a' }, { name: 'a' }] }, ['sources']],
    [
      'sources in the wrong order',
      {
        answer: 'Yes.',
        sources: [
          { name: 'a', relevance: 0.4 },
          { name: 'b', relevance: 0.5 },
        ],
      },
      ['sources'],
    ],
    [
      'an error that does not say what to do',
      { error: { code: 'TIMEOUT', message: 'Too late' } },
      ['error.recoverable', 'error.suggestion'],
    ],
  ])('warns of %s, without refusing it', (_what, response, paths) => {
    expect(warningsOf(response)).toEqual(paths);
  });

  it('has no issues or warnings for a good response', () => {
    expect(warningsOf({ answer: 'a'.repeat(4000), confidence: 0.6 })).toEqual([]);
    expect(warningsOf({ answer: 'Partly.', confidence: 0.59, partial: true })).toEqual([]);
    const sources = [
      { name: 'a', relevance: 1 },
      { name: 'b' },
      { name: 'a', url: 'https://a.example', relevance: 0.2 },
    ];
    expect(warningsOf({ answer: 'Yes.', sources })).toEqual([]);
  });

  it.each([
    ['an unknown target', { to: 'unknown' }, 'delegate.to', /no known librarian: unknown/],
    ['an unknown target among others', [{ to: 'navigator' }, { to: 'unknown' }], 'delegate.1.to', /: unknown/],
    ['an earlier sender as target', { to: 'gateway' }, 'delegate.to', /gateway > support > gateway/],
    ['itself', [{ to: 'support' }], 'delegate.0.to', /support > support/],
  ])('refuses a delegation to %s', (_what, delegate, path, message) => {
    const rules = { known: ['navigator', 'gateway', 'support'], chain: ['gateway', 'support'] };
    expect(validateResponse({ delegate }, rules)).toEqual({
      ok: false,
      issues: [{ path, message: expect.stringMatching(message) }],
    });
  });

  it('checks neither existence nor loops without those rules', () => {
    expect(validateResponse({ delegate: { to: 'unknown' } })).toMatchObject({ ok: true });
  });
});
