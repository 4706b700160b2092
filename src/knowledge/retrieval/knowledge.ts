import type { GapKind } from '../../contract/knowledge-gaps.ts';
import type { Coverage } from '../../contract/knowledge-retrieval.ts';
import {
  type KnowledgeRetrieval,
  RETRIEVAL_MIN_SCORE,
  type WeakKnowledgeRetrieval,
} from '../../contract/knowledge-retrieval.ts';
import type { OriginContext, VerifiedContext } from '../../runtime/request-context.ts';
import type { Edition } from '../../search/open-edition.ts';
import type { SearchOutcome } from '../../search/search-edition.ts';

/** What is looked for: of the customer's words, all but the message may be missing or of any form. */
export interface KnowledgeQuestion {
  /** The primary intent of the classification; `unknown` where there is none. */
  intent: string;
  /** The customer's latest message. */
  message: string;
  /** Of the ticket. */
  subject?: string | undefined;
  /** Whose name is no part of what is missing. */
  customer_name?: string | undefined;
  /** `product` is read, and nothing else. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Shows sources below 0.7 too (design 7.1). */
  include_weak?: boolean | undefined;
}

/** What was asked and found, for whoever looks for passages to quote. Never on the wire. */
export interface Evidence {
  edition: Edition;
  /** The problem, masked. */
  text: string;
  search: SearchOutcome;
  /** Place in the edition of each article of `sources_consulted`. */
  articles: readonly number[];
  /** By place of the article in the edition, 0 to 1: how probably it answers. Articles on other products are not among them. */
  relevance: ReadonlyMap<number, number>;
  /** Labels of articles that are about the intent. */
  intents: readonly string[];
  /** Of the articles (BCP 47); undefined where it cannot be told. */
  language: string | undefined;
}

/** What is missing, for the gap book: a sentence of `gaps` with what it speaks of. Never on the wire. */
export interface FoundGap {
  kind: GapKind;
  /** The sentence, as `gaps` has it. */
  gap: string;
  /** As the knowledge base or the ticket writes it. */
  product: string | undefined;
  intent: string | undefined;
  /** What it is about, with what each stem tells in its edition; empty where kind, product and intent say it all. */
  stems: readonly (readonly [stem: string, weight: number])[];
}

/** The `knowledge_retrieval` block (seed 001, contract 2), with what it was made from. */
export interface Knowledge extends WeakKnowledgeRetrieval {
  /** Absent when the block came over the wire, and when retrieval failed. */
  evidence?: Evidence | undefined;
  /** One for each of `gaps`, in their order; absent when retrieval failed. */
  foundGaps?: readonly FoundGap[] | undefined;
  /** People whom the message names, who are no part of what is missing. */
  people?: readonly string[] | undefined;
  /** The language of the articles (BCP 47); undefined where it cannot be told. */
  language?: string | undefined;
  /** The message is in another language than the articles. */
  isForeign?: boolean | undefined;
  /** The edition that was searched; absent when there was none at hand. */
  edition?: string | undefined;
}

/** The block as it travels: without what stays inside. */
export const knowledgeBlock = ({
  evidence: _evidence,
  foundGaps: _foundGaps,
  people: _people,
  language: _language,
  isForeign: _isForeign,
  edition: _edition,
  ...block
}: Knowledge): WeakKnowledgeRetrieval | KnowledgeRetrieval => block;

/** What a statement may rest on: without sources below 0.7, whoever asked to see them. */
export const withoutWeakSources = (knowledge: Knowledge): Knowledge => {
  const { sources_consulted: sources } = knowledge;
  // Best first, so that places stay as they are.
  const weakAt = sources.findIndex(({ relevance_score }) => relevance_score < RETRIEVAL_MIN_SCORE);
  return weakAt < 0 ? knowledge : { ...knowledge, sources_consulted: sources.slice(0, weakAt) };
};

/** From which relevance of the best source on each holds (design 7.1). */
export const COVERAGE_FROM = { high: 0.8, medium: 0.7, low: 0.4 } as const;

/**
 * How well a message is covered. A source on other products than the ticket's never reaches `medium`: where the best one does, the
 * product that is named is covered.
 *
 * @param best Relevance of the best source, 0 to 1.
 */
export const coverageOf = (best: number): Coverage => {
  if (best >= COVERAGE_FROM.high) return 'high';
  if (best >= COVERAGE_FROM.medium) return 'medium';
  return best >= COVERAGE_FROM.low ? 'low' : 'none';
};

/** What belongs to one request, for what is read of the knowledge base in its name. */
export interface KnowledgeScope {
  context: OriginContext | VerifiedContext;
  waitUntil: (work: Promise<unknown>) => void;
}
