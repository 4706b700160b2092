import type { AgentResponse, DisplayAttribution, DisplayBlock, DisplayModel } from '../../contract/agent-response.ts';
import { levelOf } from '../../contract/navigator-response.ts';
import { LIST_MARKER, oneLine, plainText, proseOf } from './plain-text.ts';
import { numberProperty, ownProperty, stringProperty } from './properties.ts';
import { type RenderOptions, renderMarkdown, renderText } from './render.ts';
import { errorBlock, NOTHING_FOUND, resultBlocks } from './result-blocks.ts';
import { cellOf } from './table-blocks.ts';

/**
 * Formats any agent's answer or failure for people. Texts of databases, documents and the
 * web stay texts: they never become a link, a tag, an image or a cell. All three forms are bounded in length.
 */
export const resultFormatter = {
  /** Blocks of plain text, for a page. */
  toDisplay: (response: AgentResponse): DisplayModel => displayModelOf(response),
  toMarkdown: (response: AgentResponse, options: RenderOptions = {}): string =>
    renderMarkdown(displayModelOf(response), options),
  toText: (response: AgentResponse, options: RenderOptions = {}): string =>
    renderText(displayModelOf(response), options),
};

const MAX_BLOCKS = 64;

/**
 * An agent's answer, or its failure, as blocks of plain and bounded text. Never throws for what the contract accepts.
 */
export const displayModelOf = (response: AgentResponse): DisplayModel => {
  const { type, query, success, metadata, source_attribution } = response;
  const blocks = success ? answeredBlocks(response) : [errorBlock(response.error, metadata)];
  const attribution = attributionOf(source_attribution);
  return {
    type,
    query: plainText(query, 4000),
    blocks: blocks.slice(0, MAX_BLOCKS),
    ...(attribution === undefined ? {} : { attribution }),
  };
};

/** A web search has its answer in the metadata, which also says when nothing was found. */
const answeredBlocks = ({ type, result, metadata }: AgentResponse): DisplayBlock[] => {
  const blocks = resultBlocks(type, result);
  const answer = type === 'web_search' ? answerBlocks(metadata) : [];
  const isNothing = blocks.every((block) => block.kind === 'text' && block.text === NOTHING_FOUND);
  return answer.length > 0 && isNothing ? answer : [...answer, ...blocks];
};

/** The prose of a web search's answer; its lists have blocks of their own. */
const answerBlocks = (metadata: AgentResponse['metadata']): DisplayBlock[] => {
  const lines = proseOf(stringProperty(metadata, 'answer') ?? '', 8000).split('\n');
  const text = plainText(lines.filter((line) => !LIST_MARKER.test(line) && !line.endsWith(':')).join('\n'), 8000);
  return text === '' ? [] : [{ kind: 'text', text }];
};

/** `undefined` for a failure without a source or a confidence. */
const attributionOf = (attribution: AgentResponse['source_attribution']): DisplayAttribution | undefined => {
  const source = oneLine(stringProperty(attribution, 'primary_source') ?? '', 200);
  const confidence = numberProperty(attribution, 'confidence');
  if (source === '' || confidence === undefined) return undefined;
  return {
    // An icon may be composed of several characters.
    icon: oneLine(stringProperty(attribution, 'icon') ?? '', 32),
    primary_source: source,
    confidence,
    level: levelOf(confidence),
    details: factsOf(ownProperty(attribution, 'details')),
  };
};

/** The details of an attribution of any shape, at most eight: "document count: 3", "tables: orders, customers". */
const factsOf = (details: unknown): string[] => {
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return [];
  return Object.keys(details)
    .filter((name) => !isEmpty(ownProperty(details, name)))
    .slice(0, 8)
    .map((name) => `${oneLine(name.replaceAll('_', ' '), 60)}: ${factOf(ownProperty(details, name))}`);
};

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const factOf = (value: unknown): string =>
  Array.isArray(value) ? oneLine(value.slice(0, 10).map(cellOf).join(', '), 120) : cellOf(value);
