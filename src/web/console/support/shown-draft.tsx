import type { DraftSentence, TicketDraft } from '../../../contract/wire/tickets.ts';
import { Markdown } from '../parts/markdown.tsx';
import { Quote } from '../parts/quote.tsx';
import { SourceLink } from '../parts/source-link.tsx';
import { t } from '../texts/texts.ts';

/**
 * A draft as it would be sent, with its headings, lists and code, and the articles that it comes from.
 *
 * @param raisedBy Levels by which its headings are higher than usual, to follow those of the page.
 */
export function ShownDraft({ draft, raisedBy }: { draft: TicketDraft; raisedBy: number }) {
  return (
    <>
      <div class="draft" lang={draft.language ?? undefined}>
        {draft.markdown === undefined ? (
          <div class="prose plain">{draft.text}</div>
        ) : (
          <Markdown text={draft.markdown} raisedBy={raisedBy} />
        )}
      </div>
      <Sources sentences={draft.sentences} />
    </>
  );
}

interface ArticleQuotes {
  title: string;
  url: string;
  quotes: { text: string; isWordForWord: boolean }[];
}

/** The articles of a draft with their passages, each once. */
const Sources = ({ sentences }: { sentences: readonly DraftSentence[] }) => {
  const articles = articlesOf(sentences);
  if (articles.length === 0) return null;
  return (
    <section class="draft-sources" aria-label={t('draft.sources')}>
      <p class="quiet small">{t('draft.sources')}</p>
      {articles.map(({ title, url, quotes }) => (
        <details key={`${title} ${url}`}>
          <summary>{title}</summary>
          {quotes.map(({ text, isWordForWord }) => (
            <figure key={text}>
              <Quote text={text} />
              <figcaption class="quiet small">
                {t(isWordForWord ? 'draft.word_for_word' : 'draft.checked')}
              </figcaption>
            </figure>
          ))}
          <p class="small">
            <SourceLink url={url} quote={quotes[0]?.text}>
              {t('evidence.open')}
            </SourceLink>
          </p>
        </details>
      ))}
    </section>
  );
};

const articlesOf = (sentences: readonly DraftSentence[]): ArticleQuotes[] => {
  const articles = new Map<string, ArticleQuotes>();
  for (const { text: sentence, evidence } of sentences) {
    for (const { title, url, quote } of evidence) {
      const article = articles.get(`${title} ${url}`) ?? { title, url, quotes: [] };
      articles.set(`${title} ${url}`, article);
      const isWordForWord = wordsOf(quote).includes(wordsOf(sentence));
      const sameQuote = article.quotes.find(({ text }) => text === quote);
      if (sameQuote === undefined) article.quotes.push({ text: quote, isWordForWord });
      // A passage that is quoted in part and restated in part is none that stands there word for word.
      else sameQuote.isWordForWord &&= isWordForWord;
    }
  }
  return [...articles.values()];
};

const wordsOf = (text: string): string =>
  ` ${(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ')} `;
