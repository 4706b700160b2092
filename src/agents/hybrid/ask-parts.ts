import { AgentRequest } from '../../contract/agent-response.ts';
import { readAs } from '../../contract/issue.ts';
import type { DelegateRequest } from '../../contract/response.ts';
import { covers } from '../../runtime/capabilities.ts';
import { errorInfo } from '../../runtime/error-info-of.ts';
import type { AgentCall } from '../agent.ts';
import type { FailedPart, Part } from './part.ts';
import { readPart } from './read-part.ts';
import { SOURCES, type SourceType } from './source-type.ts';
import type { PartialQuery } from './split-query.ts';

/**
 * Asks the librarian of each part, all at once. A part that the context's capabilities do not allow is not sent. The
 * caller's options for a kind of source (`options.semantic`) go to its librarian as that one's own.
 *
 * @returns One part for each query, in their order.
 */
export const askParts = async (queries: readonly PartialQuery[], { scope, options }: AgentCall): Promise<Part[]> => {
  const allowed = queries.filter((query) => isAllowed(query, scope.context.capabilities));
  const requests = allowed.map((query) => requestOf(query, options));
  // Metadata of the whole question is of no use to its parts, and may leave no room for theirs.
  const branches = requests.length > 0 ? await scope.delegates.ask(requests, { metadata: {} }) : [];
  const asked = new Map(allowed.map((query, place) => [query, branches[place]]));
  return queries.map((query) => (asked.has(query) ? readPart(query, asked.get(query)) : notAllowed(query)));
};

const isAllowed = ({ type }: PartialQuery, capabilities: readonly string[]): boolean =>
  covers(capabilities, SOURCES[type].capability);

const requestOf = ({ type, query }: PartialQuery, options: AgentCall['options']): DelegateRequest => {
  const read = readAs(AgentRequest.shape.options, options[type]);
  const own = read.ok ? read.value : undefined;
  // Never without: those of the whole question are meant for this agent.
  return { to: SOURCES[type].librarian, query, context: { options: { ...DEFAULT_OPTIONS[type], ...own } } };
};

/**
 * A part is put in the words of a question, not in those of a document, so that what fits is often less similar than the
 * 0.7 of a search. From 0.4 on it is of low coverage (design 7.1): quoted, and the whole answer no surer than that.
 */
const DEFAULT_OPTIONS: Partial<Record<SourceType, Record<string, unknown>>> = {
  semantic: { similarity_threshold: 0.4 },
};

const notAllowed = (query: PartialQuery): FailedPart => {
  const { librarian, capability, name } = SOURCES[query.type];
  const message = `Not allowed: asking ${name} takes the capability ${capability}`;
  const suggestion = `Ask with a key or a token that holds ${capability}`;
  return { ...query, ok: false, isAsked: false, error: errorInfo('UNAUTHORIZED', { librarian, message, suggestion }) };
};
