import type { DelegateRequest, LibrarianResponse } from '../response.ts';
import { DelegationTrace } from '../response.ts';
import type { Check } from './ask-librarian.ts';
import { ask, caseResponse, insist, responseOf } from './ask-librarian.ts';
import { HOSTILE_QUESTIONS } from './odd-questions.ts';

/** The five tests that every librarian must pass. */
export const REQUIRED_CHECKS: readonly Check[] = [
  {
    name: 'answers a question that it is made for',
    run: async (subject) => insistAnswered(await caseResponse(subject, subject.cases.answers)),
  },
  {
    name: ({ fails }) => (fails === 'never' ? 'has an answer to everything' : 'tells what went wrong as an error'),
    run: async (subject) => {
      const { fails } = subject.cases;
      if (fails !== 'never') {
        const { error, answer } = await caseResponse(subject, fails);
        insist(answer === undefined, 'answers the question that is meant to fail');
        return insist(error?.code === fails.code, `fails with ${error?.code ?? 'no error'} instead of ${fails.code}`);
      }
      for (const { name, query } of HOSTILE_QUESTIONS) {
        const { error } = await caseResponse(subject, { query });
        insist(error === undefined, `fails with ${error?.code} for ${name}, although it never fails`);
      }
    },
  },
  {
    name: ({ delegates }) =>
      delegates === 'never' ? 'hands nothing on, even where it could' : 'hands on what another knows better',
    run: async (subject) => {
      const { delegates, answers, declines } = subject.cases;
      if (delegates !== 'never') return insistHandedOn(await caseResponse(subject, delegates), [delegates.to].flat());
      const context = { availableDelegates: [{ id: 'somebody-else', name: 'Knows everything better' }] };
      const queries = [answers, ...(declines === 'never' ? [] : [declines]), ...HOSTILE_QUESTIONS];
      for (const { query } of queries) {
        const { delegate } = await caseResponse(subject, { query, context });
        insist(delegate === undefined, `hands ${JSON.stringify(query.slice(0, 80))} on, although it never delegates`);
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
      const asked = subject.contextOf({ ...context, timeout, signal: AbortSignal.timeout(timeout) });
      const limitMs = waits === 'never' ? timeout : timeout + subject.graceMs;
      const { error, partial } = responseOf(await ask(librarian, [query, asked], limitMs), 'a question in little time');
      if (waits === 'never') return insist(error === undefined, `fails with ${error?.code}`);
      insist(error?.code === 'TIMEOUT' || partial === true, 'says neither TIMEOUT nor partial when its time is over');
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
      insist(withModel?.answer === undefined, `answers only with a model: without one it fails with ${error?.code}`);
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
const insistHandedOn = ({ delegate, metadata, error }: LibrarianResponse, wanted: readonly string[]): void => {
  const trace = DelegationTrace.safeParse(metadata?.trace);
  const asked = new Set([
    ...(delegate === undefined ? [] : [delegate].flat()).map(({ to }: DelegateRequest) => to),
    ...(trace.success ? trace.data.hops : []).map(({ to }) => to),
  ]);
  for (const id of wanted) {
    insist(asked.has(id), `does not hand the question on to ${id}${error === undefined ? '' : `: ${error.code}`}`);
  }
};
