import * as z from 'zod';
import { mapBounded } from '../../platform/concurrency.ts';
import { optionalTime } from '../../platform/http/read-fields.ts';
import {
  type ArticleApi,
  ArticleBody,
  type ArticleSource,
  ArticleTitle,
  callApi,
  callApiIfFound,
  isSince,
  Labels,
  Locale,
  positionIn,
  readArticleInTime,
  type SourceArticle,
  SourceFailed,
  type UnreadableArticle,
} from './article-source.ts';
import { defineSource, type Opened, publicUrlOf, Url } from './define-source.ts';

const Id = z.int().min(1);
const byId = <Schema extends z.ZodType>(member: Schema) => z.record(z.string(), member).default({});

const Answer = z.object({
  id: Id,
  category_id: Id.nullish(),
  published_at: optionalTime,
  archived_at: optionalTime,
  updated_at: optionalTime,
  translation_ids: z.array(Id).max(100),
  tags: Labels,
});
type Answer = z.infer<typeof Answer>;

const Translation = z.object({
  id: Id,
  title: ArticleTitle,
  kb_locale_id: Id,
  content_id: Id,
  updated_at: optionalTime,
});

const Category = z.object({ knowledge_base_id: Id });
const CategoryTranslation = z.object({ title: ArticleTitle, kb_locale_id: Id, category_id: Id });
const KbLocale = z.object({ system_locale_id: Id, primary: z.boolean().nullish() });

/** Everything except the bodies. Lists without members are absent. */
const Assets = z.object({
  KnowledgeBaseAnswer: byId(Answer),
  KnowledgeBaseAnswerTranslation: byId(Translation),
  KnowledgeBaseCategory: byId(Category),
  KnowledgeBaseCategoryTranslation: byId(CategoryTranslation),
  KnowledgeBaseLocale: byId(KbLocale),
});
type Assets = z.infer<typeof Assets>;

const Contents = z.object({
  assets: z.object({
    KnowledgeBaseAnswerTranslationContent: byId(z.object({ body: ArticleBody })),
  }),
});

const SystemLocales = z
  .array(z.object({ id: Id, locale: Locale }).nullable().catch(null))
  .max(1000);

const Position = z.object({ after: Id });

/** Each answer is a call of its own. */
const MAX_PAGE = 25;

const OPTIONS = {
  /** Public URL of the knowledge base; that of the API when absent. */
  publicUrl: Url.optional(),
};

/**
 * Zammad's knowledge base: one call lists all answers, and one call each reads a body. Public means published by now and not archived.
 * Answers are sorted by id, so that deletions shift nothing; a translation is an article of its own.
 */
const zammadArticles = (api: ArticleApi, options: Opened<typeof OPTIONS>): ArticleSource => ({
  readPage: async ({ updatedSinceMs, limit, position, signal }) => {
    const after = positionIn(position, Position)?.after ?? 0;
    const [assets, locales] = await Promise.all([
      callApi(api, { method: 'POST', path: '/api/v1/knowledge_bases/init', reply: Assets, signal }),
      callApi(api, { path: '/api/v1/locales', reply: SystemLocales, signal }),
    ]);
    const names = new Map(locales.flatMap((one) => (one === null ? [] : [[one.id, one.locale]])));
    const wanted = Object.values(assets.KnowledgeBaseAnswer)
      .filter(
        (answer) =>
          answer.id > after &&
          isPublic(answer, api.now()) &&
          isSince(lastChange(answer, assets), updatedSinceMs),
      )
      .toSorted((one, other) => one.id - other.id);
    const page = wanted.slice(0, Math.min(limit, MAX_PAGE));
    const articles = await mapBounded(
      page,
      async (answer): Promise<(SourceArticle | UnreadableArticle)[]> => {
        const late = 'late' as const;
        const read = (inTime: AbortSignal) => bodiesOf(api, answer, { assets, signal: inTime });
        const bodies = await readArticleInTime<Awaited<ReturnType<typeof bodiesOf>> | typeof late>(
          read,
          {
            signal,
            late,
          },
        );
        if (bodies === late) return unreadableOf(answer, { assets, names });
        return bodies === undefined
          ? []
          : translationsOf(answer, { assets, names, bodies, publicUrl: publicUrlOf(options) });
      },
    );
    const last = page.at(-1);
    return {
      articles: articles.flat(),
      next: last && wanted.length > page.length ? { after: last.id } : undefined,
    };
  },
});

const isPublic = ({ published_at: from, archived_at: until }: Answer, now: number): boolean =>
  from !== undefined && from <= now && (until === undefined || until > now);

/** A scheduled publication is a change that `updated_at` does not show. */
const lastChange = (
  { updated_at, published_at, translation_ids: ids }: Answer,
  assets: Assets,
): number | undefined => {
  const times = ids.map((id) => assets.KnowledgeBaseAnswerTranslation[id]?.updated_at);
  const known = [updated_at, published_at, ...times].filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};

/** By content id; undefined when the answer was deleted meanwhile. */
const bodiesOf = async (
  api: ArticleApi,
  answer: Answer,
  { assets, signal }: { assets: Assets; signal: AbortSignal },
): Promise<Record<string, { body: string }> | undefined> => {
  const category = assets.KnowledgeBaseCategory[answer.category_id ?? 0];
  if (category === undefined)
    throw new SourceFailed('DATA_SOURCE_ERROR', 'an answer is in no category');
  const contents = answer.translation_ids.map(
    (id) => assets.KnowledgeBaseAnswerTranslation[id]?.content_id,
  );
  const query = new URLSearchParams({
    include_contents: contents.filter((id) => id !== undefined).join(','),
  });
  const path = `/api/v1/knowledge_bases/${category.knowledge_base_id}/answers/${answer.id}?${query}`;
  const reply = await callApiIfFound(api, { path, reply: Contents, signal });
  return reply?.assets.KnowledgeBaseAnswerTranslationContent;
};

const translationsOf = (
  answer: Answer,
  {
    assets,
    names,
    bodies,
    publicUrl,
  }: {
    assets: Assets;
    names: ReadonlyMap<number, string>;
    bodies: Record<string, { body: string }>;
    publicUrl: string;
  },
): SourceArticle[] =>
  answer.translation_ids.map((translationId) => {
    const translation = assets.KnowledgeBaseAnswerTranslation[translationId];
    const body = bodies[translation?.content_id ?? 0]?.body;
    if (translation === undefined || body === undefined)
      throw new SourceFailed('DATA_SOURCE_ERROR', 'an answer lacks a translation or its body');
    const { id, locale } = idOf(answer, { kbLocaleId: translation.kb_locale_id, assets, names });
    const category = Object.values(assets.KnowledgeBaseCategoryTranslation).find(
      (one) =>
        one.category_id === answer.category_id && one.kb_locale_id === translation.kb_locale_id,
    );
    const path = [
      pathPart(answer.category_id ?? 0, category?.title ?? ''),
      pathPart(answer.id, translation.title),
    ].join('/');
    return {
      id,
      title: translation.title,
      url: locale === undefined ? undefined : `${publicUrl}/help/${locale}/${path}`,
      body,
      format: 'html',
      updatedAtMs: lastChange(answer, assets),
      labels: answer.tags,
      locale,
    };
  });

interface Named {
  assets: Assets;
  names: ReadonlyMap<number, string>;
}

/** `12`, and `12-de` for a translation. */
const idOf = (answer: Answer, { kbLocaleId, assets, names }: Named & { kbLocaleId: number }) => {
  const kbLocale = assets.KnowledgeBaseLocale[kbLocaleId];
  const locale = names.get(kbLocale?.system_locale_id ?? 0);
  const isPlain = kbLocale?.primary === true || locale === undefined;
  return { id: isPlain ? String(answer.id) : `${answer.id}-${locale}`, locale };
};

/** All translations of an answer whose bodies did not come. */
const unreadableOf = (answer: Answer, named: Named): UnreadableArticle[] =>
  answer.translation_ids.flatMap((translationId) => {
    const kbLocaleId = named.assets.KnowledgeBaseAnswerTranslation[translationId]?.kb_locale_id;
    return kbLocaleId === undefined
      ? []
      : [{ unreadableId: idOf(answer, { ...named, kbLocaleId }).id }];
  });

/** `12-using-the-device`; Zammad resolves the number, the words are for readers. */
const pathPart = (id: number, title: string): string => {
  const words = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return words === '' ? String(id) : `${id}-${words}`;
};

export const zammad = defineSource({
  tool: 'zammad',
  options: OPTIONS,
  headers: (token) => ({ Authorization: `Token token=${token}` }),
  open: zammadArticles,
});
