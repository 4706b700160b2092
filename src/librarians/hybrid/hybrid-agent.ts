import { answerPhrases } from '../../answering/write/answer-phrases.ts';
import type { ErrorInfo } from '../../contract/core/error-info.ts';
import { degradedIn, type LibrarianResponse } from '../../contract/core/response.ts';
import {
  AGENT_OPTIONS,
  type AgentMetadata,
  type AgentResponse as AgentResponseShape,
  type SubQuery,
} from '../../contract/wire/agent-response.ts';
import { errorInfo } from '../../platform/context/error-info-of.ts';
import {
  type AgentCall,
  type AgentProfile,
  type AnswerParts,
  degradedMetadata,
  readOptions,
} from '../agents/agent.ts';
import { AgentResponse } from '../agents/agent-response.ts';
import { statementOn } from '../agents/librarian-response.ts';
import { type AgentServeOptions, serveAgent } from '../agents/serve-agent.ts';
import { joinFailures } from '../delegation/abstention.ts';
import { aggregate } from '../delegation/aggregate.ts';
import { type AnsweredPart, askParts, type FailedPart, type Part, SOURCES } from './ask-parts.ts';
import examples from './question-examples.json' with { type: 'json' };
import { MAX_PARTS, type PartialQuery, proposeSplit, splitQuery } from './split-query.ts';
import {
  isWithoutDocuments,
  modelSynthesis,
  notesOn,
  shownFinding,
  synthesise,
} from './synthesise.ts';

/**
 * Answers a question that needs several kinds of source: splits it, has the other agents
 * answer the parts in parallel, and joins their findings. Parts that fail or are not allowed are named in the answer;
 * it fails only when no part succeeds, with the code that the parts have in common.
 *
 * Options that it reads: `analytics`, `semantic` and `web_search`, the options for the agent of that type.
 */
const hybridAgent = async (
  query: string,
  call: AgentCall,
  now: () => number = Date.now,
): Promise<AgentResponseShape> => {
  const options = readOptions(AGENT_OPTIONS.hybrid, call.options);
  const deadlineMs = now() + call.timeoutMs;
  call.progress?.({ type: 'searching' });
  const plan = await planQuery(query, call);
  call.parts?.routed(
    plan.queries.map(({ type, query: asked }) => ({ id: SOURCES[type].librarian, query: asked })),
  );
  const onAnswer =
    call.parts &&
    ((part: AnsweredPart) => report(part, { sent: call.parts, count: plan.queries.length }));
  const phrases = answerPhrases(call.language);
  const parts = await askParts(plan.queries, { ...call, options, onAnswer });
  const about = metadataOf(parts, plan);
  if (!parts.some(({ ok }) => ok)) return failedTogether(query, parts, about);
  const informed = parts.filter((part): part is AnsweredPart => part.ok && part.isInformed);
  const written =
    call.ai === undefined
      ? undefined
      : await modelSynthesis(query, informed, {
          ...call,
          phrases,
          ai: call.ai,
          leftMs: deadlineMs - now(),
        });
  reportRest(call.parts, {
    written,
    informed,
    notes: notesOn(parts, plan.unasked, phrases),
    confidence: confidenceOf(parts),
  });
  const used = [
    ...new Set(parts.flatMap((part) => (part.ok && part.isInformed ? [part.type] : []))),
  ];
  return AgentResponse.success('hybrid', query)
    .setResult({
      sub_queries: parts.map((part) =>
        subQueryOf(part, Math.floor(ROOM_FOR_RESULTS / parts.length)),
      ),
      synthesis: synthesise(parts, { unasked: plan.unasked, written, phrases }),
      sources_used: used,
    })
    .setSourceAttribution(AgentResponse.createHybridSourceAttribution(used, confidenceOf(parts)))
    .setMetadata({
      ...about,
      synthesis_by: written === undefined ? 'findings' : 'model',
    })
    .toArray();
};

/** Sends the finding of a part when its librarian has answered. */
const report = (
  part: AnsweredPart,
  { sent, count }: { sent: AnswerParts | undefined; count: number },
): void => {
  if (isWithoutDocuments(part)) return;
  const statement = statementOn(
    shownFinding(part, count),
    [foundIn(part)],
    part.attribution.confidence,
  );
  sent?.add({ librarian: part.librarian, ...statement });
};

interface Joined {
  written: string | undefined;
  informed: readonly AnsweredPart[];
  notes: readonly string[];
  confidence: number;
}

/** Sends what the answer has beside the findings, or in place of them. */
const reportRest = (
  sent: AnswerParts | undefined,
  { written, informed, notes, confidence }: Joined,
): void => {
  if (written !== undefined) {
    sent?.withdraw('the text of a model that joins the parts replaces it');
    sent?.add(statementOn(written, informed.map(foundIn), confidence));
  }
  // What a note states is known of the answer itself.
  for (const note of notes) sent?.add(statementOn(note, [], 1));
};

const foundIn = ({ type, result, attribution }: AnsweredPart) => ({
  type,
  result,
  source_attribution: attribution,
});

/** Characters for the results in a librarian's metadata; the rest is for the synthesis and the trace. */
const ROOM_FOR_RESULTS = 110_000;

interface Plan {
  /** At most 6. */
  queries: PartialQuery[];
  /** Sub-queries beyond those. */
  unasked: string[];
  splitBy: 'rules' | 'model';
}

/** Splits a question: by the proposal of a model if there is a valid one, otherwise by rules. */
const planQuery = async (query: string, call: AgentCall): Promise<Plan> => {
  const proposed =
    call.ai === undefined ? undefined : await proposeSplit(query, { ...call, ai: call.ai });
  const all = (proposed ?? splitQuery(query)).map(
    (part) => [`${part.type} ${part.query.toLowerCase()}`, part] as const,
  );
  const distinct = [...new Map(all).values()];
  return {
    queries: distinct.slice(0, MAX_PARTS),
    unasked: distinct.slice(MAX_PARTS).map((part) => part.query),
    splitBy: proposed === undefined ? 'rules' : 'model',
  };
};

/**
 * How sure all parts together are, by the rule of joined answers: the weakest answered part, scaled by the share of
 * parts that were answered.
 */
const confidenceOf = (parts: readonly Part[]): number =>
  aggregate(
    parts.map((part) => {
      const { librarian: to } = SOURCES[part.type];
      return {
        request: { to, query: part.query },
        query: part.query,
        to,
        response: responseOf(part),
      };
    }),
  ).confidence ?? 0;

/** A source that found nothing leaves its part unanswered; its confidence in that does not count for the rest. */
const responseOf = (part: Part): LibrarianResponse => {
  if (!part.ok) return { error: part.error };
  if (!part.isInformed)
    return { error: errorInfo('NOT_FOUND', { librarian: SOURCES[part.type].librarian }) };
  return { answer: part.finding.slice(0, 32_000), confidence: part.attribution.confidence };
};

const metadataOf = (parts: readonly Part[], { splitBy, unasked }: Plan): AgentMetadata => {
  const failed = parts.filter((part): part is FailedPart => !part.ok);
  const isPartial =
    failed.length > 0 || unasked.length > 0 || parts.some((part) => part.ok && part.isPartial);
  return {
    sub_query_count: parts.length,
    split_by: splitBy,
    classification_reasoning: parts.map((part, at) => reasonFor(part, { place: at + 1, splitBy })),
    ...sharedBy(parts),
    failed: failed.map(({ type, query, error }) => ({
      type,
      query: query.slice(0, 1000),
      librarian: SOURCES[type].librarian,
      error_code: error.code,
    })),
    ...(isPartial ? { partial: true } : {}),
    ...degradedMetadata(
      parts.flatMap((part) => (part.ok ? degradedIn({ part: part.metadata }) : [])),
    ),
  };
};

const reasonFor = (
  { type }: Part,
  { place, splitBy }: { place: number; splitBy: Plan['splitBy'] },
): string => {
  const goes = `Part ${place} goes to ${SOURCES[type].name}`;
  return splitBy === 'model'
    ? `${goes}: a model chose it`
    : `${goes}, whose examples fit its words best`;
};

/** What the answered parts have in common: the thing that they are about, and whether all came from a cache. */
const sharedBy = (parts: readonly Part[]): AgentMetadata => {
  const known = parts.flatMap((part) => (part.ok ? [part.metadata] : []));
  const entities = new Map(
    known.flatMap(({ entity_id: id, entity_type: type }) =>
      typeof id === 'number' && typeof type === 'string'
        ? [[`${type} ${id}`, { entity_id: id, entity_type: type }]]
        : [],
    ),
  );
  const [entity, ...others] = entities.values();
  const hits = known.map(({ cache_hit }) => cache_hit);
  return {
    ...(others.length === 0 ? entity : {}),
    ...(hits.length === 0 || hits.includes(undefined)
      ? {}
      : { cache_hit: hits.every((hit) => hit === true) }),
  };
};

const subQueryOf = (part: Part, maxLength: number): SubQuery => {
  const { type, query } = part;
  if (!part.ok)
    return {
      type,
      query,
      result: {},
      source_attribution: {},
      success: false,
      error: part.error.message,
      error_code: part.error.code,
    };
  const result = trimResult(part.result, maxLength);
  return { type, query, result, source_attribution: part.attribution, success: true, error: null };
};

/**
 * Trims a result to at most `maxLength` characters of JSON: lists that are too long are cut, their count is adjusted,
 * and `omitted` is the number of entries that were cut.
 *
 * @returns Empty when even lists of one entry do not fit.
 */
const trimResult = (
  result: Record<string, unknown>,
  maxLength: number,
): Record<string, unknown> => {
  let trimmed = result;
  let omitted = 0;
  while (JSON.stringify(trimmed).length > maxLength) {
    const [name, count] = LISTS.find(([list]) => lengthOf(trimmed[list]) > 1) ?? [];
    const list = name === undefined ? undefined : trimmed[name];
    if (name === undefined || !Array.isArray(list)) return {};
    const kept: unknown[] = list.slice(0, Math.floor(list.length / 2));
    omitted += list.length - kept.length;
    trimmed = {
      ...trimmed,
      [name]: kept,
      ...(count === undefined ? {} : { [count]: kept.length }),
      omitted,
    };
  }
  return trimmed;
};

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** Result lists that may be cut, with the member that counts them. */
const LISTS = [
  ['rows', 'row_count'],
  ['documents', 'document_count'],
  ['external_results', undefined],
  ['urls', undefined],
] as const;

/** The librarians that were asked decide the code; if none could be asked, it is UNAUTHORIZED. */
const failedTogether = (query: string, parts: readonly Part[], about: AgentMetadata) => {
  const failed = parts.filter((part): part is FailedPart => !part.ok);
  const asked = failed.filter(({ isAsked }) => isAsked);
  const failures = asked.map(({ type, error }) => ({ librarian: SOURCES[type].librarian, error }));
  const { code, message, suggestion, recoverable, details } =
    asked.length > 0 ? joinFailures(failures) : unauthorized(failed);
  return AgentResponse.error('hybrid', query, code === 'NOT_FOUND' ? nothingFound(asked) : message)
    .setMetadata({
      ...about,
      error_code: code,
      suggestion,
      recoverable,
      ...(details === undefined ? {} : { details }),
    })
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

/**
 * The description of the hybrid agent. It needs no capability of its own, only those of the librarians that it asks.
 */
const HYBRID: AgentProfile = {
  type: 'hybrid',
  info: {
    id: 'hybrid',
    name: 'Hybrid',
    description:
      'Combines several librarians in one answer: for questions that need more than one kind of source at once, such as figures from the database together with the knowledge base, or our own price and stock together with the web.',
    examples,
    combines: Object.values(SOURCES).map(({ librarian }) => librarian),
  },
};

/** `POST /librarians/hybrid/ask`, `GET /librarians/hybrid` and `POST /v1/agents/hybrid`. */
export function createApp(options: AgentServeOptions) {
  return serveAgent(hybridAgent, HYBRID, options);
}
