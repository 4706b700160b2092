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
