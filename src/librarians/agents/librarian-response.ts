import * as z from 'zod';
import type { Statement } from '../../contract/core/ask.ts';
import { readAs } from '../../contract/core/error-info.ts';
import { jsonObject } from '../../contract/core/json-object.ts';
import { Link } from '../../contract/core/names.ts';
import { isUnsure, type LibrarianResponse, type Source } from '../../contract/core/response.ts';
import {
  type AgentMetadata,
  type AgentSuccess,
  type DisplayBlock,
  SemanticResult,
  WebSearchResult,
  type AgentResponse as WireAgentResponse,
} from '../../contract/wire/agent-response.ts';
import { escapeHtml } from '../../documents/markdown/escape-html.ts';
import { failureInfoOf } from './agent.ts';
import { visibleText } from './format/markdown.ts';
import { numberProperty, ownProperty, stringProperty } from './format/result-blocks.ts';
import { displayModelOf, renderMarkdown } from './format/result-formatter.ts';

/**
 * The librarian response for an agent's response, with the complete response under `metadata.<type>`.
 * If that is too large, `metadata.omitted` names the type and the answer counts as partial.
 */
export function asLibrarianResponse(response: WireAgentResponse): LibrarianResponse {
  const whole = { [response.type]: response };
  const fits = readAs(Metadata, whole).ok;
  const metadata = fits ? whole : { omitted: [response.type] };
  if (!response.success) return { error: failureInfoOf(response), metadata };
  const { confidence } = response.source_attribution;
  const partial = !fits || isUnsure(confidence) || isIncomplete(response);
  return {
    answer: answerOf(response),
    sources: sourcesOf(response),
    confidence,
    ...(partial ? { partial } : {}),
    metadata: {
      ...metadata,
      ...(hasFoundNothing(response) ? { closest: nearestIn(response) } : {}),
    },
  };
}

/** An answer that only says so: with `closest`, a caller need not read its words. */
const hasFoundNothing = (response: AgentSuccess): boolean => {
  const { type, result } = response;
  if (type === 'semantic') return result.document_count === 0;
  if (type === 'hybrid') return result.sources_used.length === 0;
  return (
    type === 'web_search' &&
    result.external_results.length === 0 &&
    result.urls.length === 0 &&
    isEmpty(result)
  );
};

/** Our own product was not found either. */
const isEmpty = ({
  product_info: product,
}: Extract<AgentSuccess, { type: 'web_search' }>['result']): boolean =>
  Object.keys(product ?? {}).length === 0;

const Nearest = z.array(
  z.object({
    title: z.string().max(500),
    file: z.string().max(500).optional(),
    url: Link.optional(),
    heading: z.string().max(500).optional(),
  }),
);

/** The documents nearest to a question that none answers, each article once. */
const nearestIn = ({ metadata }: AgentSuccess): z.infer<typeof Nearest> => {
  const read = readAs(Nearest, ownProperty(metadata, 'nearest'));
  return read.ok
    ? [...new Map(read.value.toReversed().map((each) => [each.file, each])).values()].reverse()
    : [];
};

/** The whole answer as one statement of a stream. */
export function wholeStatement(response: AgentSuccess): Statement {
  return {
    text: answerOf(response),
    ...evidence(sourcesOf(response), response.source_attribution),
  };
}

/** A text that rests on parts of an answer as a statement of a stream: Markdown that is safe to show. */
export function statementOn(
  text: string,
  parts: readonly FoundPart[],
  confidence: number,
): Statement {
  return {
    text: inertMarkdown(text),
    ...evidence(withoutDuplicates(parts.flatMap(partSources)), { confidence }),
  };
}

const evidence = (
  sources: readonly Source[],
  { confidence }: { confidence: number },
): Omit<Statement, 'text'> => ({
  sources: sources.slice(0, 20).map(({ name, url }) => ({ name, ...linkOf(url) })),
  support: confidence,
  check: 'reported',
});

/** Smaller than a response may be, since a trace is added on the way. */
const Metadata = jsonObject({ maxDepth: 14, maxLength: 180_000 });

/** Whether a search found no document, a sub-query failed, or the agent itself reports a partial result. */
const isIncomplete = (response: AgentSuccess): boolean => {
  const { partial }: AgentMetadata = response.metadata;
  if (partial === true) return true;
  if (response.type === 'semantic') return response.result.document_count === 0;
  if (response.type === 'hybrid')
    return response.result.sub_queries.some(({ success }) => success === false);
  return false;
};

/** The agent's own Markdown, otherwise a short rendering of its result. */
const answerOf = (response: AgentSuccess): string => {
  const markdown = inertMarkdown(markdownOf(response));
  return markdown === '' ? renderedBriefly(response) : markdown;
};

/** The synthesis, or `metadata.answer` of a web search; the other types answer in plain text. */
const markdownOf = (response: AgentSuccess): string => {
  if (response.type === 'hybrid') return response.result.synthesis;
  return response.type === 'web_search' ? (stringProperty(response.metadata, 'answer') ?? '') : '';
};

/** The Markdown is written by our agents, but quotes external texts. */
const inertMarkdown = (markdown: string): string =>
  escapeHtml(visibleText(markdown.slice(0, MAX_ANSWER)).trim());

/** Leaves out documents and single rows when a text covers them, and the attribution, which the sources give. */
const renderedBriefly = (response: AgentSuccess): string => {
  const { attribution: _, blocks, ...model } = displayModelOf(response);
  const hasText = blocks.some(({ kind }) => kind === 'text');
  const isCovered = (block: DisplayBlock): boolean =>
    block.kind === 'documents' || (block.kind === 'table' && block.row_count <= 1);
  const shown = blocks.filter((block) => !hasText || !isCovered(block));
  return renderMarkdown({ ...model, blocks: shown }, { rows: 10, maxLength: MAX_ANSWER });
};

/** An answer may have 32,000 characters; escaping makes it longer. */
const MAX_ANSWER = 12_000;

/**
 * The sources of an agent's answer, best first, without duplicates, at most 50: documents, tables of a database, web
 * pages.
 */
const sourcesOf = ({ type, result, source_attribution }: AgentSuccess): Source[] => {
  const found =
    type === 'hybrid'
      ? result.sub_queries.flatMap(sourcesOfPart)
      : partSources({ type, result, source_attribution });
  return withoutDuplicates(found.toSorted((a, b) => (b.relevance ?? 0) - (a.relevance ?? 0))).slice(
    0,
    50,
  );
};

/** A part of any shape; an unknown one names no sources. */
interface FoundPart {
  type: string;
  result?: unknown;
  source_attribution?: unknown;
}

const sourcesOfPart = (part: FoundPart & { success?: unknown }): Source[] =>
  part.success === false ? [] : partSources(part);

const partSources = (part: FoundPart): Source[] => {
  if (part.type === 'semantic') return documentSources(part.result);
  if (part.type === 'web_search')
    return webSources(part.result, confidenceOf(part.source_attribution));
  if (part.type === 'analytics') return tableSources(part.source_attribution);
  return [];
};

const documentSources = (result: unknown): Source[] => {
  const read = readAs(SemanticResult, result);
  if (!read.ok) return [];
  return read.value.documents.flatMap(({ score, metadata }) => {
    const about: Record<string, unknown> = metadata ?? {};
    const name = [about.title, about.source].find(isText);
    return name === undefined
      ? []
      : [{ name: name.slice(0, 500), type: 'document', relevance: score, ...linkOf(about.url) }];
  });
};

const webSources = (result: unknown, relevance: number | undefined): Source[] => {
  const read = readAs(WebSearchResult, result);
  if (!read.ok) return [];
  const titles = new Map(read.value.external_results.map(({ url, title }) => [url ?? '', title]));
  const known = relevance === undefined ? {} : { relevance };
  return read.value.urls.map((url) => {
    const title = titles.get(url);
    return {
      name: (isText(title) ? title : new URL(url).hostname || url).slice(0, 500),
      url,
      type: 'web',
      ...known,
    };
  });
};

const tableSources = (attribution: unknown): Source[] => {
  const details = ownProperty(attribution, 'details');
  const named = [ownProperty(details, 'table'), ownProperty(details, 'tables')]
    .flat()
    .filter(isText);
  const relevance = confidenceOf(attribution);
  return named.map((name) => ({
    name: name.replaceAll('_', ' ').slice(0, 500),
    type: 'database',
    ...(relevance === undefined ? {} : { relevance }),
  }));
};

const confidenceOf = (attribution: unknown): number | undefined => {
  const confidence = numberProperty(attribution, 'confidence');
  return confidence !== undefined && confidence >= 0 && confidence <= 1 ? confidence : undefined;
};

const isText = (value: unknown): value is string => typeof value === 'string' && /\S/.test(value);

/** The address of a source, if it is one for a link. */
export function linkOf(url: unknown): { url?: string } {
  const link = readAs(Link, url);
  return link.ok ? { url: link.value } : {};
}

const withoutDuplicates = (sources: readonly Source[]): Source[] => {
  const keys = sources.map(({ url, type, name }) => url ?? `${type}\n${name}`);
  return sources.filter((_, at) => keys.indexOf(keys[at] ?? '') === at);
};
