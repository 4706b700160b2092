import type * as z from 'zod';
import type { AnswerPhrases } from '../../answering/write/answer-phrases.ts';
import { ASKER_FACTS, Statements } from '../../contract/core/ask.ts';
import { ErrorInfo, readAs } from '../../contract/core/error-info.ts';
import type { DelegateRequest, LibrarianResponse } from '../../contract/core/response.ts';
import {
  type AGENT_OPTIONS,
  type AgentDocument,
  type AgentMetadata,
  AgentResponse,
  type AgentSuccess,
  type SourceAttribution,
} from '../../contract/wire/agent-response.ts';
import { covers } from '../../platform/context/capabilities.ts';
import type { Branch } from '../../platform/context/delegates.ts';
import { errorInfo } from '../../platform/context/error-info-of.ts';
import { withoutStatements } from '../../platform/http/progress.ts';
import { type AgentCall, failureInfoOf } from '../agents/agent.ts';
import { AgentResponse as Builder } from '../agents/agent-response.ts';
import { isDeclined } from '../delegation/abstention.ts';
import { containMarkdown } from '../delegation/contain-markdown.ts';
import type { PartialQuery, SourceType } from './split-query.ts';

/** The librarian of each kind of source, the capability that asking it takes, and its name for people. */
export const SOURCES = {
  analytics: {
    librarian: 'analytics',
    capability: 'sql:read',
    name: 'the database',
    phrase: 'theDatabase',
  },
  semantic: {
    librarian: 'semantic',
    capability: 'kb:read',
    name: 'the knowledge base',
    phrase: 'theArticles',
  },
  web_search: {
    librarian: 'web-search',
    capability: 'web:search',
    name: 'the web search',
    phrase: 'theWeb',
  },
} as const satisfies Record<
  SourceType,
  { librarian: string; capability: string; name: string; phrase: keyof AnswerPhrases }
>;

/** Asked when the librarian of a part fails or finds nothing. */
const FALLBACK = { librarian: 'navigator', capability: 'kb:read' };

/** A part of a question with its result. */
export type Part = AnsweredPart | FailedPart;

export interface AnsweredPart extends PartialQuery {
  ok: true;
  /** Id of the librarian that answered. */
  librarian: string;
  /** The finding in the words of its librarian: Markdown that stays within its part. */
  finding: string;
  /** Whether the source found something; one that found nothing was asked, but does not count as used. */
  isInformed: boolean;
  /** Whether the source itself reports that something is missing. */
  isPartial: boolean;
  result: Record<string, unknown>;
  attribution: SourceAttribution;
  /** Metadata of the part's own response; empty when that was too large to return. */
  metadata: AgentMetadata;
}

export interface FailedPart extends PartialQuery {
  ok: false;
  error: ErrorInfo;
  /** Whether a librarian was asked; `false` when the caller may not. */
  isAsked: boolean;
}

interface Asking extends Pick<AgentCall, 'scope' | 'progress' | 'facts'> {
  /** Gets each part that was answered as soon as it is. */
  onAnswer?: ((part: AnsweredPart) => void) | undefined;
  options: z.infer<typeof AGENT_OPTIONS.hybrid>;
}

/**
 * Asks the librarian of each part, all at once, and the navigator for a part where it fails or finds nothing. A part that the context's
 * capabilities do not allow is not sent. The caller's options for a kind of source (`options.semantic`) go to its librarian as that one's own.
 *
 * @returns One part for each query, in their order.
 */
export async function askParts(
  queries: readonly PartialQuery[],
  { scope, options, progress, onAnswer, facts }: Asking,
): Promise<Part[]> {
  const { capabilities } = scope.context;
  const allowed = queries.filter(({ type }) => covers(capabilities, SOURCES[type].capability));
  const hasFallback = covers(capabilities, FALLBACK.capability);
  const requests = allowed.map((query) => requestOf(query, { options, facts, hasFallback }));
  const onBranch = (branch: Branch, place: number): void => {
    const query = allowed[place];
    const part = query && readPart(query, branch);
    if (part?.ok) onAnswer?.(part);
  };
  // Metadata of the whole question is of no use to its parts, and may leave no room for theirs.
  const sent = {
    metadata: {},
    progress: withoutStatements(progress),
    onBranch: onAnswer && onBranch,
  };
  const branches = requests.length > 0 ? await scope.delegates.ask(requests, sent) : [];
  const asked = new Map(allowed.map((query, place) => [query, branches[place]]));
  return queries.map((query) =>
    asked.has(query) ? readPart(query, asked.get(query)) : notAllowed(query),
  );
}

const requestOf = (
  { type, query }: PartialQuery,
  {
    options,
    facts = [],
    hasFallback,
  }: Pick<Asking, 'options' | 'facts'> & { hasFallback: boolean },
): DelegateRequest => {
  // Only documents differ by what somebody owns; nothing about a person goes to the web.
  const about = type === 'semantic' && facts.length > 0 ? { [ASKER_FACTS]: [...facts] } : {};
  // Options are always sent: those of the whole question are meant for this agent.
  const context = { ...about, options: { ...DEFAULT_OPTIONS[type], ...options[type] } };
  const { librarian: to } = SOURCES[type];
  return { to, query, context, ...(hasFallback ? { fallback: FALLBACK.librarian } : {}) };
};

/**
 * A part has the words of a question, not those of a document, so that matching documents are often less similar than
 * the 0.7 of a search. From 0.4 on they have low coverage: they are quoted, and the whole answer is no
 * surer than that.
 */
const DEFAULT_OPTIONS: Partial<Record<SourceType, Record<string, unknown>>> = {
  semantic: { similarity_threshold: 0.4 },
};

const notAllowed = (query: PartialQuery): FailedPart => {
  const { librarian, capability, name } = SOURCES[query.type];
  const message = `Not allowed: asking ${name} takes the capability ${capability}`;
  const ownWords =
    query.type === 'web_search'
      ? ', in your own words: those of an answer are not sent to the web'
      : '';
  const suggestion = `Ask with a key or a token that holds ${capability}${ownWords}`;
  return {
    ...query,
    ok: false,
    isAsked: false,
    error: errorInfo('UNAUTHORIZED', { librarian, message, suggestion }),
  };
};

/**
 * Reads the AgentResponse that a librarian answered with under `metadata.<type>`. None, or one of another type, is a
 * failure, unless the librarian reports that it was too large to return: then its text is the answer.
 */
const readPart = (query: PartialQuery, branch: Branch | undefined): Part => {
  const response = branch?.response;
  if (response === undefined) return failed(query, unusable(query));
  if (branch?.to === FALLBACK.librarian) return readFallback(query, response);
  const read = readAs(AgentResponse, response.metadata?.[query.type]);
  if (!read.ok) return withoutEnvelope(query, response);
  if (read.value.type !== query.type) return failed(query, unusable(query));
  if (!read.value.success) return failed(query, response.error ?? failureInfoOf(read.value));
  const finding = containMarkdown(findingOf(read.value, response));
  if (finding === '') return failed(query, unusable(query));
  const { source_attribution: attribution, result } = read.value;
  const metadata: AgentMetadata = read.value.metadata;
  const isInformed = hasFound(read.value);
  const isPartial = response.partial === true || metadata.partial === true || !isInformed;
  const { librarian } = SOURCES[query.type];
  return {
    ...query,
    ok: true,
    librarian,
    finding,
    isInformed,
    isPartial,
    result: { ...result },
    attribution,
    metadata,
  };
};

/**
 * The answer of the navigator in place of a librarian that failed or found nothing: a part from the knowledge base, whatever it was for.
 * Where that librarian failed, a doubtful answer is no replacement.
 */
const readFallback = ({ type, query }: PartialQuery, response: LibrarianResponse): Part => {
  const { answer = '', confidence = UNSTATED, partial = false, error, metadata = {} } = response;
  const read = readAs(ErrorInfo, metadata.delegationError);
  const first = read.ok ? read.value : undefined;
  const { librarian } = FALLBACK;
  const hasFailed = first !== undefined && first.code !== 'NOT_FOUND';
  const finding = containMarkdown(answer);
  if (finding === '' || isDeclined(response) || (partial && hasFailed))
    return failed(
      { type, query },
      first ?? error ?? errorInfo('NOT_FOUND', { librarian: SOURCES[type].librarian }),
    );
  const documents = documentsOf(response);
  const result = {
    documents,
    summary: answer,
    document_count: documents.length,
    similarity_threshold: 0,
  };
  const attribution = Builder.createSemanticSourceAttribution(documents.length, confidence);
  const known = { type: 'semantic' as const, query, ok: true as const, librarian, finding };
  return { ...known, isInformed: true, isPartial: partial, result, attribution, metadata: {} };
};

/** The passages that the statements of an answer quote, each place once. */
const documentsOf = ({ metadata, sources = [] }: LibrarianResponse): AgentDocument[] => {
  const read = readAs(Statements, metadata?.statements);
  const relevanceOf = new Map(
    sources.map(({ name, url, relevance = 0 }) => [url ?? name, relevance]),
  );
  const quoted = (read.ok ? read.value : []).flatMap(({ sources: places }) => places);
  const documents = quoted.flatMap(
    ({ name, url, file, section, quote }): [string, AgentDocument][] => {
      if (quote === undefined) return [];
      const about = {
        ...(file === undefined ? {} : { source: file }),
        title: name,
        ...(url === undefined ? {} : { url }),
      };
      const document = { content: quote, score: relevanceOf.get(url ?? name) ?? 0 };
      return [
        [
          `${file ?? name} ${section}`,
          { ...document, metadata: { ...about, heading: section ?? '' } },
        ],
      ];
    },
  );
  return [...new Map(documents.toReversed()).values()].reverse();
};

const failed = (query: PartialQuery, error: ErrorInfo): FailedPart => ({
  ...query,
  ok: false,
  isAsked: true,
  error,
});

const unusable = ({ type }: PartialQuery): ErrorInfo => {
  const { librarian, name } = SOURCES[type];
  const message = `Cannot use the answer of ${name}: it is not an AgentResponse of its type`;
  return errorInfo('DELEGATION_FAILED', { librarian, message });
};

const withoutEnvelope = (
  query: PartialQuery,
  { answer = '', error, ...response }: LibrarianResponse,
): Part => {
  const omitted: unknown = response.metadata?.omitted;
  const finding = containMarkdown(answer);
  const isOmitted = Array.isArray(omitted) && omitted.includes(query.type);
  if (!isOmitted || finding === '') return failed(query, error ?? unusable(query));
  const attribution = attributionOf(query, response.confidence ?? UNSTATED);
  const { librarian } = SOURCES[query.type];
  return {
    ...query,
    ok: true,
    librarian,
    finding,
    isInformed: true,
    isPartial: true,
    result: {},
    attribution,
    metadata: {},
  };
};

/** Confidence of an answer that does not state one. */
const UNSTATED = 0.6;

const attributionOf = ({ type }: PartialQuery, confidence: number): SourceAttribution => {
  if (type === 'analytics') return Builder.createAnalyticsSourceAttribution([], confidence);
  if (type === 'semantic') return Builder.createSemanticSourceAttribution(0, confidence);
  return Builder.createWebSearchSourceAttribution(0, confidence);
};

/** The answer in words; the web search has it in its metadata. */
const findingOf = (response: AgentSuccess, { answer = '' }: LibrarianResponse): string => {
  if (response.type === 'analytics') return response.result.interpretation.trim() || answer;
  if (response.type === 'semantic') return response.result.summary.trim() || answer;
  const { answer: own }: AgentMetadata = response.metadata;
  return typeof own === 'string' && own.trim() !== '' ? own.slice(0, 32_000) : answer;
};

const hasFound = (response: AgentSuccess): boolean => {
  if (response.type === 'semantic') return response.result.document_count > 0;
  if (response.type === 'web_search') return response.result.external_results.length > 0;
  return true;
};
