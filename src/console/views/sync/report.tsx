import type { HeldDeletions, SkippedArticle, SyncReport } from '../../../contract/sync.ts';
import { Icon } from '../../parts/icon.tsx';
import { Table } from '../../parts/table.tsx';
import { Age } from '../../parts/time.tsx';
import { may } from '../../session/deployment.ts';
import { formatMs, formatNumber, formatShare, t } from '../../texts/texts.ts';
import { ForceSync } from './start-sync.tsx';

interface Starting {
  isRunning: boolean;
  onStarted: () => void;
}

const MEANING = { published: 'sure', unchanged: 'none', failed: 'unsure' } as const;

/** What the last sync did. */
export const Report = ({ report, ...starting }: Starting & { report: SyncReport }) => (
  <section aria-label={t('sync.last')}>
    <h2>{t('sync.last')}</h2>
    <p class="row">
      <span class={`support state-mark ${MEANING[report.outcome]}`}>
        <Icon name={report.outcome === 'failed' ? 'warning' : 'check'} /> {t(`sync.${report.outcome}`)}
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
          <p>
            <code>{report.error.code}</code> {report.error.message}
          </p>
          {report.error.suggestion === undefined ? null : <p class="quiet">{report.error.suggestion}</p>}
        </div>
      </div>
    )}
    {report.held_deletions === null ? null : <Held held={report.held_deletions} {...starting} />}
    <dl class="figures">
      {(['added', 'changed', 'removed', 'unchanged', 'embeddings', 'embeddings_missing'] as const).map((name) =>
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

const Articles = ({ title, all, articles }: { title: string; all: number; articles: readonly SkippedArticle[] }) =>
  all === 0 ? null : (
    <>
      <h3>
        {title} ({formatNumber(all)})
      </h3>
      <Table
        caption={title}
        rows={articles}
        columns={[
          { id: 'id', label: t('sync.article'), sort: ({ id }) => id, cell: ({ id }) => <code>{id}</code> },
          { id: 'reason', label: t('sync.reason'), sort: ({ reason }) => reason, cell: ({ reason }) => reason },
        ]}
      />
      {all > articles.length ? <p class="quiet small">{t('sync.and_more', { count: all - articles.length })}</p> : null}
    </>
  );
