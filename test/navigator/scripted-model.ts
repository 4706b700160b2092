import type { AIClient, AICompletion, AICompletionOptions, AIMessage } from '../../src/contract/librarian.ts';

/** What a model was asked, as far as tests look at it. */
export interface AskedModel {
  messages: readonly AIMessage[];
  options: AICompletionOptions;
  /** The object that the first user message holds. */
  given: {
    question: string;
    history: unknown[];
    passages: { passage: string; title: string; section: string; text: string }[];
  };
}

type Reply = Partial<AICompletion> | ((asked: AskedModel) => Partial<AICompletion> | Promise<Partial<AICompletion>>);

/** A model in memory that replies from a script, the last reply again and again, and remembers what it was asked. */
export const scriptedModel = (...script: Reply[]): AIClient & { asked: AskedModel[] } => {
  const asked: AskedModel[] = [];
  return {
    model: 'scripted-1',
    asked,
    complete: async (messages, options = {}) => {
      const given = JSON.parse(messages.find(({ role }) => role === 'user')?.content ?? '{}') as AskedModel['given'];
      const call = { messages, options, given };
      asked.push(call);
      const reply = script[Math.min(asked.length, script.length) - 1] ?? {};
      const completion = await (typeof reply === 'function' ? reply(call) : reply);
      return {
        text: '',
        finish: 'stop',
        usage: { inputTokens: 1000, outputTokens: 100 },
        costUsd: 0.0005,
        ...completion,
      };
    },
  };
};

export interface ScriptedStatement {
  text: string;
  /** Begins a passage's title; the first passage when absent. */
  from?: string;
  quote?: string;
  passages?: string[];
}

/** A reply of the asked shape. */
export const replyOf = (
  statements: readonly ScriptedStatement[],
  more: { verdict?: string; confidence?: string; [member: string]: unknown } = {},
): ((asked: AskedModel) => Partial<AICompletion>) => {
  return ({ given }) => {
    const idOf = ({ from = '', passages }: ScriptedStatement) =>
      passages ?? [given.passages.find(({ title, section }) => `${title} ${section}`.includes(from))?.passage ?? 'p1'];
    return {
      text: JSON.stringify({
        citations: statements.flatMap((each) =>
          idOf(each).map((passage) => ({ passage, quote: each.quote ?? each.text })),
        ),
        statements: statements.map((each) => ({ passages: idOf(each), text: each.text })),
        verdict: 'answer',
        confidence: 'high',
        ...more,
      }),
    };
  };
};
