import { useSignal } from '@preact/signals';
import { Button, Icon } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/states.tsx';
import { client, may } from '../session/deployment.ts';
import { useRunning } from '../session/loaded.ts';
import { t } from '../texts/texts.ts';
import { CheckForm } from './check-form.tsx';
import { type AnswerToKeep, type KeptCheck, keepAsCheck } from './keep-check.ts';

/** Makes a check of a good answer with one click: the question must be answered from the same article, or declined as now. */
export function KeepAnswer(answer: AnswerToKeep) {
  const result = useSignal<KeptCheck | undefined>(undefined);
  const isOpen = useSignal(false);
  const { start, failure, isLoading } = useRunning();
  if (may('kb:write') !== true) return null;
  const keep = (): void =>
    start(
      (signal) => keepAsCheck(client.checks, answer, signal),
      (check) => {
        result.value = check;
      },
    );
  const check = typeof result.value === 'object' ? result.value : undefined;
  return (
    <>
      {result.value === undefined ? (
        <Button kind="quiet" icon="checks" disabled={isLoading} onClick={keep}>
          {t(isLoading ? 'checks.keeping' : 'checks.keep')}
        </Button>
      ) : (
        <span class="row small">
          <Mark of={result.value} />
          {check === undefined ? null : (
            <Button kind="quiet" onClick={() => (isOpen.value = true)}>
              {t('checks.add_fact')}
            </Button>
          )}
          <a href="/checks">{t('checks.show')}</a>
        </span>
      )}
      {failure === undefined ? null : <Failure error={failure} retry={keep} />}
      {isOpen.value && check !== undefined ? (
        <Dialog title={t('checks.change')} onClose={() => (isOpen.value = false)}>
          <CheckForm
            check={check}
            onSaved={(saved) => {
              result.value = saved;
              isOpen.value = false;
            }}
          />
        </Dialog>
      ) : null}
    </>
  );
}

const Mark = ({ of: result }: { of: KeptCheck }) =>
  result === 'unanswered' ? (
    <span class="support unsure state-mark" role="status">
      <Icon name="warning" /> {t('checks.keep_unanswered')}
    </span>
  ) : (
    <span class="support sure state-mark" role="status">
      <Icon name="check" /> {t(result === 'exists' ? 'checks.keep_exists' : 'checks.kept')}
    </span>
  );
