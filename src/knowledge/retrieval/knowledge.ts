import type { WeakKnowledgeRetrieval } from '../../contract/knowledge-retrieval.ts';

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

/** The `knowledge_retrieval` block (seed 001, contract 2), with the passages that it was made from. */
export interface Knowledge extends WeakKnowledgeRetrieval {
  /** Best first; absent when the block came over the wire. */
  passages?: readonly KnowledgePassage[] | undefined;
}
