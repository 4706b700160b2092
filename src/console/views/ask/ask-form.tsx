import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/fields.tsx';
import { loadMarkdown } from '../../parts/markdown.tsx';
import { librarians, may } from '../../session/deployment.ts';
import { t } from '../../texts/texts.ts';

const MAX_LENGTH = 4000;
const DRAFT = 'constellation.draft';

interface AskFormProps {
  input: RefObject<HTMLTextAreaElement | null>;
  isFollowUp: boolean;
  /** The librarian that is chosen at first. */
  chosen: string;
  onAsk: (query: string, librarian?: string) => void;
}

/** What is typed stays until it was asked, also over a reload. */
export const AskForm = ({ input, isFollowUp, onAsk, chosen }: AskFormProps) => {
  const query = useSignal(sessionStorage.getItem(DRAFT) ?? '');
  const librarian = useSignal(chosen);
  const keep = (text: string): void => {
    void loadMarkdown().catch(() => undefined);
    query.value = text;
    sessionStorage.setItem(DRAFT, text);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const text = query.value.trim();
    if (text === '') return;
    keep('');
    onAsk(text, librarian.value === '' ? undefined : librarian.value);
  };
  useEffect(() => {
    input.current?.focus({ preventScroll: true });
  }, [isFollowUp]);
  return (
    <form class="ask-form" onSubmit={submit}>
      <label class="visually-hidden" for="question">
        {t('ask.question')}
      </label>
      <textarea
        id="question"
        ref={input}
        rows={1}
        maxLength={MAX_LENGTH}
        placeholder={t(
          isFollowUp ? (may('memory:read') === false ? 'ask.another' : 'ask.follow_up') : 'ask.placeholder',
        )}
        value={query.value}
        onInput={(event) => keep(event.currentTarget.value)}
        onKeyDown={(event) => {
          // The key that ends a word of an input method asks nothing.
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
        }}
      />
      <div class="row between">
        <Choice
          label={t('ask.librarian')}
          value={librarian.value}
          onChoose={(chosen) => {
            librarian.value = chosen;
          }}
          options={[
            { value: '', label: t('ask.any_librarian') },
            ...librarians.value
              .filter(({ id }) => id !== 'concierge')
              .map(({ id, name, unavailable }) => ({ value: id, label: name, isDisabled: unavailable !== undefined })),
          ]}
        />
        <Button kind="primary" type="submit" icon="send" disabled={query.value.trim() === ''}>
          {t('ask.action')}
        </Button>
      </div>
    </form>
  );
};
