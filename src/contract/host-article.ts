import * as z from 'zod';
import { DateOrTimestamp, Timestamp, WebUrl } from './names.ts';
import { KnowledgeFile } from './navigator-response.ts';

/** The longest text of an article that is taken in, in UTF-16 units: at most 1.5 MB in UTF-8, which one row holds. */
export const ARTICLE_CONTENT_MAX_LENGTH = 500_000;

const Label = z.string().trim().min(1, 'is empty').max(100);
const Labels = z.array(Label).max(100);
const Title = z.string().trim().min(1, 'is empty').max(500);
const Content = z.string().regex(/\S/, 'is empty').max(ARTICLE_CONTENT_MAX_LENGTH);
const Author = z.string().max(200);

/** What an article is for and how old it is. */
export const HostArticleMetadata = z.strictObject({
  /** Intents that the article serves: `not_hashing`. */
  intent: Labels,
  /** Devices or products that it is about: `Apollo II`. */
  device: Labels,
  /** Always present. */
  last_updated: Timestamp,
  author: Author.optional(),
});
export type HostArticleMetadata = z.infer<typeof HostArticleMetadata>;

/** An article as our server gives it out: complete, never an excerpt. */
export const HostArticle = z.strictObject({
  id: KnowledgeFile,
  title: Title,
  /** Where a reader finds it: an absolute http or https address. */
  url: WebUrl,
  /** The full text: Markdown, with front matter or without, or HTML. */
  content: Content,
  metadata: HostArticleMetadata,
});
export type HostArticle = z.infer<typeof HostArticle>;

/** `PUT /api/kb/articles/{id}`. What is left out: `url` and `last_updated` are filled in, the lists are empty. */
export const ArticlePut = z.strictObject({
  /** When given, the id of the path. */
  id: KnowledgeFile.optional(),
  title: Title,
  url: WebUrl.optional(),
  content: Content,
  metadata: HostArticleMetadata.partial().optional(),
});
export type ArticlePut = z.infer<typeof ArticlePut>;

/** One label, a list of them, or nothing -> a list. */
const lenientLabels = z
  .union([z.array(z.string()), z.string().transform((label) => [label])])
  .nullish()
  .transform((labels) => (labels ?? []).map((label) => label.trim()).filter((label) => label !== ''));

/**
 * An article as somebody else's server sends it: only what we read is named, numbers pass for ids, a single label for a
 * list, `null` for nothing. What it says is still to be checked: `last_updated` may be no date, `url` no address, and
 * `content` is as long as the reply was allowed to be.
 */
export const HostArticleReply = z.object({
  id: z.union([z.string().min(1).max(1000), z.number().transform(String)]),
  title: z.string(),
  url: z.string().nullish(),
  content: z.string(),
  metadata: z
    .object({
      intent: lenientLabels,
      device: lenientLabels,
      last_updated: z.string().nullish(),
      author: z.string().nullish(),
    })
    .nullish(),
});
export type HostArticleReply = z.infer<typeof HostArticleReply>;

/** Articles on a page unless the caller says otherwise. */
export const LISTING_DEFAULT_LIMIT = 100;
/** The most that a page may hold. */
export const LISTING_MAX_LIMIT = 500;

/** The query of `GET /api/kb/articles` as it stands in the address: texts. */
export const ArticleListingQuery = z.strictObject({
  /** Only articles that serve this intent. */
  intent: z.string().trim().min(1).max(100).optional(),
  /** Only articles about this device. */
  device: z.string().trim().min(1).max(100).optional(),
  /** Only articles updated after this day or moment. */
  updated_since: DateOrTimestamp.optional(),
  /** 1 to 500; 100 when absent. */
  limit: z
    .string()
    .regex(/^\d{1,6}$/, 'is not a whole number')
    .transform(Number)
    .pipe(z.int().min(1).max(LISTING_MAX_LIMIT))
    .optional(),
  /** `next_cursor` of the page before. */
  cursor: z.string().min(1).max(512).optional(),
});
export type ArticleListingQuery = z.infer<typeof ArticleListingQuery>;

/** A page of articles as our server gives it out. */
export const ArticleListing = z.object({
  articles: z.array(HostArticle).max(LISTING_MAX_LIMIT),
  /** All articles that match, on every page. */
  total: z.int().min(0),
  /** When the knowledge base last changed. */
  updated_at: Timestamp,
  /** Absent on the last page. */
  next_cursor: z.string().min(1).max(512).optional(),
});
export type ArticleListing = z.infer<typeof ArticleListing>;

/**
 * A page as somebody else's server sends it. Articles are taken as they come, each to be read with `HostArticleReply`,
 * so that one broken article does not cost the page.
 */
export const ArticleListingReply = z.object({
  articles: z.array(z.unknown()).max(10_000),
  total: z.int().min(0).nullish(),
  updated_at: z.string().nullish(),
  next_cursor: z.string().max(4096).nullish(),
});
export type ArticleListingReply = z.infer<typeof ArticleListingReply>;

/** What a host knowledge base says when it fails. */
export const HostErrorBody = z.object({
  error: z.string().max(500),
  message: z.string().max(2000),
});
export type HostErrorBody = z.infer<typeof HostErrorBody>;
