import { KnowledgeFile } from '../../contract/core/knowledge-file.ts';
import { Audience, WebUrl } from '../../contract/core/names.ts';
import type { Omission } from '../../contract/wire/host-article.ts';
import {
  ARTICLE_CONTENT_MAX_LENGTH,
  type ArticleReading,
  type ContentFormat,
  type HostArticleReply,
  MAX_READING_WARNINGS,
} from '../../contract/wire/host-article.ts';
import { type FrontMatter, splitFrontMatter } from '../../documents/front-matter.ts';
import { joinOmissions } from '../../documents/omissions.ts';
import { readDocument } from '../../documents/read-document.ts';
import { languageTag } from '../../language/language-tag.ts';
import { titleOfPath } from '../../language/title-of-path.ts';
import { NO_ONE } from '../../platform/context/capabilities.ts';
import { MAX_AUDIENCES } from '../../platform/context/limits.ts';
import { utf8 } from '../../platform/encoding.ts';
import { sha256Hex } from '../../platform/storage/edition-storage.ts';
import type { Article, EditionEntry } from './article.ts';
import { chunkArticle } from './chunk-article.ts';

interface NormalisedArticle {
  article: Article;
  /** What was wrong and how it was handled, a sentence each; for the sync report. */
  warnings: string[];
  /** What is no part of the article, and why. */
  omitted: Omission[];
}

export interface NormaliseOptions {
  /** Address of an article that has none of its own. */
  articleUrl: (id: string) => string;
}

/** The article is rejected; the message says why. */
export class ArticleRefused extends Error {
  override name = 'ArticleRefused';
}

/**
 * Normalises an article of a host knowledge base. Front matter is removed and fills in fields that the host omits; Markdown of any dialect
 * and HTML become canonical Markdown, without what its readers do not see. Defects add a warning.
 *
 * @throws {ArticleRefused} When the id is no path, the text is longer than 500,000 UTF-16 units, or nothing remains of it.
 */
export function normaliseArticle(
  reply: HostArticleReply,
  { articleUrl }: NormaliseOptions,
): NormalisedArticle {
  const id = KnowledgeFile.safeParse(reply.id);
  if (!id.success)
    throw new ArticleRefused(
      `Cannot take in the article: id ${id.error.issues[0]?.message ?? 'is wrong'}`,
    );
  if (reply.content.length > ARTICLE_CONTENT_MAX_LENGTH) throw new ArticleRefused(TOO_LONG);
  const { front, body, warnings } = splitFrontMatter(clean(reply.content));
  const url = urlOf(reply.url || front.url, warnings);
  const {
    text: whole,
    title,
    language,
    warnings: ofReading,
    omitted,
    lastUpdated,
    noArticle,
  } = readDocument(body, {
    path: id.data,
    format: reply.metadata?.format ?? undefined,
    base: url,
    language: front.language,
  });
  warnings.push(
    ...(reply.warnings ?? []).slice(0, 20).map((warning) => oneLine(warning, 400)),
    ...ofReading,
  );
  if (noArticle !== undefined) throw new ArticleRefused(`Cannot take in the article: ${noArticle}`);
  if (whole.trim() === '') throw new ArticleRefused('Cannot take in the article: content is empty');
  const text = withinBounds(whole, warnings);
  const article: Article = {
    id: id.data,
    title:
      oneLine(reply.title, 500) || front.title || oneLine(title ?? '', 500) || titleOfPath(id.data),
    url: url ?? articleUrl(id.data),
    text,
    intents: labels(reply.metadata?.intent, front.intents),
    devices: labels(reply.metadata?.device, front.devices),
    lastUpdated: momentOf(
      reply.metadata?.last_updated ?? front.lastUpdated ?? lastUpdated,
      warnings,
    ),
  };
  const audiences = audiencesOf([reply.metadata?.audience, front.audience], warnings);
  if (audiences !== undefined) article.audiences = audiences;
  const author = oneLine(reply.metadata?.author ?? front.author ?? '', 200);
  const translationKey = oneLine(
    reply.metadata?.translation_key ?? front.translationKey ?? '',
    300,
  );
  const named = languageTag(reply.metadata?.language ?? front.language ?? language);
  return {
    article: {
      ...article,
      ...(author === '' ? {} : { author }),
      ...(named === undefined ? {} : { language: named }),
      ...(translationKey === '' ? {} : { translationKey }),
    },
    warnings,
    omitted: joinOmissions([reply.left_out ?? [], omitted]),
  };
}

/** What is read can be longer than what was written, by escapes and by the cells that a table spells out. */
const withinBounds = (text: string, warnings: string[]): string => {
  if (text.length <= ARTICLE_CONTENT_MAX_LENGTH) return text;
  warnings.push('Cut at 500,000 characters: as it is read, the article is longer');
  const end = text.lastIndexOf('\n\n', ARTICLE_CONTENT_MAX_LENGTH);
  return text
    .slice(0, end > ARTICLE_CONTENT_MAX_LENGTH / 2 ? end : ARTICLE_CONTENT_MAX_LENGTH)
    .toWellFormed();
};

/**
 * Who may read an article: those whom the host and the front matter both name, where both do. What is no name of an audience is left out;
 * where none is left, only those who read everything do.
 */
const audiencesOf = (given: readonly unknown[], warnings: string[]): string[] | undefined => {
  const lists = given
    .filter((value) => value !== undefined && value !== null)
    .map((value) => namesIn(value, warnings));
  const [first, second = first] = lists;
  const common = first?.filter((name) => second?.includes(name));
  if (common?.length === 0)
    warnings.push('Shown to no one but those who read everything: no audience may read it');
  return common?.length === 0 ? [NO_ONE] : common;
};

/** Whether neither the host nor the front matter of an article names audiences, as far as it can be read. */
export function isForEverybody({ content, metadata }: HostArticleReply): boolean {
  return (
    (metadata?.audience ?? undefined) === undefined &&
    content.length <= ARTICLE_CONTENT_MAX_LENGTH &&
    (splitFrontMatter(clean(content)).front.audience ?? undefined) === undefined
  );
}

const namesIn = (value: unknown, warnings: string[]): string[] => {
  const given = Array.isArray(value) ? value : [value];
  const names = given.map((name) =>
    Audience.safeParse(typeof name === 'string' ? name.trim().toLowerCase() : name),
  );
  const valid = [...new Set(names.flatMap(({ data }) => data ?? []))].slice(0, MAX_AUDIENCES);
  if (valid.length < new Set(given).size)
    warnings.push(
      'Left out some of its audiences: up to 20 names of 1 to 64 of a-z, 0-9, dot, underscore, hyphen',
    );
  return valid;
};

const TOO_LONG = `Cannot take in the article: content is longer than ${ARTICLE_CONTENT_MAX_LENGTH} characters`;

/** Line ends as `\n`; no byte order mark, no control character but tab and line feed, no half of a surrogate pair. */
const clean = (content: string): string =>
  content
    .toWellFormed()
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to drop
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '');

const oneLine = (text: string, maxLength: number): string =>
  text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();

const labels = (given: string[] | undefined, fallback: FrontMatter['intents']): string[] => {
  const chosen = (given?.length ?? 0) > 0 ? given : fallback;
  return [
    ...new Set((chosen ?? []).map((label) => oneLine(label, 100)).filter((label) => label !== '')),
  ].slice(0, 100);
};

const urlOf = (url: string | undefined | null, warnings: string[]): string | undefined => {
  if (!url) return undefined;
  const parsed = WebUrl.safeParse(url);
  if (!parsed.success)
    warnings.push('Left out the url: it is not an absolute http or https address');
  return parsed.data;
};

/** The beginning of 1970 when unknown, so that the article counts as old and its hash is stable. */
const momentOf = (date: string | undefined | null, warnings: string[]): string => {
  const time = Date.parse(date ?? '');
  if (Number.isNaN(time))
    warnings.push('Took last_updated as 1970-01-01: it is missing or not a date');
  return new Date(Number.isNaN(time) ? 0 : time).toISOString();
};

/**
 * Builds the article for an edition, and `content`, which is stored as received for later display, without control characters other than tab, line
 * feed and carriage return. As JSON each would take six bytes, and SQLite measures a text only up to its first NUL.
 *
 * @throws {ArticleRefused} For any defect: one article must not stop the others.
 */
export function takeInArticle(
  reply: HostArticleReply,
  options: NormaliseOptions,
): EditionEntry &
  Pick<NormalisedArticle, 'warnings' | 'omitted'> & {
    content: string;
    format: ContentFormat | undefined;
  } {
  try {
    const { article, warnings, omitted } = normaliseArticle(reply, options);
    return {
      article,
      chunks: chunkArticle(article),
      content: withoutControls(reply.content),
      format: reply.metadata?.format ?? undefined,
      warnings,
      omitted,
    };
  } catch (cause) {
    if (cause instanceof ArticleRefused) throw cause;
    throw new ArticleRefused('Cannot take in the article: its content cannot be parsed', { cause });
  }
}

/** What is kept of the reading of an article. */
export function readingOf({
  omitted,
  warnings,
}: Pick<NormalisedArticle, 'omitted' | 'warnings'>): ArticleReading {
  return {
    left_out: omitted,
    warnings: warnings.slice(0, MAX_READING_WARNINGS).map((warning) => oneLine(warning, 500)),
  };
}

const withoutControls = (content: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to drop
  content.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '');

/** Incremented when normalisation or chunking changes, so that all articles are processed again. */
export const TREATMENT = 12;

/** Content hash of an article: every member that we read, in a fixed order. SHA-256, hexadecimal. */
export function hashArticle({
  id,
  title,
  url,
  content,
  metadata,
}: HostArticleReply): Promise<string> {
  const {
    intent = [],
    device = [],
    last_updated = null,
    author = null,
    audience = null,
  } = metadata ?? {};
  const { format = null, language = null, translation_key = null } = metadata ?? {};
  const fields = [
    TREATMENT,
    id,
    title,
    url ?? null,
    intent,
    device,
    last_updated,
    author,
    content,
    audience,
    format,
    language,
    translation_key,
  ];
  return sha256Hex(utf8(JSON.stringify(fields)));
}
