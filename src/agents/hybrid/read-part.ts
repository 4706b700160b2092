import { type AgentMetadata, AgentResponse, type AgentSuccess } from '../../contract/agent-response.ts';
import type { ErrorInfo } from '../../contract/error-info.ts';
import { readAs } from '../../contract/issue.ts';
import type { LibrarianResponse } from '../../contract/response.ts';
import { containMarkdown } from '../../delegation/contain-markdown.ts';
import type { Branch } from '../../runtime/delegates.ts';
import { errorInfo } from '../../runtime/error-info-of.ts';
import { AgentResponse as Builder } from '../agent-response.ts';
import { failureInfoOf } from '../run-agent.ts';
import type { AnsweredPart, FailedPart, Part } from './part.ts';
import { SOURCES } from './source-type.ts';
import type { PartialQuery } from './split-query.ts';

/**
 * Reads what a librarian answered to a part: the AgentResponse under `metadata.<type>`. What is not one, or one of
 * another type, is a failure, except where the librarian says that it was too large to travel: then its text is the answer.
 */
export const readPart = (query: PartialQuery, branch: Branch | undefined): Part => {
  const response = branch?.response;
  if (response === undefined) return failed(query, unusable(query));
  const read = readAs(AgentResponse, response.metadata?.[query.type]);
  if (!read.ok) return withoutEnvelope(query, response);
  if (read.value.type !== query.type) return failed(query, unusable(query));
  if (!read.value.success) return failed(query, response.error ?? failureInfoOf(read.value));
  const finding = containMarkdown(findingOf(read.value, response));
  if (finding === '') return failed(query, unusable(query));
  const { source_attribution: attribution, result } = read.value;
  const isInformed = hasFound(read.value);
  const isPartial = response.partial === true || !isInformed;
  return { ...query, ok: true, finding, isInformed, isPartial, result: { ...result }, attribution };
};

const failed = (query: PartialQuery, error: ErrorInfo): FailedPart => ({ ...query, ok: false, isAsked: true, error });

const unusable = ({ type }: PartialQuery): ErrorInfo => {
  const { librarian, name } = SOURCES[type];
  return errorInfo('DELEGATION_FAILED', {
    librarian,
    message: `Cannot use the answer of ${name}: it is not of its form`,
  });
};

const withoutEnvelope = (query: PartialQuery, { answer = '', error, ...response }: LibrarianResponse): Part => {
  const omitted: unknown = response.metadata?.omitted;
  const finding = containMarkdown(answer);
  const isOmitted = Array.isArray(omitted) && omitted.includes(query.type);
  if (!isOmitted || finding === '') return failed(query, error ?? unusable(query));
  const attribution = attributionOf(query, response.confidence ?? UNSTATED);
  return { ...query, ok: true, finding, isInformed: true, isPartial: true, result: {}, attribution };
};

/** How sure an answer counts that does not say it. */
const UNSTATED = 0.6;

const attributionOf = ({ type }: PartialQuery, confidence: number): AnsweredPart['attribution'] => {
  if (type === 'analytics') return Builder.createAnalyticsSourceAttribution([], confidence);
  if (type === 'semantic') return Builder.createSemanticSourceAttribution(0, confidence);
  return Builder.createWebSearchSourceAttribution(0, confidence);
};

/** The answer in words; what an agent of the web says stands in its metadata. */
const findingOf = (response: AgentSuccess, { answer = '' }: LibrarianResponse): string => {
  if (response.type === 'analytics') return response.result.interpretation.trim() || answer;
  if (response.type === 'semantic') return response.result.summary.trim() || answer;
  const { answer: said }: AgentMetadata = response.metadata;
  return typeof said === 'string' && said.trim() !== '' ? said.slice(0, 32_000) : answer;
};

const hasFound = (response: AgentSuccess): boolean => {
  if (response.type === 'semantic') return response.result.document_count > 0;
  if (response.type === 'web_search') return response.result.external_results.length > 0;
  return true;
};
