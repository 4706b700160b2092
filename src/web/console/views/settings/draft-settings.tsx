import { useSignal } from '@preact/signals';
import type { DeskSettings, DraftTone } from '../../../../contract/wire/desk-settings.ts';
import { Button } from '../../parts/button.tsx';
import { Choice, TextArea } from '../../parts/fields.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { call, may } from '../../session/deployment.ts';
import { useLoaded, useRunning } from '../../session/loaded.ts';
import { t } from '../../texts/texts.ts';

const SHAPE = { tone: 'string' } as const;
const TONES: readonly DraftTone[] = ['neutral', 'friendly', 'formal'];
const MAX_HINT = 300;

/** How drafts are written: whoever may change articles may change it. */
export function DraftSettings() {
  const { value, failure, load } = useLoaded(
    (signal) => call<DeskSettings>('GET /v1/support/settings', SHAPE, { signal }),
    [],
  );
  return (
    <section>
      <h2>{t('drafts.title')}</h2>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value !== undefined ? (
        <Form stored={value} />
      ) : failure === undefined ? (
        <Loading lines={4} />
      ) : null}
    </section>
  );
}

const Form = ({ stored }: { stored: DeskSettings }) => {
  const draft = useSignal(stored);
  const isSaved = useSignal(false);
  const { start, failure, isLoading } = useRunning();
  const isLocked = may('kb:write') !== true;
  const set = (change: Partial<DeskSettings>): void => {
    draft.value = { ...draft.value, ...change };
    isSaved.value = false;
  };
  const save = (): void =>
    start(
      (signal) =>
        call<DeskSettings>('PUT /v1/support/settings', SHAPE, { body: draft.value, signal }),
      (written) => {
        draft.value = written;
        isSaved.value = true;
      },
    );
  return (
    <form
      class="draft-settings"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Choice
        label={t('drafts.tone')}
        value={draft.value.tone}
        options={TONES.map((tone) => ({
          value: tone,
          label: t(`drafts.tone_${tone}`),
          isDisabled: isLocked,
        }))}
        onChoose={(tone) => set({ tone })}
      />
      <p class="quiet">{t('drafts.tone_text')}</p>
      <TextArea
        label={t('drafts.hint')}
        hint={t('drafts.hint_text')}
        value={draft.value.hint}
        maxLength={MAX_HINT}
        rows={2}
        readOnly={isLocked}
        onInput={(event) => set({ hint: event.currentTarget.value })}
      />
      {isLocked ? (
        <p class="quiet">{t('drafts.locked')}</p>
      ) : (
        <div class="row">
          <Button type="submit" kind="primary" disabled={isLoading}>
            {t('drafts.save')}
          </Button>
          <span role="status">{isSaved.value ? t('drafts.saved') : ''}</span>
        </div>
      )}
      {failure === undefined ? null : <Failure error={failure} retry={save} />}
    </form>
  );
};

const ELSEWHERE = ['sending', 'words', 'languages', 'contact', 'models', 'keeping'] as const;

/** What else a lead may want to change, and where it is set. */
export function SetElsewhere() {
  return (
    <section>
      <h2>{t('elsewhere.title')}</h2>
      <dl class="facts-list prose">
        {ELSEWHERE.map((name) => (
          <div key={name}>
            <dt>{t(`elsewhere.${name}`)}</dt>
            <dd>{t(`elsewhere.${name}_text`)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
