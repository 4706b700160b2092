import * as z from 'zod';
import { KnowledgeFile } from './knowledge-file.ts';
import { WebUrl } from './link.ts';
import { Timestamp } from './timestamp.ts';

/** The longest text of an article that is taken in, in UTF-16 units: at most 1.5 MB in UTF-8, which one row holds. */
export const ARTICLE_CONTENT_MAX_LENGTH = 500_000;

const Label = z.string().trim().min(1, 'is empty').max(100);
const Labels = z.array(Label).max(100);
const Title = z.string().trim().min(1, 'is empty').max(500);
const Content = z.string().regex(/\S/, 'is empty').max(ARTICLE_CONTENT_MAX_LENGTH);
const Author = z.string().max(200);

/** What an article is for and how old it is (seed 001, contract 1). */
export const HostArticleMetadata = z.strictObject({
  /** Intents that the article serves: `not_hashing`. */
  intent: Labels,
  /** Devices or products that it is about: `Apollo II`. */
  device: Labels,
  /** Always present (seed 001, contract 1, Guarantees). */
  last_updated: Timestamp,
  author: Author.optional(),
});
export type HostArticleMetadata = z.infer<typeof HostArticleMetadata>;

/** An article as our server gives it out (seed 001, contract 1): complete, never an excerpt. */
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
