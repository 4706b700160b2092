import { useSignal } from '@preact/signals';
import type { EditionChanges, EditionSummary } from '../../../../contract/wire/editions.ts';
import { articleAddress, navigate } from '../../navigation/router.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { LineDifference } from '../../parts/line-difference.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Age } from '../../parts/values.tsx';
import { client, may, refreshDeployment } from '../../session/deployment.ts';
import { useLoaded, useRunning } from '../../session/loaded.ts';
import { formatNumber, t } from '../../texts/texts.ts';

const readEditions = (signal: AbortSignal) => client.editions.list({ signal });

const addressOf = (edition: string, article?: string, from: string | null = null): string =>
  `/knowledge?${new URLSearchParams({
    edition,
    ...(from === null ? {} : { from }),
    ...(article === undefined ? {} : { changed: article }),
  })}`;

/** The editions that are kept, newest first. */
export function EditionsPage() {
  const { value, failure, load } = useLoaded(readEditions, []);
  return (
    <div class="knowledge">
      <div class="title">
        <h1>{t('editions.title')}</h1>
        <a href="/knowledge">{t('knowledge.back')}</a>
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value === undefined ? (
        failure === undefined ? (
          <Loading lines={6} />
        ) : null
      ) : (
        <Table
          caption={t('editions.title')}
          rows={value.editions}
          rowKey={({ id }) => id}
          empty={
            <Empty icon="knowledge" title={t('editions.none')}>
              <p>{t(value.kept === 0 ? 'editions.off' : 'editions.none_text')}</p>
            </Empty>
          }
          columns={COLUMNS()}
        />
      )}
    </div>
  );
}

const COLUMNS = (): Parameters<typeof Table<EditionSummary>>[0]['columns'] => [
  {
    id: 'edition',
    label: t('sync.edition'),
    cell: ({ id, is_current: isCurrent }) => (
      <>
        <a href={addressOf(id)}>{id}</a>{' '}
        {isCurrent ? <strong>{t('editions.current')}</strong> : null}
      </>
    ),
  },
  {
    id: 'published',
    label: t('editions.published'),
    cell: ({ published_at: at }) => <Age of={at} />,
  },
  { id: 'cause', label: t('editions.cause'), cell: ({ cause }) => t(`editions.cause_${cause}`) },
  {
    id: 'articles',
    label: t('sync.articles'),
    align: 'right',
    cell: ({ articles }) => formatNumber(articles),
  },
  {
    id: 'changes',
    label: t('editions.changes'),
    cell: ({ changes }) => (changes === null ? '–' : t('editions.counts', { ...changes })),
  },
];

/** What an edition changed, one article line by line, and a way back to an earlier one. */
export function EditionPage({
  id,
  from,
  article,
}: {
  id: string;
  /** The edition to compare with; the one before when absent. */
  from: string | undefined;
  article: string | undefined;
}) {
  const list = useLoaded(readEditions, []);
  const { value, failure, load } = useLoaded(
    (signal) => client.editions.changes(id, { from, article }, { signal }),
    [id, from, article],
  );
  const isEarlier =
    list.value?.editions.some((edition) => edition.id === id && !edition.is_current) === true;
  return (
    <div class="knowledge">
      <div class="title">
        <h1>{t('editions.title_of', { id })}</h1>
        <span class="row">
          <a href="/knowledge?editions">{t('editions.all')}</a>
          {isEarlier && may('kb:write') === true ? <Activate id={id} /> : null}
        </span>
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value === undefined ? (
        failure === undefined ? (
          <Loading lines={8} />
        ) : null
      ) : (
        <Changes of={value} isNamed={from !== undefined} shown={article} />
      )}
    </div>
  );
}

interface ChangesProps {
  of: EditionChanges;
  /** Whether the edition that it is compared with stands in the address. */
  isNamed: boolean;
  shown: string | undefined;
}

const Changes = ({ of: changes, isNamed, shown }: ChangesProps) => (
  <>
    <p>
      {changes.from === null
        ? t('editions.oldest')
        : t('editions.compared', { from: changes.from })}{' '}
      {t('editions.counts', {
        added: changes.added,
        changed: changes.changed,
        removed: changes.removed,
      })}
    </p>
    {changes.article === null ? null : (
      <section>
        <h2>{shown}</h2>
        {changes.article.is_cut ? <p class="quiet">{t('editions.cut')}</p> : null}
        <LineDifference before={changes.article.before ?? ''} after={changes.article.after ?? ''} />
      </section>
    )}
    <Table
      caption={t('editions.changes')}
      rows={changes.articles}
      rowKey={({ id }) => id}
      empty={<p class="quiet">{t('editions.same')}</p>}
      columns={[
        {
          id: 'change',
          label: t('editions.change'),
          cell: ({ change }) => t(`editions.${change}`),
        },
        {
          id: 'article',
          label: t('editions.article'),
          cell: ({ id, title, change }) => (
            <>
              {change === 'removed' ? (
                (title ?? id)
              ) : (
                <a href={articleAddress(id)}>{title ?? id}</a>
              )}
              <span class="id">{id}</span>
            </>
          ),
        },
        {
          id: 'text',
          label: t('editions.text'),
          cell: ({ id }) => (
            <a href={addressOf(changes.edition, id, isNamed ? changes.from : null)}>
              {t('editions.show_text')}
            </a>
          ),
        },
      ]}
    />
  </>
);

const Activate = ({ id }: { id: string }) => {
  const isAsked = useSignal(false);
  const { start, failure, isLoading } = useRunning();
  const activate = (): void =>
    start(
      (signal) => client.editions.activate(id, { signal }),
      ({ edition }) => {
        void refreshDeployment();
        navigate(addressOf(edition));
      },
    );
  return (
    <>
      <Button icon="retry" disabled={isLoading} onClick={() => (isAsked.value = true)}>
        {t('editions.activate')}
      </Button>
      {failure === undefined ? null : <Failure error={failure} />}
      {isAsked.value ? (
        <Confirm
          title={t('editions.activate_title', { id })}
          action={t('editions.activate')}
          onConfirm={activate}
          onClose={() => (isAsked.value = false)}
        >
          <p>{t('editions.activate_text')}</p>
        </Confirm>
      ) : null}
    </>
  );
};
