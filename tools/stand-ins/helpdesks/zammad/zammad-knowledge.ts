import type { LocalArticle } from '../desk/local-articles.ts';
import type { Routes } from '../desk/route.ts';
import type { DeskParts } from '../desk/stand-in.ts';

const KB = 1;
const CATEGORY = 1;
/** A translation and its content have ids of their own. */
const translationId = (answer: string): number => Number(answer) + 500;
const contentId = (answer: string): number => Number(answer) + 700;

/** Locales of the system, which those of the knowledge base point to. */
const SYSTEM_LOCALES = [
  {
    id: 35,
    locale: 'en-us',
    alias: 'en',
    name: 'English (United States)',
    dir: 'ltr',
    active: true,
  },
  { id: 20, locale: 'de-de', alias: 'de', name: 'Deutsch', dir: 'ltr', active: true },
  { id: 52, locale: 'fr-fr', alias: 'fr', name: 'Français', dir: 'ltr', active: true },
];

/** The knowledge base: everything but the bodies in one answer, and bodies by answer. */
export function knowledgeRoutes({ articles }: DeskParts): Routes {
  return {
    'GET /api/v1/locales': () => ({ status: 200, body: SYSTEM_LOCALES }),
    'POST /api/v1/knowledge_bases/init': () => {
      const all = articles.all();
      const assets = {
        KnowledgeBase: {
          [KB]: {
            id: KB,
            active: true,
            custom_address: null,
            kb_locale_ids: SYSTEM_LOCALES.map((_, at) => at + 1),
          },
        },
        KnowledgeBaseLocale: localesShape(),
        KnowledgeBaseCategory: {
          [CATEGORY]: {
            id: CATEGORY,
            knowledge_base_id: KB,
            parent_id: null,
            position: 0,
            translation_ids: [31],
          },
        },
        KnowledgeBaseCategoryTranslation: {
          31: { id: 31, title: 'Using the device', kb_locale_id: 1, category_id: CATEGORY },
        },
        KnowledgeBaseAnswer: Object.fromEntries(all.map((one) => [one.id, answerShape(one)])),
        KnowledgeBaseAnswerTranslation: Object.fromEntries(
          all.map((one) => [translationId(one.id), translationShape(one)]),
        ),
      };
      return { status: 200, body: assets };
    },
    'GET /api/v1/knowledge_bases/:kb/answers/:id': ({ query }, [kb, id]) => {
      const article = articles.all().find((one) => one.id === id);
      if (kb !== String(KB) || article === undefined)
        return { status: 404, body: { error: "Couldn't find KnowledgeBase::Answer" } };
      const wanted = (query.get('include_contents') ?? '').split(',').map(Number);
      const content = contentId(article.id);
      const contents = wanted.includes(content)
        ? { [content]: { id: content, body: article.body, attachments: [] } }
        : {};
      const assets = {
        KnowledgeBaseAnswer: { [article.id]: answerShape(article) },
        KnowledgeBaseAnswerTranslation: { [translationId(article.id)]: translationShape(article) },
        KnowledgeBaseAnswerTranslationContent: contents,
        KnowledgeBaseLocale: localesShape(),
      };
      return { status: 200, body: { id: Number(article.id), assets } };
    },
  };
}

const localesShape = () =>
  Object.fromEntries(
    SYSTEM_LOCALES.map(({ id }, at) => [
      at + 1,
      { id: at + 1, knowledge_base_id: KB, system_locale_id: id, primary: at === 0 },
    ]),
  );

const iso = (ms: number): string => new Date(ms).toISOString();

/** Timestamps define the visibility: for all, for agents, no longer. */
const answerShape = ({ id, state, audience, labels, createdAt, updatedAt }: LocalArticle) => ({
  id: Number(id),
  category_id: CATEGORY,
  position: Number(id) - 1,
  promoted: false,
  internal_note: null,
  archived_at: state === 'archived' ? iso(updatedAt) : null,
  internal_at: audience === 'private' ? iso(createdAt) : null,
  published_at: state !== 'draft' && audience === 'public' ? iso(createdAt) : null,
  created_at: iso(createdAt),
  updated_at: iso(updatedAt),
  translation_ids: [translationId(id)],
  attachments: [],
  tags: labels,
});

const translationShape = ({ id, title, locale, createdAt, updatedAt }: LocalArticle) => ({
  id: translationId(id),
  title,
  kb_locale_id:
    Math.max(
      SYSTEM_LOCALES.findIndex((one) => one.locale === locale || one.alias === locale),
      0,
    ) + 1,
  answer_id: Number(id),
  content_id: contentId(id),
  created_at: iso(createdAt),
  updated_at: iso(updatedAt),
});
