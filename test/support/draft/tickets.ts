import { readFileSync } from 'node:fs';
import { Taxonomy } from '../../../src/contract/taxonomy.ts';
import type { Knowledge, KnowledgePassage } from '../../../src/knowledge/retrieval/knowledge.ts';
import { createDraftComposer, type DraftTicket } from '../../../src/support/draft/generate-draft.ts';
import { readTicket } from '../../../src/support/read-ticket.ts';

export const taxonomy = Taxonomy.parse(
  JSON.parse(readFileSync(new URL('../../../src/dev/sample-taxonomy.json', import.meta.url), 'utf8')),
);

/** A passage of an article that very probably answers. */
export const passage = (text: string, more: Partial<KnowledgePassage> = {}): KnowledgePassage => ({
  source: 0,
  articleId: 'care/fans.md',
  title: 'Fans and noise',
  url: 'https://docs.example.com/care/fans',
  headingPath: [],
  text,
  relevance: 0.9,
  ...more,
});

/** Knowledge as retrieval gives it, of these passages. */
export const knowledgeOf = (...passages: readonly KnowledgePassage[]): Knowledge => {
  const sources = [...new Map(passages.map((each) => [each.source, each])).values()];
  return {
    sources_consulted: sources.map(({ title, url, relevance }) => ({
      title,
      url,
      relevance_score: relevance,
      excerpt: '',
      last_updated: '2026-08-25T10:00:00Z',
    })),
    coverage: 'high',
    gaps: [],
    retrieval_time_ms: 7,
    passages,
  };
};

/** What `analyze` hands to the draft of a message. */
export const ticketOf = (
  message: string,
  request: Omit<Parameters<typeof readTicket>[0], 'message'> = {},
): DraftTicket => {
  const ticket = readTicket({ message, ...request }, { mask: (text) => text, taxonomy });
  return { ...ticket, text: ticket.question };
};

/** The draft for a message about noise, with what it was put together from. */
export const composeFor = (message: string, ...passages: readonly KnowledgePassage[]) =>
  createDraftComposer({ taxonomy, ticket: ticketOf(message) })(
    { primary_intent: 'noise', confidence: 0.9 },
    'Dana Whitfield',
    { product: 'Apollo II' },
    knowledgeOf(...passages),
  );
