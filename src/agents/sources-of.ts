import type { AgentSuccess } from '../contract/agent-response.ts';
import { SemanticResult, WebSearchResult } from '../contract/agent-response.ts';
import { readAs } from '../contract/issue.ts';
import { Link } from '../contract/names.ts';
import type { Source } from '../contract/response.ts';
import { memberOf, numberMemberOf } from './format/members.ts';

/** The sources of an agent's answer, best first, each once, at most 50: documents, tables of a database, web pages. */
export const sourcesOf = ({ type, result, source_attribution }: AgentSuccess): Source[] => {
  const found =
    type === 'hybrid' ? result.sub_queries.flatMap(sourcesOfPart) : partSources({ type, result, source_attribution });
  return eachOnce(found.toSorted((a, b) => (b.relevance ?? 0) - (a.relevance ?? 0))).slice(0, 50);
};

/** What a part of any shape names as its sources: unknown shapes name none. */
const sourcesOfPart = (part: {
  type: string;
  result?: unknown;
  source_attribution?: unknown;
  success?: unknown;
}): Source[] => (part.success === false ? [] : partSources(part));

const partSources = (part: { type: string; result?: unknown; source_attribution?: unknown }): Source[] => {
  if (part.type === 'semantic') return documentSources(part.result);
  if (part.type === 'web_search') return webSources(part.result, confidenceOf(part.source_attribution));
  if (part.type === 'analytics') return tableSources(part.source_attribution);
  return [];
};

const documentSources = (result: unknown): Source[] => {
  const read = readAs(SemanticResult, result);
  if (!read.ok) return [];
  return read.value.documents.flatMap(({ score, metadata }) => {
    const about: Record<string, unknown> = metadata ?? {};
    const name = [about.title, about.source].find(saysSomething);
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
      name: (saysSomething(title) ? title : new URL(url).hostname || url).slice(0, 500),
      url,
      type: 'web',
      ...known,
    };
  });
};

const tableSources = (attribution: unknown): Source[] => {
  const details = memberOf(attribution, 'details');
  const named = [memberOf(details, 'table'), memberOf(details, 'tables')].flat().filter(saysSomething);
  const relevance = confidenceOf(attribution);
  return named.map((name) => ({
    name: name.slice(0, 500),
    type: 'database',
    ...(relevance === undefined ? {} : { relevance }),
  }));
};

const confidenceOf = (attribution: unknown): number | undefined => {
  const confidence = numberMemberOf(attribution, 'confidence');
  return confidence !== undefined && confidence >= 0 && confidence <= 1 ? confidence : undefined;
};

const saysSomething = (value: unknown): value is string => typeof value === 'string' && /\S/.test(value);

const linkOf = (url: unknown): { url?: string } => {
  const link = readAs(Link, url);
  return link.ok ? { url: link.value } : {};
};

const eachOnce = (sources: readonly Source[]): Source[] => {
  const keys = sources.map(({ url, type, name }) => url ?? `${type}\n${name}`);
  return sources.filter((_, at) => keys.indexOf(keys[at] ?? '') === at);
};
