import type { Context } from '../librarian.ts';
import type { LibrarianResponse } from '../response.ts';
import { validateResponse } from '../validate-response.ts';
import type { Check, LibrarianCase, Subject } from './ask-librarian.ts';
import { ask, caseResponse, insist } from './ask-librarian.ts';
import { HOSTILE_QUESTIONS, NO_QUESTIONS } from './odd-questions.ts';

/** Rules for every Response, whatever the question. */
export const RESPONSE_CHECKS: readonly Check[] = [
  {
    name: 'returns Responses as the contract has them',
    run: (subject) => insistNone(subject, (path) => !/^(?:confidence|partial|sources|error|delegate)\b/.test(path)),
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
        insist(!/\\n\s+at |node_modules|file:\/\//.test(text), `shows its stack in the error for ${to}`);
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
        insist(first === second, `answers ${JSON.stringify(asked.query)} with ${first}, then with ${second}`);
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
  return { to: JSON.stringify(query), context: full, outcome: ask(librarian ?? subject.librarian, [query, full]) };
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

const responses = async (subject: Subject): Promise<{ to: string; response: LibrarianResponse }[]> =>
  (await returned(allAsked(subject))).flatMap(({ to, value }) => {
    const checked = validateResponse(value);
    return checked.ok ? [{ to, response: checked.value }] : [];
  });

/** No Response has an issue or a warning at the paths that the check is about. */
const insistNone = async (subject: Subject, isAbout: (path: string) => boolean, asked = allAsked(subject)) => {
  for (const { to, value, context } of await returned(asked)) {
    const { availableDelegates = [], delegationChain = [] } = context;
    const rules = { known: availableDelegates.map(({ id }) => id), chain: [...delegationChain, subject.info.id] };
    const checked = validateResponse(value, rules);
    const found = (checked.ok ? checked.warnings : checked.issues).find(({ path }) => isAbout(path));
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
