import { readFileSync } from 'node:fs';
import { Taxonomy } from '../../../src/contract/wire/taxonomy.ts';
import { takeInArticle } from '../../../src/knowledge/articles/normalise-article.ts';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import { type Edition, openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import { createRetriever } from '../../../src/knowledge/search/retrieve.ts';
import { type Answer, answerPassages } from '../../../src/support/drafts/answer-passages.ts';
import { createDraftComposer } from '../../../src/support/drafts/generate-draft.ts';
import type { AnswerPassage } from '../../../src/support/drafts/quote-passage.ts';
import { rankTicketUnits } from '../../../src/support/drafts/ticket-units.ts';
import { readTicket } from '../../../src/support/message/read-ticket.ts';
import type { Knowledge } from '../../../src/support/retrieval/knowledge.ts';
import { retrieveKnowledge } from '../../../src/support/retrieval/retrieve-knowledge.ts';

type DraftTicket = NonNullable<Parameters<typeof createDraftComposer>[0]['ticket']>;

export const taxonomy = Taxonomy.parse(
  JSON.parse(readFileSync(new URL('../../../tools/sample/taxonomy.json', import.meta.url), 'utf8')),
);

/** A passage that a draft quotes. */
export function passage(markdown: string, more: Partial<AnswerPassage> = {}): AnswerPassage {
  return {
    title: 'Fans and noise',
    url: 'https://docs.example.com/care/fans',
    markdown,
    text: markdown,
    language: 'en',
    steps: [markdown],
    ...more,
  };
}

/** Knowledge as retrieval gives it, with these articles as sources. */
export function knowledgeOf(
  ...sources: readonly { title: string; url: string; relevance?: number }[]
): Knowledge {
  return {
    sources_consulted: sources.map(({ title, url, relevance = 0.9 }) => ({
      title,
      url,
      relevance_score: relevance,
      excerpt: '',
      last_updated: '2026-08-25T10:00:00Z',
    })),
    coverage: 'high',
    gaps: [],
    retrieval_time_ms: 7,
  };
}

/** The input of `analyze` to the draft of a message. */
export function ticketOf(
  message: string,
  request: Omit<Parameters<typeof readTicket>[0], 'message'> = {},
  answer?: Answer,
) {
  return {
    ...readTicket({ message, ...request }, { mask: (text) => text, taxonomy }),
    answer,
  } satisfies DraftTicket;
}

/** The draft for a message about noise that quotes these passages, with its parts. */
export function composeFor(message: string, ...passages: readonly AnswerPassage[]) {
  return createDraftComposer({
    taxonomy,
    ticket: ticketOf(message, {}, { passages, hasPromptInjection: false }),
  })(
    { primary_intent: 'noise', confidence: 0.9 },
    'Dana Whitfield',
    { product: 'Apollo II' },
    knowledgeOf(...passages),
  );
}

interface GivenArticle {
  title: string;
  intents?: string[];
  devices?: string[];
}

/** An edition of articles by their ids. */
export function editionOf(
  articles: Readonly<Record<string, readonly [GivenArticle, string]>>,
): Edition {
  const entries = Object.entries(articles).map(
    ([id, [{ title, intents = ['noise'], devices = [] }, content]]) => {
      const url = `https://docs.example.com/${id}`;
      const entry = takeInArticle({ id, title, url, content }, { articleUrl: () => '' });
      return {
        ...entry,
        article: { ...entry.article, intents, devices, lastUpdated: '2026-01-01T00:00:00Z' },
      };
    },
  );
  return openEdition(
    buildEdition(entries, {
      id: 'e000001-00000001',
      workspace: 'default',
      createdAt: '2026-01-01T00:00:00Z',
    }),
  );
}

type TicketRequest = { intent?: string } & Omit<Parameters<typeof readTicket>[0], 'message'>;

/** The lexical results of an edition for a message, and the parsed ticket. */
export async function foundIn(edition: Edition, message: string, request: TicketRequest = {}) {
  const { intent = 'noise', ...rest } = request;
  const ticket = ticketOf(message, rest);
  const metadata = ticket.product === undefined ? {} : { product: ticket.product };
  const knowledge = await retrieveKnowledge(
    { intent, message: ticket.question, metadata, include_weak: true },
    { edition, retrieve: createRetriever({}), products: taxonomy.devices, now: () => 0 },
  );
  const { evidence, isForeign } = knowledge;
  if (evidence === undefined) throw new Error('Cannot answer: retrieval failed');
  return {
    ticket,
    knowledge,
    found: { evidence, isForeign, units: rankTicketUnits(evidence, ticket) },
  };
}

/** The answer of an edition to a message, by lexical search. */
export async function answerFrom(
  edition: Edition,
  message: string,
  request: TicketRequest = {},
): Promise<Answer> {
  const { ticket, found } = await foundIn(edition, message, request);
  return answerPassages(found.evidence, found.units, ticket);
}
