import type { AIClient, AICompletion, AICompletionOptions, AIMessage } from '../../src/contract/librarian.ts';

/** The parts of a model call that tests read. */
export interface ModelCall {
  messages: readonly AIMessage[];
  options: AICompletionOptions;
  /** The object in the first user message. */
  given: {
    question: string;
    history: unknown[];
    passages: { passage: string; title: string; section: string; text: string }[];
    /** Only in the judge's call. */
    sections?: { id: string; heading: string; text: string }[];
    statements?: { id: string; statement: string; quotes: { heading: string; text: string }[]; sections: string[] }[];
  };
}

export type Reply =
  | Partial<AICompletion>
  | ((call: ModelCall) => Partial<AICompletion> | Promise<Partial<AICompletion>>);

/**
 * A model that replies from a script, repeating the last reply, and records its calls. The judge's
 * call takes `judge`, not the script; by default it accepts every statement.
 */
export const scriptedModel = (...script: Reply[]): ScriptedModel => {
  const calls: ModelCall[] = [];
  const answerCalls: ModelCall[] = [];
  const model: ScriptedModel = {
    model: 'scripted-1',
    calls,
    judge: judging(() => true),
    queries: { text: JSON.stringify({ queries: [] }) },
    complete: async (messages, options = {}) => {
      const given = JSON.parse(messages.find(({ role }) => role === 'user')?.content ?? '{}') as ModelCall['given'];
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
};

export interface ScriptedModel extends AIClient {
  calls: ModelCall[];
  /** Reply to the judge's call. */
  judge: Reply;
  /** Reply to the call for search queries; none by default. */
  queries: Reply;
}

/** A judge that decides each statement by `isStated`. */
export const judging =
  (isStated: (statement: string) => boolean) =>
  ({ given }: ModelCall): Partial<AICompletion> => ({
    text: JSON.stringify({
      judgements: (given.statements ?? []).map(({ id, statement }) => ({
        id,
        reason: 'as scripted',
        verdict: isStated(statement) ? 'stated' : 'not_stated',
      })),
    }),
  });

export interface ScriptedStatement {
  text: string;
  /** Beginning of a passage's title; the first passage when absent. */
  from?: string;
  quote?: string;
  passages?: string[];
}

/** A valid reply. A statement without `quote` quotes itself; with `quote: ''` it has no quote but names its passages. */
export const replyOf = (
  statements: readonly ScriptedStatement[],
  more: { verdict?: string; confidence?: string; [member: string]: unknown } = {},
): ((call: ModelCall) => Partial<AICompletion>) => {
  return ({ given }) => {
    const idOf = ({ from = '', passages }: ScriptedStatement) =>
      passages ?? [
        given.passages.find(({ title, section, text }) => `${title} ${section} ${text}`.includes(from))?.passage ??
          'p1',
      ];
    return {
      text: JSON.stringify({
        statements: statements.map((each) => ({
          quotes: idOf(each).map((passage) => ({ passage, quote: each.quote ?? each.text })),
          text: each.text,
        })),
        verdict: 'answer',
        confidence: 'high',
        ...more,
      }),
    };
  };
};
