import type { GapKind } from '../../contract/knowledge-gaps.ts';
import {
  type KnowledgeRetrieval,
  RETRIEVAL_MIN_SCORE,
  type WeakKnowledgeRetrieval,
} from '../../contract/knowledge-retrieval.ts';

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

/** A passage behind a source, whole: what a draft is grounded in. Never on the wire. */
export interface KnowledgePassage {
  /** Place of its source in `sources_consulted`. */
  source: number;
  articleId: string;
  title: string;
  url: string;
  headingPath: readonly string[];
  /** Markdown, as it stands in the article. */
  text: string;
  /** 0 to 1: how probably it answers the message. */
  relevance: number;
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

/** The `knowledge_retrieval` block (seed 001, contract 2), with the passages that it was made from. */
export interface Knowledge extends WeakKnowledgeRetrieval {
  /** Best first; absent when the block came over the wire. */
  passages?: readonly KnowledgePassage[] | undefined;
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
  passages: _passages,
  foundGaps: _foundGaps,
  people: _people,
  language: _language,
  isForeign: _isForeign,
  edition: _edition,
  ...block
}: Knowledge): WeakKnowledgeRetrieval | KnowledgeRetrieval => block;

/** What a statement may rest on: without sources below 0.7, whoever asked to see them. */
export const withoutWeakSources = (knowledge: Knowledge): Knowledge => {
  const { sources_consulted: sources, passages } = knowledge;
  // Best first, so that places stay as they are.
  const weakAt = sources.findIndex(({ relevance_score }) => relevance_score < RETRIEVAL_MIN_SCORE);
  if (weakAt < 0) return knowledge;
  return {
    ...knowledge,
    sources_consulted: sources.slice(0, weakAt),
    passages: passages?.filter(({ source }) => source < weakAt),
  };
};
