import type { EmbeddingStatistics } from '../../ai/embeddings/cached-embeddings.ts';
import { embeddingStats } from '../../ai/embeddings/embedding-stats.ts';
import type { LibrarianInfo } from '../../contract/core/librarian.ts';
import { KNOWLEDGE_ROUTES } from '../../contract/routes/knowledge.ts';
import {
  AGENT_OPTIONS,
  type AgentDocument,
  type AgentMetadata,
} from '../../contract/wire/agent-response.ts';
import { type KnowledgeHealth, KnowledgeSearchRequest } from '../../contract/wire/knowledge.ts';
import { readPages } from '../../knowledge/edition/chunk-texts.ts';
import { type EditionScope, freshFor } from '../../knowledge/edition/current-edition.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import { knowledgeHealth } from '../../knowledge/health/knowledge-health.ts';
import { devicesOwned } from '../../knowledge/search/devices-named-in.ts';
import {
  createRetriever,
  type MeaningOf,
  type Retriever,
  type RetrieverParts,
  searchKnowledge,
} from '../../knowledge/search/retrieve.ts';
import { waitUntilOf } from '../../platform/concurrency.ts';
import { mountRoutes } from '../../platform/serve/mount-routes.ts';
import {
  type Agent,
  type AgentCall,
  degradedMetadata,
  isModelLost,
  readOptions,
} from '../agents/agent.ts';
import { AgentResponse } from '../agents/agent-response.ts';
import { escapeParagraphs } from '../agents/format/markdown.ts';
import { type AgentServeOptions, serveAgent } from '../agents/serve-agent.ts';
import {
  citationOf,
  type Found,
  type FoundDocument,
  findDocuments,
  searchesFor,
  sourceOf,
  subjectOf,
} from './find-documents.ts';
import examples from './question-examples.json' with { type: 'json' };
import { modelSummary, nothingFound, quoteSummary } from './summaries.ts';

interface SemanticParts {
  /** The current edition for a request: that of the workspace in its verified context. Throws when there is none. */
  editionFor: (scope: EditionScope) => Promise<Edition>;
  /** Absent: a search by words alone. */
  retrieve?: Retriever | undefined;
}

/**
 * Finds passages of the knowledge base with scores, and summarises them.
 *
 * The confidence is the best score, or 0 when nothing reaches the threshold. `metadata.summary_by` is `quotes`, `model`
 * or `none`; `metadata.summary_refused` is the reason why a model's summary was not used, `metadata.nearest` the
 * closest documents when none was found, and `metadata.degraded` is `["embeddings"]` when embeddings could not be
 * compared in time.
 */
export function createSemanticAgent({
  editionFor,
  retrieve = createRetriever({}),
}: SemanticParts): Agent {
  return async (query, call) => {
    const { similarity_threshold = 0.7, limit = 10 } = readOptions(
      AGENT_OPTIONS.semantic,
      call.options,
    );
    const lacks: string[] = [];
    const fresh = freshFor(call.timeoutMs, () => void lacks.push('freshness'));
    const searches = () => searchesFor(subjectOf(query));
    const indexMs = call.timeoutMs / 2;
    const edition = await editionFor({ ...call.scope, fresh, searches, indexMs });
    call.progress?.({ type: 'searching', edition: edition.id });
    const { signal, timeoutMs, scope } = call;
    const devices = devicesOwned(call.facts ?? [], edition.devices());
    const search = { retrieve, signal, timeLeftMs: timeoutMs, waitUntil: scope.waitUntil, devices };
    const found = await findDocuments(edition, subjectOf(query), {
      similarity_threshold,
      limit,
      ...search,
    });
    const { documents, nearest, subject, degraded } = found;
    call.progress?.({ type: 'passages', passages: documents.map(placeOf) });
    const best = nearest[0]?.score ?? 0;
    const { summary, ...about } = await summarise({ edition, query, found }, call);
    const confidence = documents.length === 0 ? 0 : best;
    return AgentResponse.success('semantic', query)
      .setResult({
        documents: documents.map((document) => documentOf(document, edition.id)),
        summary,
        document_count: documents.length,
        similarity_threshold,
      })
      .setSourceAttribution(
        AgentResponse.createSemanticSourceAttribution(documents.length, confidence),
      )
      .setMetadata({
        edition: edition.id,
        best_score: best,
        cache_hit: false,
        ...(subject === query ? {} : { searched_for: subject }),
        ...about,
        ...degradedMetadata([
          ...degraded,
          ...lacks,
          ...(isModelLost(about.summary_refused) ? ['model'] : []),
        ]),
      })
      .toArray();
  };
}

interface Search {
  edition: Edition;
  query: string;
  found: Found;
}

const summarise = async (
  { edition, query, found }: Search,
  { ai, signal, timeoutMs, parts, language }: AgentCall,
): Promise<{ summary: string } & AgentMetadata> => {
  if (found.documents.length === 0) {
    const nearest = found.nearest.map((each) => ({
      document: citationOf(each),
      score: each.score,
      ...closestOf(each),
    }));
    return { summary: nothingFound(language), summary_by: 'none', nearest };
  }
  const { value: quoted } = await readPages(edition, () => quoteSummary(edition, found));
  const quotes = { summary: quoted.map(({ text }) => text).join('\n\n'), summary_by: 'quotes' };
  const written =
    ai && (await modelSummary(query, found.documents, { ai, signal, timeoutMs, parts }));
  if (written === undefined || 'refused' in written) {
    parts?.withdraw('its model did not finish the summary');
    for (const { text, statement } of quoted)
      parts?.add({ text: escapeParagraphs(text), ...statement });
    return { ...quotes, ...(written && { summary_refused: written.refused }) };
  }
  return { summary: written.text, summary_by: 'model', model: ai?.model };
};

/** A document that is near, as an article that comes close. */
const closestOf = ({ chunk: { source, headingPath } }: FoundDocument) => {
  const { name: title, url, file } = sourceOf({ source, headingPath });
  const heading = headingPath.at(-1)?.slice(0, 500);
  return {
    title,
    file,
    ...(url === undefined ? {} : { url }),
    ...(heading === undefined ? {} : { heading }),
  };
};

const placeOf = ({ chunk, score }: FoundDocument) => {
  const { name, url, section } = sourceOf(chunk);
  return { name, url, section, relevance: score };
};

const documentOf = ({ chunk, score }: FoundDocument, edition: string): AgentDocument => {
  const { id, title, url, lastUpdated } = chunk.source;
  const heading = chunk.headingPath.join(' > ').slice(0, 2000);
  return {
    content: chunk.text,
    score,
    metadata: { source: id, title, url, heading, last_updated: lastUpdated, edition },
  };
};

/** How the semantic agent is introduced to people and librarians. */
const SEMANTIC: LibrarianInfo = {
  id: 'semantic',
  name: 'Semantic search',
  description:
    'Searches the documents of the knowledge base and lists the passages that fit, each with a score and its place, and a short summary: for finding, listing, quoting and summarising articles, guides, manuals, help pages and sections on a subject, with their sources and links, rather than for one answer.',
  capabilities: ['kb:read'],
  examples,
};

interface SemanticAppOptions extends Omit<SemanticParts, 'retrieve'>, AgentServeOptions {
  /** For editions that carry word vectors. */
  wordVectors?: RetrieverParts['wordVectors'];
  /** What a question means to the embedding model; words alone are searched when absent. */
  meaningOf?: MeaningOf | undefined;
  /** How often a meaning cost a call of the model, for questions of one workspace. */
  statistics?: ((workspace: string) => EmbeddingStatistics) | undefined;
  /** Receives what failed; answers go out without it. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
}

/**
 * `POST /librarians/semantic/ask`, `GET /librarians/semantic` and `POST /v1/agents/semantic`; `POST /v1/knowledge/search`, `GET /v1/knowledge/health`, `GET /v1/knowledge/stats`.
 */
export function createApp({
  editionFor,
  wordVectors,
  meaningOf,
  statistics,
  onFault,
  ...options
}: SemanticAppOptions) {
  const { now = Date.now } = options;
  const retrieve = createRetriever({ wordVectors, meaningOf, onFault });
  const app = serveAgent(
    createSemanticAgent({ editionFor, retrieve }),
    { type: 'semantic', info: SEMANTIC },
    options,
  );
  const settings = { ...options, access: options.access ?? ('signed' as const), self: SEMANTIC.id };
  const read = mountRoutes(app, KNOWLEDGE_ROUTES, settings);

  read('POST /v1/knowledge/search', { body: KnowledgeSearchRequest }, async (c, { body }) => {
    const context = c.get('context');
    const waitUntil = waitUntilOf(c);
    const lacks: 'freshness'[] = [];
    const fresh = freshFor(context.deadlineMs - now(), () => void lacks.push('freshness'));
    const { query: question, filter } = body;
    const searches = () => [{ question }];
    const indexMs = (context.deadlineMs - now()) / 2;
    const edition = await editionFor({ context, waitUntil, fresh, searches, filter, indexMs });
    const timeLeftMs = context.deadlineMs - now();
    const found = await searchKnowledge(edition, body, {
      retrieve,
      waitUntil,
      timeLeftMs,
    });
    return c.json(
      lacks.length === 0 ? found : { ...found, degraded: [...(found.degraded ?? []), ...lacks] },
    );
  });
  read('GET /v1/knowledge/health', {}, async (c) => {
    const context = c.get('context');
    const edition = await editionFor({ context, waitUntil: waitUntilOf(c) });
    const { value } = await readPages(edition, () => knowledgeHealth(edition), {
      timeoutMs: context.deadlineMs - now(),
    });
    return c.json(value satisfies KnowledgeHealth);
  });
  read('GET /v1/knowledge/stats', {}, (c) =>
    c.json(embeddingStats(statistics?.(c.get('context').workspace))),
  );
  return app;
}
