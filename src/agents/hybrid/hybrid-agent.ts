import type { AgentMetadata, AgentResponse as AgentResponseShape, SubQuery } from '../../contract/agent-response.ts';
import type { ErrorInfo } from '../../contract/error-info.ts';
import { joinFailures } from '../../delegation/failures.ts';
import type { AgentCall } from '../agent.ts';
import { AgentResponse } from '../agent-response.ts';
import { askParts } from './ask-parts.ts';
import { compareParts } from './compare-parts.ts';
import { modelSynthesis } from './model-synthesis.ts';
import type { AnsweredPart, FailedPart, Part } from './part.ts';
import { type Plan, planQuery } from './plan-query.ts';
import { SOURCES } from './source-type.ts';
import { synthesise } from './synthesise.ts';
import { trimResult } from './trim-result.ts';

/**
 * Answers a question that needs several kinds of source (seed 003, Hybrid Result): splits it, has the other agents answer
 * the parts at the same time, and puts their findings together. What fails or is not allowed is named, and the rest is
 * the answer; only when nothing came back it fails, with the code that the parts have in common.
 *
 * What it reads of the options: `analytics`, `semantic` and `web_search`, the options for the agent of that type.
 */
export const hybridAgent = async (
  query: string,
  call: AgentCall,
  now: () => number = Date.now,
): Promise<AgentResponseShape> => {
  const untilMs = now() + call.timeoutMs;
  const plan = await planQuery(query, call);
  const parts = await askParts(plan.queries, call);
  const about = metadataOf(parts, plan);
  if (!parts.some(({ ok }) => ok)) return failedTogether(query, parts, about);
  const { confidence, contradictions } = compareParts(parts);
  const informed = parts.filter((part): part is AnsweredPart => part.ok && part.isInformed);
  const written =
    call.ai === undefined || contradictions.length > 0
      ? undefined
      : await modelSynthesis(query, informed, { ai: call.ai, signal: call.signal, leftMs: untilMs - now() });
  const used = [...new Set(parts.flatMap((part) => (part.ok && part.isInformed ? [part.type] : [])))];
  return AgentResponse.success('hybrid', query)
    .setResult({
      sub_queries: parts.map((part) => subQueryOf(part, Math.floor(ROOM_FOR_RESULTS / parts.length))),
      synthesis: synthesise(parts, { contradictions, unasked: plan.unasked, written }),
      sources_used: used,
    })
    .setSourceAttribution(AgentResponse.createHybridSourceAttribution(used, confidence))
    .setMetadata({
      ...about,
      synthesis_by: written === undefined ? 'findings' : 'model',
      ...(contradictions.length > 0 ? { partial: true, contradictions } : {}),
    })
    .toArray();
};

/** Of the characters that a librarian's metadata may have; the rest is for the synthesis and the trace. */
const ROOM_FOR_RESULTS = 110_000;

const metadataOf = (parts: readonly Part[], { splitBy, unasked }: Plan): AgentMetadata => {
  const failed = parts.filter((part): part is FailedPart => !part.ok);
  const isPartial = failed.length > 0 || unasked.length > 0 || parts.some((part) => part.ok && part.isPartial);
  return {
    sub_query_count: parts.length,
    split_by: splitBy,
    failed: failed.map(({ type, query, error }) => ({
      type,
      query: query.slice(0, 1000),
      librarian: SOURCES[type].librarian,
      error_code: error.code,
    })),
    ...(isPartial ? { partial: true } : {}),
  };
};

const subQueryOf = (part: Part, maxLength: number): SubQuery => {
  const { type, query } = part;
  if (!part.ok)
    return {
      ...{ type, query, result: {}, source_attribution: {}, success: false },
      ...{ error: part.error.message, error_code: part.error.code },
    };
  const result = trimResult(part.result, maxLength);
  return { type, query, result, source_attribution: part.attribution, success: true, error: null };
};

/** Who was asked decides the code; where nobody could be asked, the missing rights do. */
const failedTogether = (query: string, parts: readonly Part[], about: AgentMetadata) => {
  const failed = parts.filter((part): part is FailedPart => !part.ok);
  const asked = failed.filter(({ isAsked }) => isAsked);
  const failures = asked.map(({ type, error }) => ({ librarian: SOURCES[type].librarian, error }));
  const { code, message, suggestion, recoverable, details } =
    asked.length > 0 ? joinFailures(failures) : unauthorized(failed);
  return AgentResponse.error('hybrid', query, code === 'NOT_FOUND' ? nothingFound(asked) : message)
    .setMetadata({ ...about, error_code: code, suggestion, recoverable, ...(details === undefined ? {} : { details }) })
    .toArray();
};

const nothingFound = (parts: readonly FailedPart[]): string => {
  const names = [...new Set(parts.map(({ type }) => SOURCES[type].name))].join(' and ');
  return `Cannot answer: ${names} found nothing that answers the question`;
};

const unauthorized = (parts: readonly FailedPart[]): ErrorInfo => {
  const missing = [...new Set(parts.map(({ type }) => SOURCES[type].capability))].join(', ');
  return {
    code: 'UNAUTHORIZED',
    message: `Cannot ask any source of this question: the context lacks ${missing}`,
    recoverable: false,
    suggestion: `Ask with a key or a token that holds ${missing}`,
  };
};
