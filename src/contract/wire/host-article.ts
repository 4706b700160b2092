import * as z from 'zod';
import { ErrorInfo } from '../core/error-info.ts';
import { KnowledgeFile } from '../core/knowledge-file.ts';
import { Audiences, DateOrTimestamp, Timestamp, WebUrl } from '../core/names.ts';

/** Maximum length of an article's text in UTF-16 units: at most 1.5 MB in UTF-8, which fits into one row. */
export const ARTICLE_CONTENT_MAX_LENGTH = 500_000;

const Label = z.string().trim().min(1, 'is empty').max(100);
const Labels = z.array(Label).max(100);
const Title = z.string().trim().min(1, 'is empty').max(500);
const Content = z.string().regex(/\S/, 'is empty').max(ARTICLE_CONTENT_MAX_LENGTH);
const Author = z.string().max(200);

/** `markdown` is of any dialect and may hold HTML; in `commonmark` what looks like HTML or marks of a dialect is text. */
export const ContentFormat = z.enum(['html', 'markdown', 'commonmark']);
export type ContentFormat = z.infer<typeof ContentFormat>;

const TranslationKey = z.string().trim().min(1).max(300);

const LanguageTag = z
  .string()
  .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/, 'is no language tag such as de-CH');

/** What an article is for and how old it is. */
export const HostArticleMetadata = z.strictObject({
  /** Intents that the article serves: `not_hashing`. */
  intent: Labels,
  /** Devices or products that it is about: `Apollo II`. */
  device: Labels,
  /** Always present. */
  last_updated: Timestamp,
  author: Author.optional(),
  /** Only those who hold one of these audiences read it; absent for everybody of the workspace. */
  audience: Audiences.optional(),
  /** What the content is written in. Absent: the ending of the id or the content itself tells. */
  format: ContentFormat.optional(),
  /** Its language, a tag of BCP 47 (`de-CH`). Absent: front matter, the page or the text itself tells. */
  language: LanguageTag.optional(),
  /** Equal for all translations of an article. Absent: ids and addresses that differ by a language alone tell. */
  translation_key: TranslationKey.optional(),
});
export type HostArticleMetadata = z.infer<typeof HostArticleMetadata>;

/** An article as our server returns it: complete, never an excerpt. */
export const HostArticle = z.strictObject({
  id: KnowledgeFile,
  title: Title,
  /** Its public address: absolute, http or https. */
  url: WebUrl,
  /** The full text: Markdown, with front matter or without, or HTML. */
  content: Content,
  metadata: HostArticleMetadata,
});
export type HostArticle = z.infer<typeof HostArticle>;

/** `PUT /api/kb/articles/{id}`. Absent `url` and `last_updated` are filled in, absent lists are empty. */
export const ArticlePut = z.strictObject({
  /** If present, must equal the id in the path. */
  id: KnowledgeFile.optional(),
  title: Title,
  url: WebUrl.optional(),
  content: Content,
  metadata: HostArticleMetadata.partial().optional(),
});
export type ArticlePut = z.infer<typeof ArticlePut>;

/** Who changes an article. `host`: a sync with its source, which also removes it. `local`: calls of `PUT` alone; no sync changes it. */
export const ArticleOwner = z.enum(['host', 'local']);
export type ArticleOwner = z.infer<typeof ArticleOwner>;

/** Reply of `PUT /api/kb/articles/{id}`. */
export const ArticleWritten = HostArticle.extend({
  /** What else the call has changed, in a sentence: an article of a source does not follow it any more. */
  note: z.string().min(1).max(300).optional(),
});
export type ArticleWritten = z.infer<typeof ArticleWritten>;

/** Parts of a document that no article shows. */
export const OmissionKind = z.enum([
  'comment',
  'hidden',
  'surrounding',
  'contents',
  'script',
  'embedded',
  'control',
  'image',
  'diagram',
  'code',
  'template',
]);
export type OmissionKind = z.infer<typeof OmissionKind>;

export const MAX_OMISSION_SAMPLES = 20;

/** Parts of one kind that were left out while a document was read. */
export const Omission = z.object({
  kind: OmissionKind,
  count: z.int().min(1),
  /** The beginnings of the first ones that have text, each on one line. */
  samples: z.array(z.string().max(200)).max(MAX_OMISSION_SAMPLES),
});
export type Omission = z.infer<typeof Omission>;

/** At most so many remarks on the reading of an article are kept. */
export const MAX_READING_WARNINGS = 40;

/** What the reading of a document left out. */
export const ArticleReading = z.object({
  /** In the order in which each kind was first met. */
  left_out: z.array(Omission).max(OmissionKind.options.length),
  /** What was wrong and how it was handled, a sentence each. */
  warnings: z.array(z.string().max(500)).max(MAX_READING_WARNINGS),
});
export type ArticleReading = z.infer<typeof ArticleReading>;

/** What a document became: `GET /api/kb/text/{id}`. Of one that was read before this was kept, it is not known what was left out. */
export const ArticleText = z.object({
  id: KnowledgeFile,
  /** Canonical Markdown, to which quotes and offsets refer. */
  text: z.string().max(ARTICLE_CONTENT_MAX_LENGTH),
  /** Its language, a tag of BCP 47; absent where it is in doubt. */
  language: LanguageTag.optional(),
  owner: ArticleOwner,
  ...ArticleReading.partial().shape,
});
export type ArticleText = z.infer<typeof ArticleText>;

/** One label, a list of labels, or null -> a list. */
const lenientLabels = z
  .union([z.array(z.string()), z.string().transform((label) => [label])])
  .nullish()
  .transform((labels) =>
    (labels ?? []).map((label) => label.trim()).filter((label) => label !== ''),
  );

/** An article that its host cannot read: it keeps its last version, and the report of the sync says why. */
export const UnreadableArticleReply = z.object({
  id: z.string().min(1).max(1000),
  problem: z.string().trim().min(1).max(400),
  content: z.undefined().optional(),
});

/**
 * An article as an external server sends it: names only the members that we read, and accepts numbers as ids, a single label as a list
 * and `null` as absent. The values are not validated yet: `last_updated` may be no date, `url` no address, and `content` as long as the
 * reply.
 */
export const HostArticleReply = z.object({
  id: z.union([z.string().min(1).max(1000), z.number().transform(String)]),
  title: z.string(),
  url: z.string().nullish(),
  content: z.string(),
  /** What was left out when the host read its source, for the report of the sync. */
  warnings: z.array(z.string()).nullish().catch(undefined),
  /** The same by kind. */
  left_out: z.array(Omission).max(100).nullish().catch(undefined),
  metadata: z
    .object({
      intent: lenientLabels,
      device: lenientLabels,
      last_updated: z.string().nullish(),
      author: z.string().nullish(),
      format: ContentFormat.nullish().catch(undefined),
      /** `locale` is an extension of ours that our sources send. */
      language: LanguageTag.nullish().catch(undefined),
      translation_key: TranslationKey.nullish().catch(undefined),
      /** Whatever is given: what cannot be read as audiences must not become an article for everybody. */
      audience: z.unknown().optional(),
    })
    .nullish(),
});
export type HostArticleReply = z.infer<typeof HostArticleReply>;

/** Default number of articles on a page. */
export const LISTING_DEFAULT_LIMIT = 100;
/** Maximum number of articles on a page. */
export const LISTING_MAX_LIMIT = 500;

/** The query parameters of `GET /api/kb/articles`, all of them strings. */
export const ArticleListingQuery = z.strictObject({
  /** Only articles that serve this intent. */
  intent: z.string().trim().min(1).max(100).optional(),
  /** Only articles about this device. */
  device: z.string().trim().min(1).max(100).optional(),
  /** Only articles updated after this date or timestamp. */
  updated_since: DateOrTimestamp.optional(),
  /** 1 to 500; 100 when absent. */
  limit: z
    .string()
    .regex(/^\d{1,6}$/, 'is not a whole number')
    .transform(Number)
    .pipe(z.int().min(1).max(LISTING_MAX_LIMIT))
    .optional(),
  /** `next_cursor` of the previous page. */
  cursor: z.string().min(1).max(512).optional(),
});
export type ArticleListingQuery = z.infer<typeof ArticleListingQuery>;

/** A page of articles as our server returns it. */
export const ArticleListing = z.object({
  articles: z.array(HostArticle).max(LISTING_MAX_LIMIT),
  /** Number of matching articles on all pages. */
  total: z.int().min(0),
  /** When the knowledge base last changed. */
  updated_at: Timestamp,
  /** Absent on the last page. */
  next_cursor: z.string().min(1).max(512).optional(),
});
export type ArticleListing = z.infer<typeof ArticleListing>;

/**
 * A page as an external server sends it. Each article is parsed separately with `HostArticleReply`, so that one invalid article does not
 * fail the page.
 */
export const ArticleListingReply = z.object({
  articles: z.array(z.unknown()).max(10_000),
  total: z.int().min(0).nullish(),
  updated_at: z.string().nullish(),
  next_cursor: z.string().max(4096).nullish(),
});
export type ArticleListingReply = z.infer<typeof ArticleListingReply>;

/** The error body of a host knowledge base. Ours has the code as `error`, and all of the error as `info`. */
export const HostErrorBody = z.object({
  error: z.string().max(500),
  message: z.string().max(2000),
  info: ErrorInfo.optional(),
});
export type HostErrorBody = z.infer<typeof HostErrorBody>;
