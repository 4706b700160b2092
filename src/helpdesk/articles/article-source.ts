/** An article of a helpdesk's knowledge base, public and published. */
export interface SourceArticle {
  /** Of the tool, with a locale behind it for a translation: letters, digits, `_` and `-`. */
  id: string;
  title: string;
  /** Where customers read it. */
  url: string | undefined;
  body: string;
  format: 'html' | 'markdown';
  /** Milliseconds since 1970; undefined when the tool tells none. */
  updatedAtMs: number | undefined;
  /** Labels or tags, as the tool has them. */
  labels: readonly string[];
  /** `en-us`; undefined when the tool tells none. */
  locale: string | undefined;
}

/** An article that the tool lists in a form that cannot be read: it must not be taken for one that is gone. */
export interface UnreadableArticle {
  /** As in `SourceArticle`; undefined when not even that can be read. */
  unreadableId: string | undefined;
}

interface SourceRequest {
  /** Only articles updated at this time or later, in milliseconds since 1970; all when absent. */
  updatedSinceMs: number | undefined;
  /** Articles wanted on the page, 1 to 500; what the tool gives may be fewer, or a little more. */
  limit: number;
  /** `next` of the page before, as it came back: plain JSON that is still to be checked. */
  position: unknown;
  signal: AbortSignal;
}

interface SourcePage {
  articles: readonly (SourceArticle | UnreadableArticle)[];
  /** Leads to the next page: plain JSON, a few hundred characters. Undefined on the last, and there alone. */
  next: unknown;
}

/** The articles of one tool, page by page. */
export interface ArticleSource {
  /**
   * A page. Throws `SourceFailed` when it cannot be read as a whole: a pass is complete when its last page came, and never
   * looks so otherwise.
   */
  readPage(request: SourceRequest): Promise<SourcePage>;
}
