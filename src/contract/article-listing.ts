import * as z from 'zod';
import { HostArticle } from './host-article.ts';
import { DateOrTimestamp, Timestamp } from './timestamp.ts';

/** Articles on a page unless the caller says otherwise (seed 001, contract 1). */
export const LISTING_DEFAULT_LIMIT = 100;
/** The most that a page may hold. */
export const LISTING_MAX_LIMIT = 500;

/** The query of `GET /api/kb/articles` as it stands in the address: texts (seed 001, contract 1). */
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

/** A page of articles as our server gives it out (seed 001, contract 1; paging: design 7.7). */
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

/** What a host knowledge base says when it fails (seed 001, contract 1, Error - 500). */
export const HostErrorBody = z.object({
  error: z.string().max(500),
  message: z.string().max(2000),
});
export type HostErrorBody = z.infer<typeof HostErrorBody>;
