import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { answers, ask, forget } from '../../answers/asked-questions.ts';
import { navigate } from '../../navigation/router.ts';
import { useShortcuts } from '../../navigation/shortcuts.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import type { ViewProps } from '../../shell/view-entry.ts';
import { t } from '../../texts/texts.ts';
import { AskForm } from './ask-form.tsx';
import { ShownAnswer } from './shown-answer.tsx';
import { STEPS } from './steps.ts';
import { Suggestions } from './suggestions.tsx';

/** Questions and answers of one conversation; its id is in the address, so that it survives a reload. */
const AskView = ({ parts: [conversation], query: address }: ViewProps) => {
  const input = useRef<HTMLTextAreaElement>(null);
  useShortcuts([{ key: '/', label: 'shortcuts.ask', run: () => input.current?.focus() }, ...STEPS]);
  const shown = answers.value.filter((answer) => answer.peek().conversation === conversation);
  const send = (query: string, librarian?: string): void => {
    const id = conversation ?? crypto.randomUUID();
    if (conversation === undefined) navigate(`/ask/${id}`);
    void ask({ query, conversation: id, librarian });
  };
  useEffect(() => {
    if (shown.length > 1) document.querySelector('.turn:last-of-type')?.scrollIntoView({ block: 'start' });
  }, [shown.length]);
  const isDiscarding = useSignal(false);
  const discard = (): void => {
    if (conversation !== undefined) forget(conversation);
    navigate('/ask');
  };
  return (
    <div class={shown.length === 0 ? 'ask-view empty' : 'ask-view'}>
      <div class="title">
        <h1>{t('ask.title')}</h1>
        {shown.length === 0 ? null : (
          <div class="row">
            <Button icon="plus" onClick={() => navigate('/ask')}>
              {t('ask.new')}
            </Button>
            <Button kind="quiet" onClick={() => (isDiscarding.value = true)}>
              {t('ask.forget')}
            </Button>
          </div>
        )}
      </div>
      {shown.map((answer) => (
        <ShownAnswer key={answer.peek().id} answer={answer} onAsk={send} />
      ))}
      <AskForm input={input} chosen={address.get('librarian') ?? ''} isFollowUp={shown.length > 0} onAsk={send} />
      {shown.length === 0 ? <Suggestions onAsk={send} /> : null}
      {isDiscarding.value ? (
        <Confirm
          title={t('ask.forget_title')}
          action={t('ask.forget')}
          onConfirm={discard}
          onClose={() => {
            isDiscarding.value = false;
          }}
        >
          <p>{t('ask.forget_text')}</p>
        </Confirm>
      ) : null}
    </div>
  );
};

export default AskView;
