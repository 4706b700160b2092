import { useEffect } from 'preact/hooks';
import type { SyncStatus } from '../../../contract/sync.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { client, may, refreshDeployment } from '../../session/deployment.ts';
import { useLoaded } from '../../session/loaded.ts';
import { formatNumber, t } from '../../texts/texts.ts';
import { Progress } from './progress.tsx';
import { Report } from './report.tsx';
import { StartSync } from './start-sync.tsx';

const POLL_MS = 1000;

/** The state of the knowledge base: what runs, what the last sync did, and a way to start one. */
const SyncView = () => {
  const { value: status, failure, load } = useLoaded((signal) => client.sync.status({ signal }), []);
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
        {status !== undefined && may('kb:write') === true ? <StartSync isRunning={isRunning} onStarted={load} /> : null}
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

export default SyncView;
