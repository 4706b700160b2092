import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type {
  HeldDeletions,
  SkippedArticle,
  SyncProgress,
  SyncReport,
  SyncRequest,
  SyncState,
  SyncStatus,
} from '../../../../contract/wire/sync.ts';
import { Button, Icon } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Age } from '../../parts/values.tsx';
import { client, may, refreshDeployment } from '../../session/deployment.ts';
import { useLoaded, useRunning } from '../../session/loaded.ts';
import { formatMs, formatNumber, formatShare, t } from '../../texts/texts.ts';

const POLL_MS = 1000;

/** The state of the knowledge base: what runs, what the last sync did, and a way to start one. */
const SyncView = () => {
  const {
    value: status,
    failure,
    load,
  } = useLoaded((signal) => client.sync.status({ signal }), []);
  const isRunning = status !== undefined && status.state !== 'idle';
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(load, POLL_MS);
    return () => {
      clearInterval(timer);
      void refreshDeployment();
    };
  }, [isRunning]);
  return (
    <div class="sync-view">
      <div class="title">
        <h1>{t('view.sync')}</h1>
        {status !== undefined && may('kb:write') === true ? (
          <StartSync isRunning={isRunning} onStarted={load} />
        ) : null}
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {status !== undefined ? (
        <Shown status={status} isRunning={isRunning} onStarted={load} />
      ) : failure === undefined ? (
        <Loading lines={8} />
      ) : null}
    </div>
  );
};

interface ShownProps {
  status: SyncStatus;
  isRunning: boolean;
  onStarted: () => void;
}

const Shown = ({ status, ...starting }: ShownProps) => (
  <>
    <dl class="facts">
      <div>
        <dt>{t('sync.state')}</dt>
        <dd>
          <span role="status">{t(`sync.${status.state}`)}</span>
        </dd>
      </div>
      <div>
        <dt>{t('sync.edition')}</dt>
        <dd>{status.edition ?? '–'}</dd>
      </div>
      <div>
        <dt>{t('sync.articles')}</dt>
        <dd>{formatNumber(status.articles)}</dd>
      </div>
      <div>
        <dt>{t('sync.passages')}</dt>
        <dd>{formatNumber(status.chunks)}</dd>
      </div>
    </dl>
    {status.progress === null ? null : <Progress state={status.state} progress={status.progress} />}
    {status.last_report !== null ? (
      <Report report={status.last_report} {...starting} />
    ) : status.progress === null ? (
      <Empty icon="sync" title={t('sync.none')}>
        <p>{t('sync.none_text')}</p>
      </Empty>
    ) : null}
  </>
);

interface StartProps {
  isRunning: boolean;
  onStarted: () => void;
}

/** Starts a sync of what changed, or of all. */
export function StartSync({ isRunning, onStarted }: StartProps) {
  const { start, failure, isLoading } = useRunning();
  const sync = (request: SyncRequest): void =>
    start((signal) => client.sync.start(request, { signal }), onStarted);
  return (
    <>
      <span class="row">
        <Button
          icon="sync"
          kind="primary"
          disabled={isRunning || isLoading}
          onClick={() => sync({})}
        >
          {t('sync.start')}
        </Button>
        <Button disabled={isRunning || isLoading} onClick={() => sync({ full: true })}>
          {t('sync.start_full')}
        </Button>
      </span>
      {failure === undefined ? null : <Failure error={failure} />}
    </>
  );
}

/** Applies deletions that were held, after a question. */
export function ForceSync({ count, isRunning, onStarted }: StartProps & { count: number }) {
  const isAsked = useSignal(false);
  const { start, failure, isLoading } = useRunning();
  const force = (): void =>
    start((signal) => client.sync.start({ full: true, force: true }, { signal }), onStarted);
  return (
    <>
      <div>
        <Button
          kind="danger"
          disabled={isRunning || isLoading}
          onClick={() => (isAsked.value = true)}
        >
          {t('sync.force', { count })}
        </Button>
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={force} />}
      {isAsked.value ? (
        <Confirm
          title={t('sync.force_title', { count })}
          action={t('sync.force', { count })}
          onConfirm={force}
          onClose={() => (isAsked.value = false)}
        >
          <p>{t('sync.force_text')}</p>
        </Confirm>
      ) : null}
    </>
  );
}

/** How far a running sync is: each step with a bar, as soon as its end is known. */
export function Progress({ state, progress }: { state: SyncState; progress: SyncProgress }) {
  return (
    <section aria-label={t('sync.progress')}>
      <h2>{t(`sync.${state}`)}</h2>
      <p class="quiet small">
        {t(progress.full ? 'sync.full' : 'sync.incremental')} · {t('sync.started')}{' '}
        <Age of={progress.started_at} />
      </p>
      <div class="steps">
        <Step label={t('sync.listed')} done={progress.listed} of={progress.total} />
        <Step label={t('sync.processed')} done={progress.processed} of={progress.to_process} />
        {progress.to_embed === undefined ? null : (
          <Step label={t('sync.embedded')} done={progress.embedded ?? 0} of={progress.to_embed} />
        )}
      </div>
    </section>
  );
}

/** A step whose end is unknown, or 0 until it is known, shows what is done alone. */
const Step = ({
  label,
  done,
  of = 0,
}: {
  label: string;
  done: number;
  of?: number | undefined;
}) => (
  <div class="step">
    <span>{label}</span>
    <progress aria-label={label} value={of === 0 ? 0 : done} max={of === 0 ? 1 : of} />
    <span class="quiet small">{of === 0 ? formatNumber(done) : t('sync.of', { done, of })}</span>
  </div>
);

interface Starting {
  isRunning: boolean;
  onStarted: () => void;
}

const MEANING = { published: 'sure', unchanged: 'none', failed: 'unsure' } as const;

/** What the last sync did. */
export function Report({ report, ...starting }: Starting & { report: SyncReport }) {
  return (
    <section aria-label={t('sync.last')}>
      <h2>{t('sync.last')}</h2>
      <p class="row">
        <span class={`support state-mark ${MEANING[report.outcome]}`}>
          <Icon name={report.outcome === 'failed' ? 'warning' : 'check'} />{' '}
          {t(`sync.${report.outcome}`)}
        </span>
        <span class="quiet small">
          {t(report.forced ? 'sync.forced' : report.full ? 'sync.full' : 'sync.incremental')} ·{' '}
          <Age of={report.finished_at} /> ·{' '}
          {formatMs(Math.max(0, Date.parse(report.finished_at) - Date.parse(report.started_at)))}
        </span>
      </p>
      {report.error === null ? null : (
        <div class="failure">
          <Icon name="warning" />
          <div>
            <Problem {...report.error} />
          </div>
        </div>
      )}
      {report.held_deletions === null ? null : <Held held={report.held_deletions} {...starting} />}
      <dl class="figures">
        {(
          ['added', 'changed', 'removed', 'unchanged', 'embeddings', 'embeddings_missing'] as const
        ).map((name) =>
          report[name] === undefined ? null : (
            <div key={name}>
              <dt>{t(`sync.${name === 'unchanged' ? 'not_changed' : name}`)}</dt>
              <dd>{formatNumber(report[name])}</dd>
            </div>
          ),
        )}
      </dl>
      <Articles title={t('sync.skipped')} all={report.skipped_count} articles={report.skipped} />
      <Articles title={t('sync.warnings')} all={report.warning_count} articles={report.warnings} />
    </section>
  );
}

/** Deletions that the guard has held: what would go, and the step that lets it go. */
const Held = ({ held, ...starting }: Starting & { held: HeldDeletions }) => (
  <div class="failure held">
    <Icon name="shield" />
    <div>
      <h3>{t('sync.held', { count: held.count, of: held.of })}</h3>
      <p>{t('sync.held_text', { limit: formatShare(held.limit) })}</p>
      <ul class="small">
        {held.ids.map((id) => (
          <li key={id}>
            <code>{id}</code>
          </li>
        ))}
      </ul>
      {held.count > held.ids.length ? (
        <p class="quiet small">{t('sync.and_more', { count: held.count - held.ids.length })}</p>
      ) : null}
      {may('kb:write') === true ? <ForceSync count={held.count} {...starting} /> : null}
    </div>
  </div>
);

const Articles = ({
  title,
  all,
  articles,
}: {
  title: string;
  all: number;
  articles: readonly SkippedArticle[];
}) =>
  all === 0 ? null : (
    <>
      <h3>
        {title} ({formatNumber(all)})
      </h3>
      <Table
        caption={title}
        rows={articles}
        columns={[
          {
            id: 'id',
            label: t('sync.article'),
            sort: ({ id }) => id,
            cell: ({ id }) => <code>{id}</code>,
          },
          {
            id: 'reason',
            label: t('sync.reason'),
            sort: ({ reason }) => reason,
            cell: ({ reason }) => reason,
          },
        ]}
      />
      {all > articles.length ? (
        <p class="quiet small">{t('sync.and_more', { count: all - articles.length })}</p>
      ) : null}
    </>
  );

export default SyncView;
