import type { AIClient, Context, Librarian } from '../core/librarian.ts';
import { type DelegateRequest, DelegationTrace, type LibrarianResponse } from '../core/response.ts';
import { validateResponse } from '../core/validate-response.ts';
import {
  ask,
  type Check,
  caseResponse,
  HOSTILE_QUESTIONS,
  insist,
  type LibrarianCase,
  type LibrarianCases,
  NO_QUESTIONS,
  ODD_METADATA,
  responseOf,
  type Subject,
  subjectOf,
} from './ask-librarian.ts';

/** One test of the suite. `run` rejects with the violation. */
interface LibrarianCheck {
  name: string;
  run(): Promise<void>;
}

/**
 * All tests of the suite for one librarian, independent of each other and of any test runner.
 *
 * @throws {TypeError} When a case is missing.
 *
 * @example
 * import type { Librarian } from '@constellation/contract';
 *
 * const sources = [{ name: 'Shop hours' }];
 * const hours: Librarian = async () => ({ answer: 'From 9 to 18.', sources, confidence: 0.9 });
 * const never = 'never' as const;
 * const answers = { query: 'When do you open?' };
 * const cases = { answers, fails: never, declines: never, delegates: never, waits: never };
 * for (const { name, run } of librarianChecks(hours, cases)) {
 *   await run().catch((violation: unknown) => console.error(name, violation));
 * }
 */
export function librarianChecks(librarian: Librarian, cases: LibrarianCases): LibrarianCheck[] {
  const missing = ['answers', 'fails', 'declines', 'delegates', 'waits'].filter(
    (name) => !(name in cases),
  );
  if (missing.length > 0)
    throw new TypeError(
      `Cannot check the librarian: the cases lack ${missing.join(', ')}. A case that cannot occur is 'never'`,
    );
  const subject = subjectOf(librarian, cases);
  return [...REQUIRED_CHECKS, ...RESPONSE_CHECKS, ...SAFETY_CHECKS].map(({ name, run }) => ({
    name: typeof name === 'string' ? name : name(cases),
    run: () => run(subject),
  }));
}

/** The five tests that every librarian must pass. */
const REQUIRED_CHECKS: readonly Check[] = [
  {
    name: 'answers a question that it is made for',
    run: async (subject) => insistAnswered(await caseResponse(subject, subject.cases.answers)),
  },
  {
    name: ({ fails }) =>
      fails === 'never' ? 'has an answer to everything' : 'tells what went wrong as an error',
    run: async (subject) => {
      const { fails } = subject.cases;
      if (fails !== 'never') {
        const { error, answer } = await caseResponse(subject, fails);
        insist(answer === undefined, 'answers the question that is meant to fail');
        return insist(
          error?.code === fails.code,
          `fails with ${error?.code ?? 'no error'} instead of ${fails.code}`,
        );
      }
      for (const { name, query } of HOSTILE_QUESTIONS) {
        const { error } = await caseResponse(subject, { query });
        insist(
          error === undefined,
          `fails with ${error?.code} for ${name}, although it never fails`,
        );
      }
    },
  },
  {
    name: ({ delegates }) =>
      delegates === 'never'
        ? 'hands nothing on, even where it could'
        : 'hands on what another knows better',
    run: async (subject) => {
      const { delegates, answers, declines } = subject.cases;
      if (delegates !== 'never')
        return insistHandedOn(await caseResponse(subject, delegates), [delegates.to].flat());
      const context = {
        availableDelegates: [{ id: 'somebody-else', name: 'Knows everything better' }],
      };
      const queries = [answers, ...(declines === 'never' ? [] : [declines]), ...HOSTILE_QUESTIONS];
      for (const { query } of queries) {
        const { delegate } = await caseResponse(subject, { query, context });
        insist(
          delegate === undefined,
          `hands ${JSON.stringify(query.slice(0, 80))} on, although it never delegates`,
        );
      }
    },
  },
  {
    name: ({ waits }) =>
      waits === 'never' ? 'answers without waiting for anything' : 'gives up when its time is over',
    run: async (subject) => {
      const { waits, answers } = subject.cases;
      const timeout = waits === 'never' ? subject.graceMs : TIMEOUT_MS;
      const { librarian = subject.librarian, query, context } = waits === 'never' ? answers : waits;
      const asked = subject.contextOf({
        ...context,
        timeout,
        signal: AbortSignal.timeout(timeout),
      });
      const limitMs = waits === 'never' ? timeout : timeout + subject.graceMs;
      const { error, partial } = responseOf(
        await ask(librarian, [query, asked], limitMs),
        'a question in little time',
      );
      if (waits === 'never') return insist(error === undefined, `fails with ${error?.code}`);
      insist(
        error?.code === 'TIMEOUT' || partial === true,
        'says neither TIMEOUT nor partial when its time is over',
      );
    },
  },
  {
    name: 'answers without a model',
    run: async (subject) => {
      const { answers } = subject.cases;
      const { ai: _, ...context } = answers.context ?? {};
      const { error, answer } = await caseResponse(subject, { ...answers, context });
      const isAnswered = answer !== undefined && error === undefined;
      const withModel = isAnswered ? undefined : await caseResponse(subject, answers);
      insist(
        withModel?.answer === undefined,
        `answers only with a model: without one it fails with ${error?.code}`,
      );
    },
  },
];

/** Short, but enough for a librarian to start. */
const TIMEOUT_MS = 100;

const insistAnswered = ({ answer, error }: LibrarianResponse): void => {
  insist(error === undefined, `fails with ${error?.code}: ${error?.message}`);
  insist(typeof answer === 'string', 'gives no answer');
};

/** The librarian either requests a delegation, or its trace shows one. */
const insistHandedOn = (
  { delegate, metadata, error }: LibrarianResponse,
  wanted: readonly string[],
): void => {
  const trace = DelegationTrace.safeParse(metadata?.trace);
  const asked = new Set([
    ...(delegate === undefined ? [] : [delegate].flat()).map(({ to }: DelegateRequest) => to),
    ...(trace.success ? trace.data.hops : []).map(({ to }) => to),
  ]);
  for (const id of wanted) {
    insist(
      asked.has(id),
      `does not hand the question on to ${id}${error === undefined ? '' : `: ${error.code}`}`,
    );
  }
};

/** Rules for every Response, whatever the question. */
const RESPONSE_CHECKS: readonly Check[] = [
  {
    name: 'returns Responses as the contract has them',
    run: (subject) =>
      insistNone(subject, (path) => !/^(?:confidence|partial|sources|error|delegate)\b/.test(path)),
  },
  {
    name: 'says how sure it is, from 0 to 1',
    run: async (subject) => {
      await insistNone(subject, (path) => path === 'confidence');
      const { confidence } = await caseResponse(subject, subject.cases.answers);
      insist(confidence !== undefined, 'answers without saying how sure it is');
    },
  },
  {
    name: 'calls an answer partial when its confidence is below 0.6',
    run: (subject) => insistNone(subject, (path) => path === 'partial'),
  },
  {
    name: 'names its sources, each once, best first',
    run: async (subject) => {
      await insistNone(subject, (path) => path.startsWith('sources'));
      const { sources = [] } = await caseResponse(subject, subject.cases.answers);
      insist(sources.length > 0, 'answers without a source');
    },
  },
  {
    name: 'uses the standard codes of errors, with a suggestion that helps, and tells nothing about its inside',
    run: async (subject) => {
      await insistNone(subject, (path) => path.startsWith('error'));
      for (const { response, to } of await responses(subject)) {
        const text = JSON.stringify(response.error ?? {});
        insist(
          !/\\n\s+at |node_modules|file:\/\//.test(text),
          `shows its stack in the error for ${to}`,
        );
      }
    },
  },
  {
    name: 'hands on only to those who exist, and never in a circle',
    run: async (subject) => {
      await insistNone(subject, (path) => path.startsWith('delegate'));
      const { delegates } = subject.cases;
      if (delegates === 'never') return;
      const passed = [delegates.to].flat();
      const { availableDelegates: offered = [] } = delegates.context ?? {};
      const left = offered.filter(({ id }) => !passed.includes(id));
      const context = { delegationChain: ['gateway', ...passed], availableDelegates: left };
      const circle = { ...delegates, context: { ...delegates.context, ...context } };
      await insistNone(subject, (path) => path.startsWith('delegate'), [asAsked(subject, circle)]);
    },
  },
  {
    name: 'gives the same kind of answer to the same question',
    run: async (subject) => {
      for (const asked of namedCases(subject)) {
        const first = kindOf(await caseResponse(subject, asked));
        const second = kindOf(await caseResponse(subject, asked));
        insist(
          first === second,
          `answers ${JSON.stringify(asked.query)} with ${first}, then with ${second}`,
        );
      }
    },
  },
];

interface Asked {
  to: string;
  context: Context;
  outcome: ReturnType<typeof ask>;
}

const asAsked = (subject: Subject, { query, context, librarian }: LibrarianCase): Asked => {
  const full = subject.contextOf(context);
  return {
    to: JSON.stringify(query),
    context: full,
    outcome: ask(librarian ?? subject.librarian, [query, full]),
  };
};

const namedCases = ({ cases: { answers, fails, declines, delegates } }: Subject): LibrarianCase[] =>
  [answers, fails, declines, delegates].filter((each) => each !== 'never');

/** All questions that the suite asks with a context. */
const allAsked = (subject: Subject): Asked[] => [
  ...namedCases(subject).map((each) => asAsked(subject, each)),
  ...HOSTILE_QUESTIONS.map(({ name, query }) => ({ ...asAsked(subject, { query }), to: name })),
  ...NO_QUESTIONS.map(([name, query]) => {
    const context = subject.contextOf();
    return { to: name, context, outcome: ask(subject.librarian, [query, context]) };
  }),
];

/** The returned values, valid or not; other checks report exceptions and timeouts. */
const returned = async (asked: readonly Asked[]) => {
  const outcomes = await Promise.all(
    asked.map(async ({ to, context, outcome }) => ({ to, context, ...(await outcome) })),
  );
  return outcomes.flatMap((outcome) => (outcome.kind === 'returned' ? [outcome] : []));
};

const responses = async (
  subject: Subject,
): Promise<{ to: string; response: LibrarianResponse }[]> =>
  (await returned(allAsked(subject))).flatMap(({ to, value }) => {
    const checked = validateResponse(value);
    return checked.ok ? [{ to, response: checked.value }] : [];
  });

/** No Response has an issue or a warning at the paths that the check is about. */
const insistNone = async (
  subject: Subject,
  isAbout: (path: string) => boolean,
  asked = allAsked(subject),
) => {
  for (const { to, value, context } of await returned(asked)) {
    const { availableDelegates = [], delegationChain = [] } = context;
    const rules = {
      known: availableDelegates.map(({ id }) => id),
      chain: [...delegationChain, subject.info.id],
    };
    const checked = validateResponse(value, rules);
    const found = (checked.ok ? checked.warnings : checked.issues).find(({ path }) =>
      isAbout(path),
    );
    insist(
      found === undefined,
      `returns for ${to} a Response of which ${found?.path || 'the whole'} ${found?.message}`,
    );
  }
};

/** The properties of a Response that callers branch on. */
const kindOf = ({ answer, sources = [], delegate, error, partial }: LibrarianResponse): string =>
  [
    answer === undefined ? 'no answer' : 'an answer',
    `${sources.length > 0 ? 'some' : 'no'} sources`,
    `delegates ${JSON.stringify((delegate === undefined ? [] : [delegate].flat()).map(({ to }) => to))}`,
    error?.code ?? 'no error',
    partial === true ? 'partial' : 'whole',
  ].join(', ');

/** Rules that hold for any input. */
const SAFETY_CHECKS: readonly Check[] = [
  {
    name: 'never throws, whatever it is asked',
    run: async (subject) => {
      for (const [name, query] of NO_QUESTIONS) {
        const outcome = await ask(subject.librarian, [query, subject.contextOf()]);
        responseOf(outcome, name);
        insist(outcome.kind === 'returned' && outcome.isPromise, `returns no promise for ${name}`);
      }
    },
  },
  {
    name: 'answers hostile questions without repeating what would act',
    run: async (subject) => {
      for (const { name, query, mustNotRepeat } of HOSTILE_QUESTIONS) {
        const response = await caseResponse(subject, { query });
        insist(response.error?.code !== 'INTERNAL_ERROR', `breaks on ${name}`);
        const repeated = shownTexts(response).find((text) => mustNotRepeat?.test(text));
        insist(repeated === undefined, `repeats ${name}: ${repeated?.slice(0, 200)}`);
      }
    },
  },
  {
    name: 'passes over metadata that makes no sense',
    run: async (subject) => {
      const { answers } = subject.cases;
      for (const metadata of ODD_METADATA) {
        const { error } = await caseResponse(subject, {
          ...answers,
          context: { ...answers.context, metadata },
        });
        insist(
          error?.code !== 'INTERNAL_ERROR',
          `breaks on the metadata ${JSON.stringify(metadata).slice(0, 100)}`,
        );
      }
      insist(!('polluted' in {}), 'lets metadata change the prototype of objects');
    },
  },
  {
    name: 'leaves its context as it is, and works with a frozen one',
    run: async (subject) => {
      const { answers, declines } = subject.cases;
      for (const { query, context, librarian = subject.librarian } of [
        answers,
        ...(declines === 'never' ? [] : [declines]),
      ]) {
        const given = subject.contextOf(context);
        const before = textOf(given);
        await ask(librarian, [query, given]);
        insist(textOf(given) === before, 'changes its context');
        const frozen = deepFrozen(subject.contextOf(context));
        insistWell(
          responseOf(await ask(librarian, [query, frozen]), 'a frozen context'),
          'with a frozen context',
        );
      }
    },
  },
  {
    name: 'works without a context, and with an empty one',
    run: async ({ librarian, cases }) => {
      for (const context of [undefined, {}]) {
        const outcome = await ask(cases.answers.librarian ?? librarian, [
          cases.answers.query,
          context,
        ]);
        insistWell(responseOf(outcome, 'a question without a context'), 'without a context');
      }
    },
  },
  {
    name: 'works with a model that is down, silent or talks nonsense',
    run: async (subject) => {
      const { answers } = subject.cases;
      const usual = (await caseResponse(subject, answers)).error?.code;
      for (const ai of BAD_MODELS) {
        const time = { timeout: MODEL_TIMEOUT_MS, signal: AbortSignal.timeout(MODEL_TIMEOUT_MS) };
        const { error } = await caseResponse(subject, {
          ...answers,
          context: { ...answers.context, ai, ...time },
        });
        const isExpected =
          error === undefined || error.code === usual || MODEL_CODES.has(error.code);
        insist(isExpected, `fails with ${error?.code} when ${ai.model}`);
      }
    },
  },
  {
    name: 'stops at once when no one waits for the answer any more',
    run: async (subject) => {
      const { waits, answers } = subject.cases;
      const { librarian = subject.librarian, query, context } = waits === 'never' ? answers : waits;
      const gone = subject.contextOf({ ...context, signal: AbortSignal.abort() });
      insistWell(
        responseOf(await ask(librarian, [query, gone], subject.graceMs), 'aborted'),
        'for no one',
      );
      const leaving = new AbortController();
      const pending = ask(
        librarian,
        [query, subject.contextOf({ ...context, signal: leaving.signal })],
        subject.graceMs,
      );
      leaving.abort();
      insistWell(responseOf(await pending, 'somebody who leaves'), 'for somebody who leaves');
    },
  },
];

const MODEL_TIMEOUT_MS = 1000;
const MODEL_CODES: ReadonlySet<string> = new Set(['AI_UNAVAILABLE', 'TIMEOUT']);

/** Models that misbehave, each named after its behaviour. */
const BAD_MODELS: readonly AIClient[] = [
  {
    model: 'the model is down',
    complete: () => Promise.reject(new Error('Cannot reach the model: status is 503')),
  },
  { model: 'the model says nothing', complete: async () => ({ text: '' }) },
  {
    model: 'the model talks nonsense',
    complete: async () => ({ text: '}]{"answer": 7, "confidence": "very" <script>' }),
  },
  { model: 'the model is silent', complete: () => new Promise(() => {}) },
];

const insistWell = ({ error }: LibrarianResponse, when: string): void =>
  insist(error?.code !== 'INTERNAL_ERROR', `breaks ${when}: ${error?.message}`);

/** The texts of a Response that users see. */
const shownTexts = ({ answer = '', sources = [], error }: LibrarianResponse): string[] => [
  answer,
  ...sources.map(({ name }) => name),
  error?.message ?? '',
  error?.suggestion ?? '',
];

/** Plain data only: a signal and a model have state of their own. */
const plainPartsOf = ({ signal: _, ai: __, ...plain }: Context): Context => plain;

const textOf = (context: Context): string =>
  `${Object.keys(context)} ${JSON.stringify(plainPartsOf(context))}`;

const deepFrozen = (context: Context): Context => {
  freezeAll(plainPartsOf(context));
  return Object.freeze(context);
};

const freezeAll = (value: unknown): void => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  Object.values(value).forEach(freezeAll);
};
