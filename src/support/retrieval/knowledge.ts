import {
  type Coverage,
  type GapKind,
  type KnowledgeRetrieval,
  RETRIEVAL_MIN_SCORE,
  type WeakKnowledgeRetrieval,
} from '../../contract/wire/knowledge.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import type { SearchOutcome } from '../../knowledge/search/search-edition.ts';
import type { OriginContext, VerifiedContext } from '../../platform/context/request-context.ts';

/** The retrieval query. All members but the message may be missing or malformed. */
export interface KnowledgeQuestion {
  /** The primary intent of the classification; `unknown` without one. */
  intent: string;
  /** The customer's latest message. */
  message: string;
  /** Subject of the ticket. */
  subject?: string | undefined;
  /** The customer's name, which is masked in gaps. */
  customer_name?: string | undefined;
  /** Only `product` and `person_id` are read. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Includes sources below 0.7. */
  include_weak?: boolean | undefined;
}

/** One query of the edition, and its hits. */
export interface AskedText {
  text: string;
  outcome: SearchOutcome;
}

/** Query and hits, for selecting passages to quote. Never on the wire. */
export interface Evidence {
  edition: Edition;
  /** The problem, masked. */
  text: string;
  search: SearchOutcome;
  /** Index in the edition of each article of `sources_consulted`. */
  articles: readonly number[];
  /** Probability that an article answers, by its index in the edition, 0 to 1. Articles on other products are absent. */
  relevance: ReadonlyMap<number, number>;
  /** Its sentences with the hits of each; empty for a single sentence, and when the time was up. */
  sentences: readonly AskedText[];
  /** Article labels that belong to the intent. */
  intents: readonly string[];
  /** Language of the articles (BCP 47); undefined if unknown. */
  language: string | undefined;
}

/** A sentence of `gaps` in structured form, for the gap book. Never on the wire. */
export interface FoundGap {
  kind: GapKind;
  /** The sentence in `gaps`. */
  gap: string;
  /** As spelled in the knowledge base or the ticket. */
  product: string | undefined;
  intent: string | undefined;
  /** Stems of the topic with their weight in the edition; empty if kind, product and intent identify the gap. */
  stems: readonly (readonly [stem: string, weight: number])[];
}

/** The `knowledge_retrieval` block (docs/contract.md#knowledge-retrieval), with internal data. */
export interface Knowledge extends WeakKnowledgeRetrieval {
  /** Absent when the block came over the wire, and when retrieval failed. */
  evidence?: Evidence | undefined;
  /** One per entry of `gaps`, in order; absent when retrieval failed. */
  foundGaps?: readonly FoundGap[] | undefined;
  /** People named in the message, to be masked. */
  people?: readonly string[] | undefined;
  /** Language of the articles (BCP 47); undefined if unknown. */
  language?: string | undefined;
  /** The message is in another language than the articles. */
  isForeign?: boolean | undefined;
  /** The edition that was searched; absent when none was available in time. */
  edition?: string | undefined;
}

/** The block as sent, without internal data. */
export function knowledgeBlock({
  evidence: _evidence,
  foundGaps: _foundGaps,
  people: _people,
  language: _language,
  isForeign: _isForeign,
  edition: _edition,
  ...block
}: Knowledge): WeakKnowledgeRetrieval | KnowledgeRetrieval {
  return block;
}

/** Sources that may support a statement: those of 0.7 and above, even if the caller requested weaker ones. */
export function withoutWeakSources(knowledge: Knowledge): Knowledge {
  const { sources_consulted: sources } = knowledge;
  // Best first, so that indexes stay valid.
  const weakAt = sources.findIndex(({ relevance_score }) => relevance_score < RETRIEVAL_MIN_SCORE);
  return weakAt < 0 ? knowledge : { ...knowledge, sources_consulted: sources.slice(0, weakAt) };
}

/** Least relevance of the best source for each level. */
export const COVERAGE_FROM = { high: 0.8, medium: 0.7, low: 0.4 } as const;

/**
 * Coverage of a message. A source on other products than the ticket's never reaches `medium`; if the best one does, the named product is covered.
 *
 * @param best Relevance of the best source, 0 to 1.
 */
export function coverageOf(best: number): Coverage {
  if (best >= COVERAGE_FROM.high) return 'high';
  if (best >= COVERAGE_FROM.medium) return 'medium';
  return best >= COVERAGE_FROM.low ? 'low' : 'none';
}

/** Per-request data for reading the knowledge base on its behalf. */
export interface KnowledgeScope {
  context: OriginContext | VerifiedContext;
  waitUntil: (work: Promise<unknown>) => void;
}

/** The beginning of a text, at most so many UTF-16 units, never cutting a surrogate pair. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}
