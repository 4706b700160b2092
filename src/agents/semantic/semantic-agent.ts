import type { AgentDocument, AgentMetadata } from '../../contract/agent-response.ts';
import { AGENT_OPTIONS } from '../../contract/agent-response.ts';
import type { RequestScope } from '../../runtime/request-scope.ts';
import { readPages } from '../../search/chunk-texts.ts';
import { devicesOwned } from '../../search/devices-named-in.ts';
import type { Edition } from '../../search/open-edition.ts';
import { createRetriever, type Retriever } from '../../search/retrieve.ts';
import { type Agent, type AgentCall, readOptions } from '../agent.ts';
import { AgentResponse } from '../agent-response.ts';
import { escapeParagraphs } from '../format/escape-markdown.ts';
import { citationOf, type Found, type FoundDocument, findDocuments, sourceOf } from './find-documents.ts';
import { subjectOf } from './subject-of.ts';
import { modelSummary, nothingFound, quoteSummary } from './summaries.ts';

export interface SemanticParts {
  /** The current edition for a request: that of the workspace in its verified context. Throws when there is none. */
  editionFor: (scope: Pick<RequestScope, 'context' | 'waitUntil'>) => Promise<Edition>;
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
export const createSemanticAgent =
  ({ editionFor, retrieve = createRetriever({}) }: SemanticParts): Agent =>
  async (query, call) => {
    const { similarity_threshold = 0.7, limit = 10 } = readOptions(AGENT_OPTIONS.semantic, call.options);
    const edition = await editionFor(call.scope);
    call.progress?.({ type: 'searching', edition: edition.id });
    const { signal, timeoutMs, scope } = call;
    const devices = devicesOwned(call.facts ?? [], edition.devices());
    const search = { retrieve, signal, timeLeftMs: timeoutMs, waitUntil: scope.waitUntil, devices };
    const found = await findDocuments(edition, subjectOf(query), { similarity_threshold, limit, ...search });
    const { documents, nearest, subject, degraded } = found;
    call.progress?.({ type: 'passages', passages: documents.map(placeOf) });
    const best = nearest[0]?.score ?? 0;
    const { summary, ...about } = await summarise({ edition, query, found }, { ...call, similarity_threshold });
    const confidence = documents.length === 0 ? 0 : best;
    return AgentResponse.success('semantic', query)
      .setResult({
        documents: documents.map((document) => documentOf(document, edition.id)),
        summary,
        document_count: documents.length,
        similarity_threshold,
      })
      .setSourceAttribution(AgentResponse.createSemanticSourceAttribution(documents.length, confidence))
      .setMetadata({
        edition: edition.id,
        best_score: best,
        cache_hit: false,
        ...(subject === query ? {} : { searched_for: subject }),
        ...(degraded.length > 0 ? { degraded: [...degraded] } : {}),
        ...about,
      })
      .toArray();
  };

interface Search {
  edition: Edition;
  query: string;
  found: Found;
}

const summarise = async (
  { edition, query, found }: Search,
  { similarity_threshold, ai, signal, timeoutMs, parts }: AgentCall & { similarity_threshold: number },
): Promise<{ summary: string } & AgentMetadata> => {
  if (found.documents.length === 0) {
    const nearest = found.nearest.map((each) => ({ document: citationOf(each), score: each.score }));
    return { summary: nothingFound(found.nearest[0], similarity_threshold), summary_by: 'none', nearest };
  }
  const { value: quoted } = await readPages(edition, () => quoteSummary(edition, found));
  const quotes = { summary: quoted.map(({ text }) => text).join('\n\n'), summary_by: 'quotes' };
  const written = ai && (await modelSummary(query, found.documents, { ai, signal, timeoutMs, parts }));
  if (written === undefined || 'refused' in written) {
    parts?.withdraw('its model did not finish the summary');
    for (const { text, statement } of quoted) parts?.add({ text: escapeParagraphs(text), ...statement });
    return { ...quotes, ...(written && { summary_refused: written.refused }) };
  }
  return { summary: written.text, summary_by: 'model', model: ai?.model };
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
