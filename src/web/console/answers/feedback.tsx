import { useSignal } from '@preact/signals';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/fields.tsx';
import { Failure } from '../parts/states.tsx';
import { client } from '../session/deployment.ts';
import { t } from '../texts/texts.ts';

const MAX_COMMENT = 500;

interface FeedbackProps {
  /** Stores it. */
  give: (feedback: { value: 'up' | 'down'; comment?: string }) => Promise<unknown>;
  /** The thumb that was given before. */
  before?: 'up' | 'down' | undefined;
}

/** A thumb, and one sentence for those who want to say more. */
export function Feedback({ give: store, before }: FeedbackProps) {
  const given = useSignal(before);
  const comment = useSignal('');
  const isSaid = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  const give = (value: 'up' | 'down'): void => {
    given.value = value;
    failure.value = undefined;
    const said = comment.value.trim();
    const body = { value, ...(said === '' ? {} : { comment: said }) };
    store(body).then(
      () => {
        isSaid.value = said !== '';
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
  };
  const value = given.value;
  return (
    <>
      <span class="row thumbs">
        <Button
          kind="quiet"
          icon="up-thumb"
          label={t('feedback.up')}
          aria-pressed={value === 'up'}
          onClick={() => give('up')}
        />
        <Button
          kind="quiet"
          icon="down-thumb"
          label={t('feedback.down')}
          aria-pressed={value === 'down'}
          onClick={() => give('down')}
        />
      </span>
      {value === undefined ? null : (
        <form
          class="row feedback"
          onSubmit={(event) => {
            event.preventDefault();
            give(value);
          }}
        >
          {isSaid.value ? (
            <span class="quiet" role="status">
              {t('feedback.thanks')}
            </span>
          ) : (
            <>
              <TextField
                label={t('feedback.comment')}
                maxLength={MAX_COMMENT}
                value={comment.value}
                onInput={(event) => {
                  comment.value = event.currentTarget.value;
                }}
              />
              <Button type="submit">{t('feedback.send')}</Button>
            </>
          )}
        </form>
      )}
      {failure.value === undefined ? null : <Failure error={failure.value} />}
    </>
  );
}

/** Feedback on a kept answer. */
export function giveFeedbackOn(id: string) {
  return (feedback: { value: 'up' | 'down'; comment?: string }) =>
    client.answers.feedback(id, feedback);
}
