import type {
  AIClient,
  AICompletion,
  AICompletionOptions,
  AIMessage,
} from '../../../src/contract/core/librarian.ts';
import { type ReadPrompt, readPrompt } from '../../../tools/stand-ins/read-prompt.ts';

/** The parts of a model call that tests read. */
export interface ModelCall {
  messages: readonly AIMessage[];
  options: AICompletionOptions;
  /** What stands between the tags of the user's message. */
  given: ReadPrompt & { question: string };
}

export type Reply =
  | Partial<AICompletion>
  | ((call: ModelCall) => Partial<AICompletion> | Promise<Partial<AICompletion>>);

/**
 * A model that replies from a script, repeating the last reply, and records its calls. The judge's
 * call takes `judge`, not the script; by default it accepts every statement.
 */
export function scriptedModel(...script: Reply[]): ScriptedModel {
  const calls: ModelCall[] = [];
  const answerCalls: ModelCall[] = [];
  const model: ScriptedModel = {
    model: 'scripted-1',
    calls,
    judge: judging(() => true),
    queries: seeking(),
    complete: async (messages, options = {}) => {
      const read = readPrompt(messages.find(({ role }) => role === 'user')?.content ?? '');
      const given = { passages: [], sections: [], statements: [], question: '', ...read };
      const call = { messages, options, given };
      calls.push(call);
      const name = options.schema?.name;
      if (name === 'answer_from_passages') answerCalls.push(call);
      const reply =
        name === 'judged_statements'
          ? model.judge
          : name === 'search_queries'
            ? model.queries
            : (script[Math.min(answerCalls.length, script.length) - 1] ?? {});
      const completion = await (typeof reply === 'function' ? reply(call) : reply);
      const usage = { inputTokens: 1000, outputTokens: 100 };
      return { text: '', finish: 'stop', usage, costUsd: 0.0005, ...completion };
    },
  };
  return model;
}

export interface ScriptedModel extends AIClient {
  calls: ModelCall[];
  /** Reply to the judge's call. */
  judge: Reply;
  /** Reply to the call for search queries; the question as it is by default. */
  queries: Reply;
}

/** Queries for one part; the question itself when there are none. */
export function seeking(...queries: readonly string[]) {
  return ({ given: { question } }: ModelCall): Partial<AICompletion> => ({
    text: JSON.stringify({
      alone: '',
      parts: [{ asked: question, queries: queries.length > 0 ? queries : [question] }],
    }),
  });
}

/** A judge that decides each statement by `isStated`. */
export function judging(
  isStated: (statement: string) => boolean,
  keep: (statement: string) => string = () => '',
) {
  return ({ given }: ModelCall): Partial<AICompletion> => ({
    text: JSON.stringify({
      judgements: given.statements.map(({ id, statement }) => ({
        id,
        finds: 'as scripted',
        keep: keep(statement),
        verdict: keep(statement) !== '' ? 'in_part' : isStated(statement) ? 'stated' : 'not_stated',
      })),
    }),
  });
}

export interface ScriptedStatement {
  text: string;
  /** Beginning of a passage's title; the first passage when absent. */
  from?: string;
  quote?: string;
  passages?: string[];
  /** 1 when absent. */
  part?: number;
}

/** A valid reply. A statement without `quote` quotes itself; with `quote: ''` it has no quote but names its passages. */
export function replyOf(
  statements: readonly ScriptedStatement[],
  more: Record<string, unknown> = {},
): (call: ModelCall) => Partial<AICompletion> {
  return ({ given }) => {
    const idOf = ({ from = '', passages }: ScriptedStatement) =>
      passages ?? [
        given.passages.find(({ title, section, text }) =>
          `${title} ${section} ${text}`.includes(from),
        )?.passage ?? 'p1',
      ];
    return {
      text: JSON.stringify({
        parts: [{ asked: given.question, passages: ['p1'], answered: 'yes' }],
        statements: statements.map((each) => ({
          part: each.part ?? 1,
          quotes: idOf(each).map((passage) => ({ passage, quote: each.quote ?? each.text })),
          text: each.text,
        })),
        missing: '',
        related: [],
        ...more,
      }),
    };
  };
}
