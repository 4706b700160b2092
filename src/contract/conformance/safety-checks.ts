import type { AIClient, Context } from '../librarian.ts';
import type { LibrarianResponse } from '../response.ts';
import type { Check } from './ask-librarian.ts';
import { ask, caseResponse, insist, responseOf } from './ask-librarian.ts';
import { HOSTILE_QUESTIONS, NO_QUESTIONS, ODD_METADATA } from './odd-questions.ts';

/** Rules that hold for any input. */
export const SAFETY_CHECKS: readonly Check[] = [
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
        const { error } = await caseResponse(subject, { ...answers, context: { ...answers.context, metadata } });
        insist(error?.code !== 'INTERNAL_ERROR', `breaks on the metadata ${JSON.stringify(metadata).slice(0, 100)}`);
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
        insistWell(responseOf(await ask(librarian, [query, frozen]), 'a frozen context'), 'with a frozen context');
      }
    },
  },
  {
    name: 'works without a context, and with an empty one',
    run: async ({ librarian, cases }) => {
      for (const context of [undefined, {}]) {
        const outcome = await ask(cases.answers.librarian ?? librarian, [cases.answers.query, context]);
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
        const { error } = await caseResponse(subject, { ...answers, context: { ...answers.context, ai, ...time } });
        const isExpected = error === undefined || error.code === usual || MODEL_CODES.has(error.code);
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
      insistWell(responseOf(await ask(librarian, [query, gone], subject.graceMs), 'aborted'), 'for no one');
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
  { model: 'the model is down', complete: () => Promise.reject(new Error('Cannot reach the model: status is 503')) },
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

const textOf = (context: Context): string => `${Object.keys(context)} ${JSON.stringify(plainPartsOf(context))}`;

const deepFrozen = (context: Context): Context => {
  freezeAll(plainPartsOf(context));
  return Object.freeze(context);
};

const freezeAll = (value: unknown): void => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  Object.values(value).forEach(freezeAll);
};
