import type { SyncProgress, SyncState } from '../../../contract/sync.ts';
import { Age } from '../../parts/time.tsx';
import { formatNumber, t } from '../../texts/texts.ts';

/** How far a running sync is: each step with a bar, as soon as its end is known. */
export const Progress = ({ state, progress }: { state: SyncState; progress: SyncProgress }) => (
  <section aria-label={t('sync.progress')}>
    <h2>{t(`sync.${state}`)}</h2>
    <p class="quiet small">
      {t(progress.full ? 'sync.full' : 'sync.incremental')} · {t('sync.started')} <Age of={progress.started_at} />
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

/** A step whose end is unknown, or 0 until it is known, shows what is done alone. */
const Step = ({ label, done, of = 0 }: { label: string; done: number; of?: number | undefined }) => (
  <div class="step">
    <span>{label}</span>
    <progress aria-label={label} value={of === 0 ? 0 : done} max={of === 0 ? 1 : of} />
    <span class="quiet small">{of === 0 ? formatNumber(done) : t('sync.of', { done, of })}</span>
  </div>
);
