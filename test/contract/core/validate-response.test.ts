import { expect, it } from 'vitest';
import { ErrorCode, HTTP_STATUS } from '../../../src/contract/core/error-info.ts';
import { validateResponse } from '../../../src/contract/core/validate-response.ts';

const warningsOf = (response: unknown) => {
  const result = validateResponse(response);
  return result.ok ? result.warnings.map(({ path }) => path) : result.issues;
};
const ordered = (...sources: object[]) => ({ answer: 'Yes.', sources });
const UNCLEAR = { error: { code: 'TIMEOUT', message: 'Too late' } };
const [A, LINKED] = [{ name: 'a' }, { name: 'a', url: 'https://a.example', relevance: 0.2 }];
it.each([
  ['an answer longer than 4,000 characters', { answer: 'a'.repeat(4001) }, ['answer']],
  ['no hint at a low confidence', { answer: 'Perhaps.', confidence: 0.59 }, ['partial']],
  ['a source named twice', ordered(A, A), ['sources']],
  [
    'sources in the wrong order',
    ordered({ ...A, relevance: 0.4 }, { name: 'b', relevance: 0.5 }),
    ['sources'],
  ],
  ['an error that does not say what to do', UNCLEAR, ['error.recoverable', 'error.suggestion']],
  ['nothing in an answer of 4,000 characters', { answer: 'a'.repeat(4000), confidence: 0.6 }, []],
  ['nothing in a partial answer', { answer: 'Partly.', confidence: 0.59, partial: true }, []],
  ['nothing in sources in order', ordered({ ...A, relevance: 1 }, { name: 'b' }, LINKED), []],
])('warns of %s, without refusing it', (_what, response, paths) =>
  expect(warningsOf(response)).toEqual(paths),
);
it.each([
  ['an unknown target', { to: 'unknown' }, 'delegate.to', /no known librarian: unknown/],
  [
    'an unknown target among others',
    [{ to: 'navigator' }, { to: 'unknown' }],
    'delegate.1.to',
    /: unknown/,
  ],
  ['an earlier sender as target', { to: 'gateway' }, 'delegate.to', /gateway > support > gateway/],
  ['itself', [{ to: 'support' }], 'delegate.0.to', /support > support/],
])(
  'refuses a delegation to %s only where the librarians are known',
  (_what, delegate, path, message) => {
    const rules = { known: ['navigator', 'gateway', 'support'], chain: ['gateway', 'support'] };
    const issues = [{ path, message: expect.stringMatching(message) }];
    expect(validateResponse({ delegate }, rules)).toEqual({ ok: false, issues });
    expect(validateResponse({ delegate })).toMatchObject({ ok: true });
  },
);
it('refuses unreadable values', () => {
  const trap = {
    get answer(): string {
      throw new Error('gotcha');
    },
  };
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  expect(validateResponse(trap)).toEqual({
    ok: false,
    issues: [{ path: '', message: 'cannot be read' }],
  });
  for (const metadata of [cycle, { at: new Date(0) }])
    expect(validateResponse({ answer: 'x', metadata })).toMatchObject({
      issues: [{ path: 'metadata' }],
    });
});
it('maps each of the standard codes to an error status', () => {
  expect(HTTP_STATUS).toEqual({
    INVALID_QUERY: 400,
    UNAUTHORIZED: 401,
    NOT_FOUND: 404,
    RATE_LIMITED: 429,
    INTERNAL_ERROR: 500,
    TIMEOUT: 504,
    SERVICE_UNAVAILABLE: 503,
    DELEGATION_FAILED: 502,
    LOOP_DETECTED: 508,
    MAX_DEPTH_EXCEEDED: 508,
    AI_UNAVAILABLE: 503,
    DATA_SOURCE_ERROR: 502,
  });
  expect(ErrorCode.options.toSorted()).toEqual(Object.keys(HTTP_STATUS).toSorted());
});
