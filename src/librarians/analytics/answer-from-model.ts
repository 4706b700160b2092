import { answerPhrases } from '../../answering/write/answer-phrases.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import { SqlUnavailable } from '../../platform/storage/sql-database.ts';
import type { AgentCall } from '../agents/agent.ts';
import type { AgentResponse } from '../agents/agent-response.ts';
import type { Catalogue } from './catalogue.ts';
import { checkCurrencies } from './check-currencies.ts';
import { type Execute, responseFor } from './execute-sql.ts';
import { proposeSql, type Rejected } from './propose-sql.ts';
import { describeRows, originOf } from './run-sql.ts';

const ATTEMPTS = 2;
/** Confidence of a model's statement, whose meaning is not verified. */
const MODEL_CONFIDENCE = 0.7;

/**
 * Answers with a statement that a model proposes, in half of the time: the other half is for saying what can be asked instead.
 *
 * @returns `undefined` when there is no model, or it fails, hangs or proposes nothing that runs.
 */
export async function answerFromModel(
  query: string,
  call: AgentCall,
  { execute, catalogue, now }: { execute: Execute; catalogue: Catalogue; now: number },
): Promise<ReturnType<AgentResponse<'analytics'>['toArray']> | undefined> {
  let rejected: Rejected | undefined;
  const limits = { signal: call.signal, timeoutMs: Math.floor(call.timeoutMs / 2) };
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(limits.timeoutMs)]);
  for (let attempt = 0; attempt < ATTEMPTS && call.ai !== undefined; attempt++) {
    const { ai } = call;
    // A model that fails, hangs or replies nonsense must not cost the caller the reply that names what can be asked.
    const proposed = await withDeadline(
      () => proposeSql(ai, query, { catalogue, now, signal, rejected }),
      {
        signal,
        reason: 'the model did not propose a statement in time',
      },
    ).catch(() => undefined);
    if (proposed === undefined) return undefined;
    const { sql, wording } = proposed;
    const currencies = checkCurrencies(sql, catalogue);
    const executed = currencies.ok
      ? await orUndefined(() => execute({ sql }, limits), call.signal)
      : currencies;
    if (executed === undefined) return undefined;
    if (!executed.ok) {
      rejected = { sql, refusal: executed };
      continue;
    }
    const { table } = executed.value;
    const phrases = answerPhrases(call.language);
    const interpretation = `${describeRows(table, { wording, phrases })} ${originOf(now, phrases)}`;
    return responseFor(query, {
      executed: executed.value,
      interpretation,
      confidence: MODEL_CONFIDENCE,
    })
      .setMetadata({
        statement_by: 'model',
        model: call.ai.model,
        truncated: table.truncated,
        cache_hit: false,
        classification_reasoning: [
          'No named question surely asks the same: a model proposed the statement',
        ],
      })
      .toArray();
  }
  return undefined;
}

/** `undefined` when a model's statement passes the gate and then fails or takes too long, while the caller still waits. */
const orUndefined = async <T>(
  run: () => Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> => {
  try {
    return await run();
  } catch (error) {
    const isStatementFault = error instanceof CodedError && STATEMENT_FAULTS.has(error.code);
    if (signal.aborted || !(isStatementFault || error instanceof SqlUnavailable)) throw error;
    return undefined;
  }
};

const STATEMENT_FAULTS: ReadonlySet<string> = new Set(['DATA_SOURCE_ERROR', 'TIMEOUT']);
