/** An article of a knowledge base; editions are built from these. */
export interface Article {
  /**
   * Unique in its knowledge base, 1 to 300 characters; for a folder the path relative to its root. It is the `file` of the
   * wire format.
   */
  id: string;
  title: string;
  /** Public address of the article. */
  url: string;
  /** Markdown without front matter. A quote's offsets are UTF-16 units into this text. */
  text: string;
  intents: string[];
  devices: string[];
  /** ISO 8601. */
  lastUpdated: string;
  author?: string | undefined;
  /** A tag of BCP 47, as its source names it; absent: its text tells. */
  language?: string | undefined;
  /** Equal for all translations of an article, where its source says it; 1 to 300 characters. */
  translationKey?: string | undefined;
  /** Who may read it: holders of any of these. Absent: everybody of the workspace. */
  audiences?: string[] | undefined;
}

/** A self-contained part of an article: the unit of search, scoring and quoting. */
export interface Chunk {
  articleId: string;
  /** Index in the article, from 0. */
  position: number;
  /** The headings above the chunk, outermost first, without the article's title. */
  headingPath: string[];
  /** `article.text.slice(start, end)`, exactly. */
  text: string;
  /** UTF-16 units into the article's text. */
  start: number;
  end: number;
  tokenCount: number;
}

/** An article with its chunks, in order: the input for building an edition. */
export interface EditionEntry {
  article: Article;
  chunks: Chunk[];
}

/** Metadata of an edition. */
export interface EditionIdentity {
  id: string;
  workspace: string;
  /** ISO 8601. */
  createdAt: string;
}
