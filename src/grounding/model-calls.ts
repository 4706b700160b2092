import type { AIClient, AICompletion, AIMessage } from '../contract/librarian.ts';
import { ContextRefused } from '../runtime/context-refused.ts';
import { type Deadline, startDeadline } from '../runtime/deadline.ts';
import { ModelBudgetSpent } from '../runtime/model-budget.ts';

/** Why a call gave no text: each has its own sentence for the reader (`REFUSALS` of the navigator). */
export type CallFailure = 'unavailable' | 'timeout' | 'over_budget' | 'refused' | 'filtered' | 'cut';

type CallResult = { ok: true; text: string } | { ok: false; failure: CallFailure };

/** What the calls took, by the API's own numbers. */
export interface CallUsage {
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** Absent where the model has no price. */
  costUsd?: number | undefined;
}

/** The calls to a model for one answer: they share one deadline and are counted together. */
export interface ModelCalls {
  ask(
    messages: readonly AIMessage[],
    options: { maxTokens: number; schema?: { name: string; schema: Record<string, unknown> } | undefined },
  ): Promise<CallResult>;
  /** Undefined while no call was answered with its usage. */
  usage(): CallUsage | undefined;
  /** Stops the timer, and aborts a call that is still in flight. Must be called. */
  end(): void;
}

export interface ModelCallsOptions {
  ai: AIClient;
  /** For all calls together. With less than `MIN_TIME_MS` no call is made. */
  timeMs: number;
  /** Aborts when no one waits for the answer any more. */
  signal?: AbortSignal | undefined;
}

/** No model writes an answer in less. */
const MIN_TIME_MS = 250;

/** The clock starts at once. `ask` never throws. */
export const startModelCalls = ({ ai, timeMs, signal }: ModelCallsOptions): ModelCalls => {
  const deadline: Deadline | undefined = timeMs >= MIN_TIME_MS ? startDeadline(timeMs, signal) : undefined;
  let usage: CallUsage | undefined;
  return {
    ask: async (messages, { maxTokens, schema }) => {
      if (deadline === undefined || deadline.signal.aborted) return failed('timeout');
      try {
        const options = { maxTokens, temperature: 0, schema, signal: deadline.signal };
        const completion = await deadline.race(ai.complete(messages, options));
        usage = addUsage(usage, completion);
        const { text, finish = 'stop' } = completion;
        if (finish !== 'stop') return failed(finish === 'length' ? 'cut' : finish);
        return { ok: true, text };
      } catch (error) {
        if (error instanceof ModelBudgetSpent) return failed('over_budget');
        // Our own deadline, and not what a client may throw for other reasons.
        return failed(deadline.signal.aborted || error instanceof ContextRefused ? 'timeout' : 'unavailable');
      }
    },
    usage: () => usage,
    end: () => deadline?.end(),
  };
};

const failed = (failure: CallFailure): CallResult => ({ ok: false, failure });

const addUsage = (sum: CallUsage | undefined, { usage, costUsd }: AICompletion): CallUsage | undefined => {
  if (usage === undefined) return sum;
  const hasCost = costUsd !== undefined || sum?.costUsd !== undefined;
  return {
    calls: (sum?.calls ?? 0) + 1,
    inputTokens: (sum?.inputTokens ?? 0) + usage.inputTokens,
    outputTokens: (sum?.outputTokens ?? 0) + usage.outputTokens,
    ...(hasCost ? { costUsd: (sum?.costUsd ?? 0) + (costUsd ?? 0) } : {}),
  };
};
