/** An article as the library holds it and as every edition is built from it. */
export interface Article {
  /** Unique in its knowledge base; for a folder the path from its root. It is the `file` of seed 004. 1 to 300 characters. */
  id: string;
  title: string;
  /** Where a reader finds the article. */
  url: string;
  /** Markdown without front matter. A quote's offsets are UTF-16 units into this text. */
  text: string;
  intents: string[];
  devices: string[];
  /** ISO 8601. */
  lastUpdated: string;
  author?: string | undefined;
}

/** A part of an article that stands alone: what is searched, scored and quoted. */
export interface Chunk {
  articleId: string;
  /** Place in the article, from 0. */
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

/** An article with the chunks it was cut into, in order: what an edition is built from. */
export interface EditionEntry {
  article: Article;
  chunks: Chunk[];
}

/** What an edition says about itself. */
export interface EditionIdentity {
  id: string;
  workspace: string;
  /** ISO 8601. */
  createdAt: string;
}
