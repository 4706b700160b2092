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
  if (cited !== null)
    return <CitationList view={CITATION_VIEWS.find((each) => each === cited) ?? 'most'} />;
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

const CITATION_VIEWS = ['most', 'failing', 'never'] as const;
type CitationView = (typeof CITATION_VIEWS)[number];

type Article = Pick<Inventory['articles'][number], 'id' | 'title' | 'last_updated'> & {
  /** Answers that cite it: all, those in doubt, and those with a thumb down. */
  total: number;
  hedged: number;
  down: number;
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

const NEVER_CITED = { total: 0, hedged: 0, down: 0 };

/** How often the answers of the last 30 days cite each article. */
const readCitations = async (signal: AbortSignal): Promise<Citations> => {
  const statistics = await client.answers.statistics({}, { signal });
  const countsById = new Map(statistics.articles.map((each) => [each.article, each]));
  const articles: Article[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { limit: 1000, cursor };
    const listed = await call<Inventory>(
      'GET /api/kb/inventory',
      { articles: 'objects' },
      { query, signal },
    );
    for (const article of listed.articles) {
      const { total, hedged, down } = countsById.get(article.id) ?? NEVER_CITED;
      articles.push({ ...article, total, hedged, down });
    }
    cursor = listed.next_cursor ?? undefined;
    if (cursor === undefined) break;
  }
  const isPartial = cursor !== undefined || statistics.articles.length >= MAX_COUNTED;
  return { articles, from: statistics.from, isPartial };
};

/** Articles by how often answers cite them, those whose answers failed, or those that none cites. */
export function CitationList({ view }: { view: CitationView }) {
  const { value, failure, load } = useLoaded(readCitations, []);
  return (
    <div class="knowledge">
      <div class="title">
        <h1>{t('citations.title')}</h1>
        <a href="/knowledge">{t('knowledge.back')}</a>
      </div>
      <Choice
        label={t('citations.shown')}
        value={view}
        onChoose={(chosen) => navigate(`/knowledge?cited=${chosen}`, { replace: true })}
        options={CITATION_VIEWS.map((each) => ({
          value: each,
          label: t(`citations.${each}`),
        }))}
      />
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value !== undefined ? (
        <Articles citations={value} view={view} />
      ) : failure === undefined ? (
        <Loading lines={10} />
      ) : null}
    </div>
  );
}

const IS_SHOWN: Readonly<Record<CitationView, (article: Article) => boolean>> = {
  most: ({ total }) => total > 0,
  failing: ({ hedged, down }) => hedged + down > 0,
  never: ({ total }) => total === 0,
};
const SORTED_BY = {
  most: { column: 'total', isDescending: true },
  failing: { column: 'down', isDescending: true },
  never: { column: 'changed' },
};
/** The filters of the answers behind a number. */
const FAILED = { down: { feedback: 'down' }, hedged: { verdict: 'hedged' } } as const;

const Articles = ({
  citations: { articles, from, isPartial },
  view,
}: {
  citations: Citations;
  view: CitationView;
}) => {
  // Among equally many thumbs down, more answers in doubt come first.
  const shown = articles.filter(IS_SHOWN[view]).toSorted((one, other) => other.hedged - one.hedged);
  return (
    <>
      <p class="quiet small" role="status">
        {count(`citations.${view}_found`, shown.length, {
          of: articles.length,
        })}
      </p>
      {isPartial ? <p class="banner small">{t('citations.partial')}</p> : null}
      <Table<Article>
        key={view}
        caption={t('citations.title')}
        rows={shown}
        sortedBy={SORTED_BY[view]}
        empty={<Empty icon="knowledge" title={t(`citations.none_${view}`)} />}
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
          ...(['down', 'hedged'] as const).map((id) => ({
            id,
            label: t(`citations.${id}`),
            align: 'right' as const,
            sort: (article: Article) => article[id],
            cell: (article: Article) =>
              article[id] === 0 ? (
                '0'
              ) : (
                <a
                  href={answersAddress({ article: article.id, from, ...FAILED[id] })}
                  aria-label={`${t(`citations.${id}`)}: ${article[id]}, ${article.title}`}
                >
                  {formatNumber(article[id])}
                </a>
              ),
          })),
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
