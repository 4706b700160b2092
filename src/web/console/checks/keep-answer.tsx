import { useSignal } from '@preact/signals';
import type { KnowledgeCheckInput } from '../../../contract/wire/checks.ts';
import { Button, Icon } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/states.tsx';
import { client, may } from '../session/deployment.ts';
import { useRunning } from '../session/loaded.ts';
import { t } from '../texts/texts.ts';
import { CheckForm } from './check-form.tsx';

interface KeepAnswerProps {
  question: string;
  /** The article that its answer cites first; null where it was declined. Absent: the question is asked. */
  cites?: string | null | undefined;
}

/** Makes a check of a good answer with one click: the question must be answered from the same article, or declined as now. */
export function KeepAnswer({ question, cites }: KeepAnswerProps) {
  const kept = useSignal<KnowledgeCheckInput | undefined>(undefined);
  const isOpen = useSignal(false);
  const { start, failure, isLoading } = useRunning();
  if (may('kb:write') !== true) return null;
  const keep = (): void =>
    start(
      (signal) => keepAsCheck({ question, cites }, signal),
      (check) => {
        kept.value = check;
      },
    );
  return (
    <>
      {kept.value === undefined ? (
        <Button kind="quiet" icon="checks" disabled={isLoading} onClick={keep}>
          {t(isLoading ? 'checks.keeping' : 'checks.keep')}
        </Button>
      ) : (
        <span class="row small">
          <span class="support sure state-mark" role="status">
            <Icon name="check" /> {t('checks.kept')}
          </span>
          <Button kind="quiet" onClick={() => (isOpen.value = true)}>
            {t('checks.add_fact')}
          </Button>
          <a href="/checks">{t('checks.show')}</a>
        </span>
      )}
      {failure === undefined ? null : <Failure error={failure} retry={keep} />}
      {isOpen.value && kept.value !== undefined ? (
        <Dialog title={t('checks.change')} onClose={() => (isOpen.value = false)}>
          <CheckForm
            check={kept.value}
            onSaved={(check) => {
              kept.value = check;
              isOpen.value = false;
            }}
          />
        </Dialog>
      ) : null}
    </>
  );
}

const keepAsCheck = async (
  { question, cites }: KeepAnswerProps,
  signal: AbortSignal,
): Promise<KnowledgeCheckInput> => {
  const article = cites === undefined ? await citedNow(question, signal) : cites;
  const check: KnowledgeCheckInput =
    article === null ? { question, declined: true } : { question, cites: article };
  await client.checks.put([check], { signal });
  return check;
};

/** The article that is cited first when the question is asked; null when it is declined. */
const citedNow = async (question: string, signal: AbortSignal): Promise<string | null> => {
  const { answer } = await client.checks.try({ question, declined: true }, { signal });
  return answer.cites[0]?.id ?? null;
};
