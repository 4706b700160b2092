import { describe, expect, it } from 'vitest';
import {
  describeLibrarian,
  type LibrarianCases,
} from '../../src/contract/conformance/describe-librarian.ts';
import { librarianChecks } from '../../src/contract/conformance/librarian-checks.ts';
import type { AIClient, Context, Librarian } from '../../src/contract/core/librarian.ts';
import type { LibrarianResponse } from '../../src/contract/core/response.ts';

const ANSWER: LibrarianResponse = {
  answer: 'It lies under the mat.',
  sources: [{ name: 'house.md', relevance: 0.9 }, { name: 'garden.md' }],
  confidence: 0.9,
};
const INVALID = failure('INVALID_QUERY', 'Send a question of 1 to 4,000 characters');
const UNKNOWN = failure('NOT_FOUND', 'Ask about the key or the garden');
const MODEL: AIClient = { model: 'a model', complete: async () => ({ text: 'Under the mat.' }) };

/** A conforming librarian, which answers, fails, declines, delegates and waits. */
const conforming: Librarian = async (query, context) => {
  if (typeof query !== 'string' || query.trim() === '' || query.length > 4000) return INVALID;
  if (
    query.includes('the moon') &&
    context?.availableDelegates?.some(({ id }) => id === 'expert')
  ) {
    return { delegate: { to: 'expert' } };
  }
  if (query.includes('the weather')) return untilAborted(context?.signal);
  return query.includes('the key') ? ANSWER : UNKNOWN;
};

const CASES: LibrarianCases = {
  answers: { query: 'Where is the key?' },
  fails: { query: ' ', code: 'INVALID_QUERY' },
  declines: { query: 'Who is the king?' },
  delegates: {
    query: 'What of the moon?',
    context: { availableDelegates: [{ id: 'expert' }] },
    to: 'expert',
  },
  waits: { query: 'How is the weather?' },
  graceMs: 1000,
};
const NEVER: LibrarianCases = {
  ...CASES,
  fails: 'never',
  declines: 'never',
  delegates: 'never',
  waits: 'never',
};

/** The failed checks, with their messages. */
const redOf = async (
  librarian: Librarian,
  cases: LibrarianCases = CASES,
): Promise<Record<string, string>> => {
  const red: Record<string, string> = {};
  await Promise.all(
    librarianChecks(librarian, cases).map(({ name, run }) =>
      run().catch((error: unknown) => {
        red[name] = String(error);
      }),
    ),
  );
  return red;
};

/** The conforming librarian with another answer to one question. */
const but =
  (words: string, otherwise: Librarian): Librarian =>
  async (query, context) =>
    typeof query === 'string' && query.includes(words)
      ? otherwise(query, context)
      : conforming(query, context);

const answering = (changes: object): Librarian =>
  but('the key', async () => ({ ...ANSWER, ...changes }) as LibrarianResponse);

const declining = (response: object): Librarian =>
  but('the king', async () => response as LibrarianResponse);
const error = UNKNOWN.error!;
const echo: Librarian = async (query) => ({ ...ANSWER, answer: `You asked: ${query}` });
const elsewhere = (to: string) => declining({ delegate: { to } });
const instead = (response: LibrarianResponse): Librarian => {
  return async (query, context) => (query === ' ' ? response : conforming(query, context));
};
let turn = 0;

/** Broken librarians, each with the beginning of the only check that fails. */
const BROKEN: Record<string, Librarian> = {
  'has no answer -> answers a question': answering({ answer: undefined, error }),
  'answers when it must fail -> tells what went wrong': instead(ANSWER),
  'fails with another code -> tells what went wrong': instead(UNKNOWN),
  'does not delegate -> hands on what another': but('the moon', async () => ANSWER),
  'ignores its timeout -> gives up when': but('the weather', async (_, context) =>
    context?.timeout === 100 ? never() : untilAborted(context?.signal),
  ),
  'fails when its model fails -> works with a model that': but('the key', async (_, context) => {
    await context?.ai?.complete([]);
    return ANSWER;
  }),
  'returns no member of the contract -> returns Responses': declining({ text: 'x' }),
  'returns an answer of 5,000 characters -> returns Responses': declining({
    answer: 'x'.repeat(5000),
  }),
  'has a confidence of 2 -> says how sure': declining({ answer: 'x', confidence: 2 }),
  'has no confidence -> says how sure': answering({ confidence: undefined }),
  'is unsure without being partial -> calls an answer partial': declining({
    answer: 'x',
    confidence: 0.3,
  }),
  'does not name a source -> names its sources': withSources({ url: 'https://a.example' }),
  'has no source -> names its sources': answering({ sources: undefined }),
  'names a source twice -> names its sources': withSources({ name: 'a' }, { name: 'a' }),
  'names the best source last -> names its sources': withSources(
    { name: 'a', relevance: 0.1 },
    { name: 'b', relevance: 0.9 },
  ),
  'has a nonstandard code -> uses the standard codes': declining({
    error: { code: 'OOPS', message: 'x' },
  }),
  'has no suggestion -> uses the standard codes': declining({
    error: { ...error, suggestion: undefined },
  }),
  'repeats itself -> uses the standard codes': declining({
    error: { ...error, suggestion: error.message },
  }),
  'shows its stack -> uses the standard codes': declining({
    error: { ...error, message: 'Error: x\n    at find (notes.ts:3:1)' },
  }),
  'delegates to an unknown librarian -> hands on only to those': elsewhere('unknown'),
  'delegates to its caller -> hands on only to those': elsewhere('gateway'),
  'delegates to itself -> hands on only to those': elsewhere('librarian-under-test'),
  'delegates in a circle -> hands on only to those': but('the moon', async () => ({
    delegate: { to: 'expert' },
  })),
  'answers differently each time -> gives the same kind': but('the king', async () =>
    turn++ % 2 === 0 ? UNKNOWN : ANSWER,
  ),
  'throws for a question that is no text -> never throws': async (query, context) =>
    conforming(query.trim(), context),
  'throws synchronously -> never throws': (query, context) => {
    if (typeof query === 'symbol') throw new Error('x');
    return conforming(query, context);
  },
  'returns no promise -> never throws': ((query: unknown, context) =>
    query === undefined ? INVALID : conforming(query as string, context)) as Librarian,
  'throws for hostile questions -> answers hostile': but('<script>', () =>
    Promise.reject(new Error('x')),
  ),
  'repeats HTML -> answers hostile': but('<script>', echo),
  'repeats images -> answers hostile': but('pixel.png', echo),
  'trusts its metadata -> passes over metadata': but('the key', async (_, { metadata } = {}) => {
    (metadata?.history as string[] | undefined)?.map(String);
    return ANSWER;
  }),
  'changes its context -> leaves its context': but(
    'the key',
    changing(ANSWER, (context) => void Object.assign(context, { timeout: 1 })),
  ),
  'changes a member of its context -> leaves its context': but(
    'the king',
    changing(
      UNKNOWN,
      ({ delegationChain }) => void (delegationChain as string[] | undefined)?.push('me'),
    ),
  ),
  'needs a context -> works without a context': but('the key', async (_, context) =>
    orThrow(context !== undefined),
  ),
  'needs a context that is not empty -> works without a context': but(
    'the key',
    async (_, context) => orThrow(!context || !!context.trace),
  ),
  'ignores that the caller disconnected -> stops at once': but('the weather', async (_, context) =>
    context?.timeout === 100 ? untilAborted(context.signal) : never(),
  ),
};

const WITH_MODEL = { ...CASES, answers: { query: 'Where is the key?', context: { ai: MODEL } } };
const OTHERWISE: [row: string, Librarian, LibrarianCases][] = [
  [
    'fails although it claims never to -> has an answer to everything',
    async (query) => (typeof query === 'string' && query.includes('orders') ? UNKNOWN : ANSWER),
    NEVER,
  ],
  [
    'delegates although it claims never to -> hands nothing on',
    async (_, context) =>
      context?.availableDelegates?.[0]
        ? { delegate: { to: context.availableDelegates[0].id } }
        : ANSWER,
    NEVER,
  ],
  [
    'needs a model -> answers without a model',
    but('the key', async (_, context) => (context?.ai ? ANSWER : UNKNOWN)),
    WITH_MODEL,
  ],
];

describe('librarianChecks()', () => {
  it.each<[string, Librarian, LibrarianCases]>([
    ['a conforming librarian', conforming, CASES],
    ['one that always answers', async () => ANSWER, NEVER],
  ])('accepts %s', async (_, librarian, cases) =>
    expect(await redOf(librarian, cases)).toEqual({}),
  );

  const ROWS = [
    ...Object.entries(BROKEN).map(([row, librarian]) => [row, librarian, CASES] as const),
    ...OTHERWISE,
  ];
  it.each(ROWS)('detects a librarian that %s, by only one check', async (row, librarian, cases) => {
    const red = await redOf(librarian, cases);
    expect(Object.keys(red)).toEqual([expect.stringMatching(`^${row.split(' -> ')[1]}`)]);
    expect(Object.values(red)[0]).toMatch(/^NotConforming: \w/);
  });
  it('detects a librarian that always throws in every check that asks', async () => {
    expect(Object.keys(await redOf(() => Promise.reject(new Error('x')))).length).toBeGreaterThan(
      10,
    );
  });
});
it('names the cases that are missing', () => {
  const { fails: _, waits: __, ...some } = CASES;
  expect(() => librarianChecks(conforming, some as LibrarianCases)).toThrow(
    'the cases lack fails, waits',
  );
});

it('describeLibrarian() passes each check to the runner, the five required ones first', () => {
  const names: string[] = [];
  describeLibrarian('The porter', conforming, CASES, {
    describe: (name, body) => {
      names.push(name);
      body();
    },
    it: (name) => names.push(name),
  });
  expect(names.slice(0, 6)).toEqual([
    'The porter as a librarian',
    'answers a question that it is made for',
    'tells what went wrong as an error',
    'hands on what another knows better',
    'gives up when its time is over',
    'answers without a model',
  ]);
  expect(names).toHaveLength(1 + librarianChecks(conforming, CASES).length);
});

describeLibrarian('the conforming librarian of these tests', conforming, CASES, { describe, it });

function failure(code: 'INVALID_QUERY' | 'NOT_FOUND', suggestion: string): LibrarianResponse {
  return {
    error: { code, message: 'Cannot answer this question', recoverable: false, suggestion },
  };
}

function never(): Promise<never> {
  return new Promise(() => {});
}

function untilAborted(signal: AbortSignal | undefined): Promise<LibrarianResponse> {
  const timeout = {
    error: {
      code: 'TIMEOUT',
      message: 'Cannot answer in time',
      recoverable: true,
      suggestion: 'Ask again later',
    },
  };
  return new Promise((resolve) => {
    const stop = () => resolve(timeout as LibrarianResponse);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
}

function withSources(...sources: object[]): Librarian {
  return declining({ answer: 'x', sources });
}

/** Tries to change its context, which may be frozen. */
function changing(answer: LibrarianResponse, change: (context: Context) => void): Librarian {
  return async (_, context = {}) => {
    try {
      change(context);
    } catch {}
    return answer;
  };
}

function orThrow(isValid: boolean): LibrarianResponse {
  if (!isValid) throw new Error('x');
  return ANSWER;
}
