import type { AgentMetadata, AgentSuccess, AgentResponse as WireAgentResponse } from '../contract/agent-response.ts';
import { AgentType } from '../contract/agent-result.ts';
import { jsonObject } from '../contract/json-object.ts';
import { readAs } from '../contract/read-as.ts';
import { isUnsure, type LibrarianResponse } from '../contract/response.ts';
import { failureInfoOf } from './run-agent.ts';
import { sourcesOf } from './sources-of.ts';

/**
 * An agent's answer as a librarian gives it (seed 000), with the whole of it under `metadata.<type>` (design 7.3).
 * Where that is too large to travel, `metadata.omitted` names the type and the answer counts as partial.
 */
export const asLibrarianResponse = (response: WireAgentResponse): LibrarianResponse => {
  const whole = { [response.type]: response };
  const fits = readAs(Metadata, whole).ok;
  const metadata = fits ? whole : { omitted: [response.type] };
  if (!response.success) return { error: failureInfoOf(response), metadata };
  const { confidence } = response.source_attribution;
  const partial = !fits || isUnsure(confidence) || lacksSomething(response);
  return {
    answer: answerOf(response),
    sources: sourcesOf(response),
    confidence,
    ...(partial ? { partial } : {}),
    metadata,
  };
};

/** Less than a response may hold, since a trace is added on the way. */
const Metadata = jsonObject({ maxDepth: 14, maxLength: 180_000 });

/** A search without a document, a sub-query that failed, or what the agent itself calls partial. */
const lacksSomething = (response: AgentSuccess): boolean => {
  const { partial }: AgentMetadata = response.metadata;
  if (partial === true) return true;
  if (response.type === 'semantic') return response.result.document_count === 0;
  if (response.type === 'hybrid') return response.result.sub_queries.some(({ success }) => success === false);
  return false;
};

const answerOf = (response: AgentSuccess): string => {
  const text = textOf(response).trim();
  return text === '' ? NOTHING_SAID : text.slice(0, 16_000);
};

const textOf = (response: AgentSuccess): string => {
  switch (response.type) {
    case AgentType.enum.analytics:
      return response.result.interpretation;
    case AgentType.enum.semantic:
      return response.result.summary;
    case AgentType.enum.hybrid:
      return response.result.synthesis;
    case AgentType.enum.web_search:
      return response.result.external_results.map(({ title }) => title).join('\n');
  }
};

const NOTHING_SAID = 'Nothing was found.';
