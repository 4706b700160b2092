import type { Inventory } from '../../../../contract/wire/moving.ts';
import { answersAddress, articleAddress, navigate } from '../../navigation/router.ts';
import { Choice } from '../../parts/fields.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Age } from '../../parts/values.tsx';
import { call, client } from '../../session/deployment.ts';
import { useLoaded } from '../../session/loaded.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import { count, formatNumber, t } from '../../texts/texts.ts';
import { ArticlePage } from './article.tsx';
import { ArticleForm } from './article-form.tsx';
import { ArticleList } from './article-list.tsx';
import { EditionPage, EditionsPage } from './editions.tsx';
import { HealthList } from './health-list.tsx';

/** The articles, what writers should look at, how often answers cite each, and one article to read, change or delete. */
const KnowledgeView = ({ query }: ViewProps) => {
  const id = query.get('article') ?? undefined;
  if (query.has('edit')) return <ArticleForm key={`edit ${query}`} id={id} query={query} />;
  if (id !== undefined) return <ArticlePage key={id} id={id} passage={passageIn(query)} />;
  const edition = query.get('edition');
  if (edition !== null)
    return (
      <EditionPage
        id={edition}
        from={query.get('from') ?? undefined}
        article={query.get('changed') ?? undefined}
      />
    );
  if (query.has('editions')) return <EditionsPage />;
  const cited = query.get('cited');
  if (cited !== null) return <CitationList isNever={cited === 'never'} />;
  const kind = query.get('health');
  return kind === null ? <ArticleList query={query} /> : <HealthList kind={kind} />;
};

const passageIn = (query: URLSearchParams) => {
  const [start, end] = [query.get('start'), query.get('end')].map((each) =>
    each === null ? Number.NaN : Number(each),
  );
  return start !== undefined && end !== undefined && start >= 0 && end > start
    ? { start, end }
    : undefined;
};

type Article = Pick<Inventory['articles'][number], 'id' | 'title' | 'last_updated'> & {
  /** Answers that cite it. */
  total: number;
};

interface Citations {
  articles: Article[];
  from: string;
  /** More articles are cited than are counted, or more exist than were read. */
  isPartial: boolean;
}

const MAX_PAGES = 20;
/** `MAX_CITED_ARTICLES` of the contract, whose schemas are no part of the console. */
const MAX_COUNTED = 2000;

/** How often the answers of the last 30 days cite each article. */
const readCitations = async (signal: AbortSignal): Promise<Citations> => {
  const statistics = await client.answers.statistics({}, { signal });
  const totals = new Map(statistics.articles.map(({ article, total }) => [article, total]));
  const articles: Article[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { limit: 1000, cursor };
    const listed = await call<Inventory>(
      'GET /api/kb/inventory',
      { articles: 'objects' },
      { query, signal },
    );
    for (const article of listed.articles)
      articles.push({ ...article, total: totals.get(article.id) ?? 0 });
    cursor = listed.next_cursor ?? undefined;
    if (cursor === undefined) break;
  }
  const isPartial = cursor !== undefined || statistics.articles.length >= MAX_COUNTED;
  return { articles, from: statistics.from, isPartial };
};

/** Articles by how often answers cite them, or those that none does. */
export function CitationList({ isNever }: { isNever: boolean }) {
  const { value, failure, load } = useLoaded(readCitations, []);
  return (
    <div class="knowledge">
      <div class="title">
        <h1>{t('citations.title')}</h1>
        <a href="/knowledge">{t('knowledge.back')}</a>
      </div>
      <Choice
        label={t('citations.shown')}
        value={isNever ? 'never' : 'most'}
        onChoose={(chosen) => navigate(`/knowledge?cited=${chosen}`, { replace: true })}
        options={(['most', 'never'] as const).map((each) => ({
          value: each,
          label: t(`citations.${each}`),
        }))}
      />
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value !== undefined ? (
        <Articles citations={value} isNever={isNever} />
      ) : failure === undefined ? (
        <Loading lines={10} />
      ) : null}
    </div>
  );
}

const Articles = ({
  citations: { articles, from, isPartial },
  isNever,
}: {
  citations: Citations;
  isNever: boolean;
}) => {
  const shown = articles.filter(({ total }) => (total === 0) === isNever);
  return (
    <>
      <p class="quiet small" role="status">
        {count(isNever ? 'citations.never_found' : 'citations.most_found', shown.length, {
          of: articles.length,
        })}
      </p>
      {isPartial ? <p class="banner small">{t('citations.partial')}</p> : null}
      <Table<Article>
        key={String(isNever)}
        caption={t('citations.title')}
        rows={shown}
        sortedBy={isNever ? { column: 'changed' } : { column: 'total', isDescending: true }}
        empty={
          <Empty
            icon="knowledge"
            title={t(isNever ? 'citations.none_never' : 'citations.none_most')}
          />
        }
        columns={[
          {
            id: 'title',
            label: t('knowledge.title'),
            sort: ({ title }) => title,
            cell: ({ id, title }) => (
              <>
                <a href={articleAddress(id)}>{title}</a>
                <span class="id quiet small">{id}</span>
              </>
            ),
          },
          {
            id: 'total',
            label: t('citations.answers'),
            align: 'right',
            sort: ({ total }) => total,
            cell: ({ id, title, total }) =>
              total === 0 ? (
                '0'
              ) : (
                <a
                  href={answersAddress({ article: id, from })}
                  aria-label={count('citations.of', total, { title })}
                >
                  {formatNumber(total)}
                </a>
              ),
          },
          {
            id: 'changed',
            label: t('knowledge.changed'),
            sort: (article) => article.last_updated,
            cell: ({ last_updated: changed }) => <Age of={changed} />,
          },
        ]}
      />
    </>
  );
};

export default KnowledgeView;
