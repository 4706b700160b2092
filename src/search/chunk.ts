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
