import { useSignal } from '@preact/signals';
import type { ArticleListing, HostArticle } from '../../../../contract/wire/host-article.ts';
import { articleAddress, navigate } from '../../navigation/router.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Age } from '../../parts/values.tsx';
import { client, may } from '../../session/deployment.ts';
import { useLoaded, usePages } from '../../session/loaded.ts';
import { intentTitle } from '../../support/intent-titles.ts';
import { count, formatShare, t } from '../../texts/texts.ts';
import { HealthSummary } from './health-list.tsx';

const PAGE = 100;
const MAX_LABEL = 100;
const MAX_QUERY = 500;

/** All articles, those of an intent or a device, or the passages that a search finds. */
export function ArticleList({ query }: { query: URLSearchParams }) {
  const [words, intent, device] = ['q', 'intent', 'device'].map(
    (name) => query.get(name) ?? undefined,
  );
  return (
    <div class="knowledge">
      <div class="title">
        <h1>{t('view.knowledge')}</h1>
        <span class="row">
          <a href="/knowledge?editions">{t('editions.title')}</a>
          {may('answers:read') === true ? (
            <a href="/knowledge?cited=most">{t('citations.title')}</a>
          ) : null}
          {may('kb:write') === true ? (
            <Button icon="plus" onClick={() => navigate('/knowledge?edit')}>
              {t('knowledge.new')}
            </Button>
          ) : null}
        </span>
      </div>
      <HealthSummary />
      <Filter
        key={query.toString()}
        filter={{ q: words ?? '', intent: intent ?? '', device: device ?? '' }}
      />
      {words === undefined ? (
        <Articles intent={intent} device={device} />
      ) : (
        <Found words={words} intent={intent} device={device} />
      )}
    </div>
  );
}

type Filters = Record<'q' | 'intent' | 'device', string>;

const Filter = ({ filter }: { filter: Filters }) => {
  const entered = useSignal(filter);
  const show = (filters: Partial<Filters>): void => {
    const set = Object.entries(filters).filter(([, value]) => value.trim() !== '');
    navigate(`/knowledge${set.length === 0 ? '' : `?${new URLSearchParams(set)}`}`);
  };
  const field = (name: keyof Filters, maxLength: number) => (
    <TextField
      label={t(`knowledge.filter_${name}`)}
      type="search"
      value={entered.value[name]}
      maxLength={maxLength}
      onInput={(event) => {
        entered.value = { ...entered.value, [name]: event.currentTarget.value };
      }}
    />
  );
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        show(entered.value);
      }}
    >
      {field('q', MAX_QUERY)}
      {field('intent', MAX_LABEL)}
      {field('device', MAX_LABEL)}
      <span class="row">
        <Button type="submit" icon="search">
          {t('filter.apply')}
        </Button>
        {Object.values(filter).every((value) => value === '') ? null : (
          <Button kind="quiet" icon="cross" onClick={() => show({})}>
            {t('filter.clear')}
          </Button>
        )}
      </span>
    </form>
  );
};

const Articles = ({
  intent,
  device,
}: {
  intent: string | undefined;
  device: string | undefined;
}) => {
  const { items, last, failure, isLoading, load, more } = usePages<HostArticle, ArticleListing>(
    (cursor, signal) => client.articles.list({ intent, device, cursor, limit: PAGE }, { signal }),
    { itemsOf: ({ articles }) => articles, inputs: [intent, device] },
  );
  if (failure !== undefined && items.length === 0) return <Failure error={failure} retry={load} />;
  if (last === undefined) return <Loading lines={10} />;
  const isFiltered = intent !== undefined || device !== undefined;
  return (
    <>
      {failure === undefined ? null : <Failure error={failure} retry={more} />}
      <p class="quiet small">{count('knowledge.articles', last.total)}</p>
      <Table
        caption={t('view.knowledge')}
        rows={items}
        onMore={more}
        isLoading={isLoading}
        empty={
          <Empty icon="knowledge" title={t(isFiltered ? 'knowledge.none_match' : 'knowledge.none')}>
            <p>{t(isFiltered ? 'knowledge.none_match_text' : 'knowledge.none_text')}</p>
          </Empty>
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
            id: 'intent',
            label: t('knowledge.intents'),
            cell: ({ metadata }) => <Labels labels={metadata.intent} name="intent" />,
          },
          {
            id: 'device',
            label: t('knowledge.devices'),
            cell: ({ metadata }) => <Labels labels={metadata.device} name="device" />,
          },
          {
            id: 'changed',
            label: t('knowledge.changed'),
            sort: ({ metadata }) => metadata.last_updated,
            cell: ({ metadata }) => <Age of={metadata.last_updated} />,
          },
        ]}
      />
    </>
  );
};

/** Labels that lead to the articles which have them. */
export function Labels({ labels, name }: { labels: readonly string[]; name: 'intent' | 'device' }) {
  return (
    <span class="labels">
      {labels.map((label) => (
        <a key={label} class="pill" href={`/knowledge?${new URLSearchParams({ [name]: label })}`}>
          {name === 'intent' ? intentTitle(label) : label}
        </a>
      ))}
    </span>
  );
}

const LIMIT = 50;

interface FoundProps {
  words: string;
  intent: string | undefined;
  device: string | undefined;
}

/** The passages that a search finds, in articles of an intent or a device where one is chosen. */
const Found = ({ words, intent, device }: FoundProps) => {
  const filter = intent === undefined && device === undefined ? undefined : { intent, device };
  const { value, failure, load } = useLoaded(
    (signal) =>
      client.search(
        { query: words, limit: LIMIT, ...(filter === undefined ? {} : { filter }) },
        { signal },
      ),
    [words, intent, device],
  );
  if (failure !== undefined) return <Failure error={failure} retry={load} />;
  if (value === undefined) return <Loading lines={8} />;
  return (
    <Table
      caption={t('knowledge.found')}
      rows={value.hits.map((hit, at) => ({ ...hit, rank: at + 1 }))}
      empty={
        <Empty icon="search" title={t('knowledge.nothing_found')}>
          <p>{t('knowledge.none_match_text')}</p>
        </Empty>
      }
      columns={[
        {
          id: 'passage',
          label: t('knowledge.passage'),
          cell: ({ article_id: id, title, heading, text }) => (
            <>
              <a href={articleAddress(id)}>{title}</a>
              {heading === '' ? null : <span class="quiet"> › {heading}</span>}
              <div class="excerpt small">
                <Markdown text={text} />
              </div>
            </>
          ),
        },
        {
          id: 'relevance',
          label: t('knowledge.relevance'),
          align: 'right',
          sort: ({ relevance }) => relevance,
          cell: ({ relevance }) => formatShare(relevance),
        },
        {
          id: 'changed',
          label: t('knowledge.changed'),
          sort: ({ last_updated: changed }) => changed,
          cell: ({ last_updated: changed }) => <Age of={changed} />,
        },
      ]}
    />
  );
};
