import { useSignal } from '@preact/signals';
import type { KnowledgeCheckInput } from '../../../contract/wire/checks.ts';
import { Button } from '../parts/button.tsx';
import { TextArea, TextField } from '../parts/fields.tsx';
import { Failure } from '../parts/states.tsx';
import { client } from '../session/deployment.ts';
import { useRunning } from '../session/loaded.ts';
import { t } from '../texts/texts.ts';

interface CheckFormProps {
  /** The one to change; absent for a new one. Its question stays, as a check is known by it. */
  check?: KnowledgeCheckInput | undefined;
  onSaved: (check: KnowledgeCheckInput) => void;
}

const MAX_QUESTION = 4000;
const MAX_FACT = 500;
const MAX_ID = 300;

/** Writes a check. What was typed stays until it is stored. */
export function CheckForm({ check, onSaved }: CheckFormProps) {
  const question = useSignal(check?.question ?? '');
  const contains = useSignal(check?.contains ?? '');
  const cites = useSignal(check?.cites ?? '');
  const isDeclined = useSignal(check?.declined === true);
  const isChecked = useSignal(false);
  const { start, failure, isLoading } = useRunning();
  const [fact, article] = [contains.value.trim(), cites.value.trim()];
  const lacksQuestion = question.value.trim() === '';
  const lacksExpectation = !isDeclined.value && fact === '' && article === '';
  const save = (): void => {
    isChecked.value = true;
    if (lacksQuestion || lacksExpectation) return;
    const expectation = isDeclined.value
      ? { declined: true as const }
      : {
          ...(fact === '' ? {} : { contains: fact }),
          ...(article === '' ? {} : { cites: article }),
        };
    const input = { question: question.value.trim(), ...expectation };
    start(
      (signal) => client.checks.put([{ id: check?.id, ...input }], { signal }),
      () => onSaved(input),
    );
  };
  return (
    <form
      class="check-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <TextArea
        label={t('checks.field_question')}
        rows={2}
        maxLength={MAX_QUESTION}
        value={question.value}
        readOnly={check !== undefined}
        problem={isChecked.value && lacksQuestion ? t('checks.needs_question') : undefined}
        onInput={(event) => {
          question.value = event.currentTarget.value;
        }}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={isDeclined.value}
          onChange={(event) => {
            isDeclined.value = event.currentTarget.checked;
          }}
        />
        {t('checks.field_declined')}
      </label>
      {isDeclined.value ? null : (
        <>
          <TextField
            label={t('checks.field_contains')}
            maxLength={MAX_FACT}
            value={contains.value}
            hint={t('checks.contains_hint')}
            problem={
              isChecked.value && lacksExpectation ? t('checks.needs_expectation') : undefined
            }
            onInput={(event) => {
              contains.value = event.currentTarget.value;
            }}
          />
          <TextField
            label={t('checks.field_cites')}
            maxLength={MAX_ID}
            value={cites.value}
            hint={t('checks.cites_hint')}
            onInput={(event) => {
              cites.value = event.currentTarget.value;
            }}
          />
        </>
      )}
      {failure === undefined ? null : <Failure error={failure} retry={save} />}
      <div class="row end">
        <Button type="submit" kind="primary" disabled={isLoading}>
          {t(isLoading ? 'checks.saving' : 'checks.save')}
        </Button>
      </div>
    </form>
  );
}
