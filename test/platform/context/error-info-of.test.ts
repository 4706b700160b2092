import { describe, expect, it } from 'vitest';
import { ErrorCode, ErrorInfo } from '../../../src/contract/core/error-info.ts';
import { errorInfo, errorInfoOf } from '../../../src/platform/context/error-info-of.ts';
import { ContextRefused } from '../../../src/platform/context/request-context.ts';
import { CodedError, DataSourceError } from '../../../src/platform/http/coded-error.ts';
import { notebook } from './callers.ts';

const resultOf = (error: unknown) => {
  const { lines, log } = notebook();
  return {
    info: errorInfoOf(error, {
      librarian: 'navigator',
      where: 'librarian',
      log,
      now: 5,
      traceId: 't',
    }),
    lines,
  };
};

it('errorInfo() has a valid message and suggestion for every code', () => {
  for (const code of ErrorCode.options)
    expect(ErrorInfo.safeParse(errorInfo(code)).error).toBeUndefined();
});

describe('errorInfoOf()', () => {
  it.each([
    [new Error('sk-123'), 'INTERNAL_ERROR'],
    ['sk-123', 'INTERNAL_ERROR'],
    [undefined, 'INTERNAL_ERROR'],
    [new ContextRefused('TIMEOUT', 'sk-123'), 'TIMEOUT'],
    [new DataSourceError('sk-123', { cause: new Error('sk-123') }), 'DATA_SOURCE_ERROR'],
  ])('reports %s as %s, without its text', (error, code) => {
    const { info } = resultOf(error);
    expect(info).toMatchObject({ code, librarian: 'navigator' });
    expect(JSON.stringify(info)).not.toContain('sk-123');
  });
  it('reports the details of a CodedError', () => {
    const reported = { details: { retry_after: 5 } };
    const { info } = resultOf(new CodedError('RATE_LIMITED', 'inside', { reported }));
    expect(info).toMatchObject({ code: 'RATE_LIMITED', recoverable: true, ...reported });
  });
  it('logs the chain of causes without quoted text', () => {
    const cause = new TypeError('Cannot read "Where is my order"');
    const { lines } = resultOf(new Error('cannot parse the reply', { cause }));
    const logged = 'Error: cannot parse the reply < TypeError: Cannot read "…"';
    const line = {
      event: 'fault',
      time: 5,
      librarian: 'navigator',
      where: 'librarian',
      trace_id: 't',
    };
    expect(lines).toEqual([{ ...line, code: 'INTERNAL_ERROR', cause: logged }]);
  });
  it.each(['{"answer":"My card is 4111"', 'My card is 4111', '{"a": My card is 4111, "b": "'])(
    'omits %s',
    (text) => {
      let problem: unknown;
      try {
        JSON.parse(text);
      } catch (error) {
        problem = error;
      }
      expect(resultOf(problem).lines).toMatchObject([{ cause: 'SyntaxError' }]);
    },
  );
  it('logs at most 500 characters', () => {
    const { lines } = resultOf(new Error('x'.repeat(9000)));
    expect(lines[0]).toMatchObject({ cause: expect.stringMatching(/^.{500}$/) });
  });
});
