import { articleAddress } from '../../navigation/article-address.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Age } from '../../parts/time.tsx';
import { client } from '../../session/deployment.ts';
import { useLoaded } from '../../session/loaded.ts';
import { formatShare, t } from '../../texts/texts.ts';

const LIMIT = 50;

interface FoundProps {
  words: string;
  intent: string | undefined;
  device: string | undefined;
}

/** The passages that a search finds, in articles of an intent or a device where one is chosen. */
export const Found = ({ words, intent, device }: FoundProps) => {
  const filter = intent === undefined && device === undefined ? undefined : { intent, device };
  const { value, failure, load } = useLoaded(
    (signal) => client.search({ query: words, limit: LIMIT, ...(filter === undefined ? {} : { filter }) }, { signal }),
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
              <p class="excerpt small">{text}</p>
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
