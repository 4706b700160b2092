import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { html, raw } from 'hono/html';
import type { ErrorCode } from '../../contract/core/error-info.ts';
import { QUERY_MAX_LENGTH } from '../../contract/core/names.ts';
import type { HostArticle } from '../../contract/wire/host-article.ts';
import type { KnowledgeHit } from '../../contract/wire/knowledge.ts';
import { markdownToHtml, markdownToText } from '../../documents/markdown/render-markdown.ts';
import { wordsOf } from '../../language/analyse-text.ts';
import { splitSentences } from '../../language/split-sentences.ts';
import { stem } from '../../language/stem.ts';
import texts from './pages.json' with { type: 'json' };

/** A language that the pages are written in. */
type PageLanguage = keyof typeof texts;
type Html = ReturnType<typeof html>;

const SHOWN = 10;
/** Below this relevance the best passage seems not to answer, and only the closest articles are listed. */
const WEAK = 0.1;
const SHOWN_WHEN_WEAK = 3;
const PASSAGE_LENGTH = 320;

/** The language that the browser prefers among ours; English when it names none of them. */
export function languageOf(c: Context): PageLanguage {
  const language = accepts(c, {
    header: 'Accept-Language',
    supports: Object.keys(texts),
    default: 'en',
    match: (wanted, { supports, default: other }) =>
      wanted
        .filter(({ q }) => q > 0)
        .toSorted((one, next) => next.q - one.q)
        .map(({ type }) => type.toLowerCase().split('-')[0] ?? '')
        .find((primary) => supports.includes(primary)) ?? other,
  });
  return isLanguage(language) ? language : 'en';
}

const isLanguage = (tag: string): tag is PageLanguage => Object.hasOwn(texts, tag);

/** The best passage of each article; an empty query shows the form alone. */
export function resultsPage(
  language: PageLanguage,
  query: string,
  hits: readonly KnowledgeHit[],
): Html {
  const text = texts[language];
  const ranked = hits.toSorted((one, other) => other.relevance - one.relevance);
  const best = ranked.filter(
    ({ article_id: id }, at) => ranked.findIndex((hit) => hit.article_id === id) === at,
  );
  const isWeak = (best[0]?.relevance ?? 0) < WEAK;
  const said =
    hits.length === 0 ? (query === '' ? '' : text.none) : isWeak ? text.weak : text.found;
  const shown = best.slice(0, isWeak ? SHOWN_WHEN_WEAK : SHOWN);
  const words = new Set(wordsOf(query).map(stem));
  const body = html`<h1>${query === '' ? text.title : query}</h1>
<p class="quiet">${said}</p>
<ol class="results">${shown.map((hit) => resultOf(hit, { words, language }))}</ol>`;
  return layout(language, {
    title: query === '' ? text.title : `${query} – ${text.title}`,
    query,
    body,
  });
}

const resultOf = (
  hit: KnowledgeHit,
  { words, language }: { words: ReadonlySet<string>; language: PageLanguage },
): Html =>
  html`<li>
<h2><a href="${hit.url}">${hit.title}</a></h2>
<p class="quiet">${hit.heading === '' ? '' : `${hit.heading} · `}${texts[language].updated} <time datetime="${hit.last_updated}">${dayOf(hit.last_updated, language)}</time></p>
<p class="passage">${marked(passageOf(markdownToText(hit.text).replaceAll(/\n{2,}/g, '\n'), words), words)}</p>
</li>`;

const dayOf = (moment: string, language: PageLanguage): string =>
  new Date(moment).toLocaleDateString(language, { dateStyle: 'medium', timeZone: 'UTC' });

const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu;
const isWanted = (word: string, words: ReadonlySet<string>): boolean =>
  wordsOf(word).some((part) => words.has(stem(part)));

/** The text from the sentence on that has most of the wanted words. */
const passageOf = (text: string, words: ReadonlySet<string>): string => {
  const wantedIn = ({ start, end }: { start: number; end: number }): number =>
    new Set(
      wordsOf(text.slice(start, end))
        .map(stem)
        .filter((word) => words.has(word)),
    ).size;
  const spans = splitSentences(text);
  const [best] = spans.toSorted((one, other) => wantedIn(other) - wantedIn(one));
  const from = best?.start ?? 0;
  const passage = text.slice(from, from + PASSAGE_LENGTH);
  const isCut = from + PASSAGE_LENGTH < text.length;
  return `${from > 0 ? '… ' : ''}${isCut ? `${passage.replace(/\s+\S*$/, '')} …` : passage}`;
};

const marked = (passage: string, words: ReadonlySet<string>): Html[] => {
  const parts: Html[] = [];
  let at = 0;
  for (const { 0: word, index } of passage.matchAll(WORD)) {
    if (!isWanted(word, words)) continue;
    parts.push(html`${passage.slice(at, index)}<mark>${word}</mark>`);
    at = index + word.length;
  }
  return [...parts, html`${passage.slice(at)}`];
};

/** A whole article. */
export function articlePage(language: PageLanguage, article: HostArticle, markdown: string): Html {
  const { last_updated: updated } = article.metadata;
  const body = html`<article>
<h1>${article.title}</h1>
<p class="quiet">${texts[language].updated} <time datetime="${updated}">${dayOf(updated, language)}</time></p>
${raw(markdownToHtml(markdown))}
</article>`;
  return layout(language, { title: article.title, query: '', body });
}

/** A reply to a message that asks nothing of the articles; `answer` is Markdown in its own language. */
export function replyPage(
  own: PageLanguage,
  query: string,
  reply: { response: { answer?: string | undefined }; language: string },
): Html {
  const { response, language } = reply;
  const body = html`<h1>${query}</h1>
<div role="alert" lang="${language}">${raw(markdownToHtml(response.answer ?? ''))}</div>`;
  return layout(own, { title: `${query} – ${texts[own].title}`, query, body });
}

/** Why a page is refused, and what to do. */
export function refusalPage(language: PageLanguage, code: ErrorCode, query: string): Html {
  const { refusals }: { refusals: Partial<Record<ErrorCode, { title: string; hint: string }>> } =
    texts[language];
  const { title, hint } = refusals[code] ?? texts[language].refusals.SERVICE_UNAVAILABLE;
  const body = html`<h1>${title}</h1><p>${hint}</p>`;
  return layout(language, { title, query, body });
}

const layout = (
  language: PageLanguage,
  { title, query, body }: { title: string; query: string; body: Html },
): Html => {
  const text = texts[language];
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/pages.css">
</head>
<body>
<form action="/search" role="search">
<label for="q">${text.label}</label>
<input id="q" name="q" type="search" value="${query}" maxlength="${QUERY_MAX_LENGTH}" autocomplete="off">
<button>${text.button}</button>
</form>
<main>${body}</main>
</body>
</html>`;
};
