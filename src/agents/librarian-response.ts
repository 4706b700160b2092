import type { AgentMetadata, AgentSuccess, AgentResponse as WireAgentResponse } from '../contract/agent-response.ts';
import type { DisplayBlock } from '../contract/display-model.ts';
import { readAs } from '../contract/issue.ts';
import { jsonObject } from '../contract/json-object.ts';
import { isUnsure, type LibrarianResponse } from '../contract/response.ts';
import { escapeHtml } from '../runtime/escape-html.ts';
import { displayModelOf } from './format/display-model-of.ts';
import { textMemberOf } from './format/members.ts';
import { visibleText } from './format/plain-text.ts';
import { renderMarkdown } from './format/render-markdown.ts';
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

/** What the agent itself says in Markdown; else its result in short. */
const answerOf = (response: AgentSuccess): string => {
  const said = inertMarkdown(markdownOf(response));
  return said === '' ? inShort(response) : said;
};

/** A synthesis, and what a web search says under `metadata.answer`; the other types say it as plain text. */
const markdownOf = (response: AgentSuccess): string => {
  if (response.type === 'hybrid') return response.result.synthesis;
  return response.type === 'web_search' ? (textMemberOf(response.metadata, 'answer') ?? '') : '';
};

/** Written by an agent of the house, which has put texts from elsewhere into it. */
const inertMarkdown = (markdown: string): string => escapeHtml(visibleText(markdown.slice(0, MAX_ANSWER)).trim());

/** Of documents and single rows the text speaks, and where it comes from the sources say. */
const inShort = (response: AgentSuccess): string => {
  const { attribution: _, blocks, ...model } = displayModelOf(response);
  const says = blocks.some(({ kind }) => kind === 'text');
  const isSpokenFor = (block: DisplayBlock): boolean =>
    block.kind === 'documents' || (block.kind === 'table' && block.row_count <= 1);
  const shown = blocks.filter((block) => !says || !isSpokenFor(block));
  return renderMarkdown({ ...model, blocks: shown }, { rows: 10, maxLength: MAX_ANSWER });
};

/** Of the 32,000 characters that an answer may have: escaping makes it longer. */
const MAX_ANSWER = 12_000;
