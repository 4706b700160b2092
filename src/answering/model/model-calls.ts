import type {
  AIClient,
  AICompletion,
  AICompletionOptions,
  AIMessage,
} from '../../contract/core/librarian.ts';
import { ModelBudgetSpent } from '../../platform/context/model-budget.ts';
import { type Deadline, startDeadline } from '../../platform/http/deadline.ts';

/** Why a call returned no text. Each has its own sentence for the reader (`REFUSALS` of the navigator). */
export type CallFailure =
  | 'unavailable'
  | 'timeout'
  | 'over_budget'
  | 'refused'
  | 'filtered'
  | 'cut';

type CallResult = { ok: true; text: string } | { ok: false; failure: CallFailure };

/** Usage of the calls as the API reports it. */
export interface CallUsage {
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** Absent when the model has no configured price. */
  costUsd?: number | undefined;
}

/** The model calls for one answer, with a common deadline and a common usage count. */
export interface ModelCalls {
  ask(
    messages: readonly AIMessage[],
    options: Pick<AICompletionOptions, 'schema' | 'onText'> & { maxTokens: number },
  ): Promise<CallResult>;
  /** Undefined until a call returns its usage. */
  usage(): CallUsage | undefined;
  /** Stops the timer, and aborts a call that is still in flight. Must be called. */
  end(): void;
}

interface ModelCallsOptions {
  ai: AIClient;
  /** For all calls together. No call is made with less than `MIN_TIME_MS`. */
  timeMs: number;
  /** Aborts when the caller is gone. */
  signal?: AbortSignal | undefined;
}

/** No model answers in less time. */
const MIN_TIME_MS = 250;

/** The clock starts immediately. `ask` never throws. */
export function startModelCalls({ ai, timeMs, signal }: ModelCallsOptions): ModelCalls {
  const deadline: Deadline | undefined =
    timeMs >= MIN_TIME_MS ? startDeadline({ timeoutMs: timeMs, signal }) : undefined;
  let usage: CallUsage | undefined;
  return {
    ask: async (messages, { maxTokens, schema, onText }) => {
      if (deadline === undefined || deadline.signal.aborted) return failed('timeout');
      try {
        const options = { maxTokens, temperature: 0, schema, onText, signal: deadline.signal };
        const completion = await deadline.race(ai.complete(messages, options));
        usage = addUsage(usage, completion);
        const { text, finish = 'stop' } = completion;
        if (finish !== 'stop') return failed(finish === 'length' ? 'cut' : finish);
        return { ok: true, text };
      } catch (error) {
        if (error instanceof ModelBudgetSpent) return failed('over_budget');
        // Only our own deadline counts as a timeout, not other errors of the client.
        return failed(deadline.signal.aborted ? 'timeout' : 'unavailable');
      }
    },
    usage: () => usage,
    end: () => deadline?.end(),
  };
}

const failed = (failure: CallFailure): CallResult => ({ ok: false, failure });

const addUsage = (
  sum: CallUsage | undefined,
  { usage, costUsd }: AICompletion,
): CallUsage | undefined => {
  if (usage === undefined) return sum;
  const hasCost = costUsd !== undefined || sum?.costUsd !== undefined;
  return {
    calls: (sum?.calls ?? 0) + 1,
    inputTokens: (sum?.inputTokens ?? 0) + usage.inputTokens,
    outputTokens: (sum?.outputTokens ?? 0) + usage.outputTokens,
    ...(hasCost ? { costUsd: (sum?.costUsd ?? 0) + (costUsd ?? 0) } : {}),
  };
};
