import { useSignal } from '@preact/signals';
import type { SyncRequest } from '../../../contract/sync.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/states.tsx';
import { client } from '../../session/deployment.ts';
import { useRunning } from '../../session/loaded.ts';
import { t } from '../../texts/texts.ts';

interface StartProps {
  isRunning: boolean;
  onStarted: () => void;
}

/** Starts a sync of what changed, or of all. */
export const StartSync = ({ isRunning, onStarted }: StartProps) => {
  const { start, failure, isLoading } = useRunning();
  const sync = (request: SyncRequest): void => start((signal) => client.sync.start(request, { signal }), onStarted);
  return (
    <>
      <span class="row">
        <Button icon="sync" kind="primary" disabled={isRunning || isLoading} onClick={() => sync({})}>
          {t('sync.start')}
        </Button>
        <Button disabled={isRunning || isLoading} onClick={() => sync({ full: true })}>
          {t('sync.start_full')}
        </Button>
      </span>
      {failure === undefined ? null : <Failure error={failure} />}
    </>
  );
};

/** Applies deletions that were held, after a question. */
export const ForceSync = ({ count, isRunning, onStarted }: StartProps & { count: number }) => {
  const isAsked = useSignal(false);
  const { start, failure, isLoading } = useRunning();
  const force = (): void => start((signal) => client.sync.start({ full: true, force: true }, { signal }), onStarted);
  return (
    <>
      <div>
        <Button kind="danger" disabled={isRunning || isLoading} onClick={() => (isAsked.value = true)}>
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
};
