import { useSignal } from '@preact/signals';
import type { SupportRequest, SupportResponse } from '../../../contract/support-response.ts';
import { Button } from '../../parts/button.tsx';
import { TextArea, TextField } from '../../parts/fields.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { useRunning } from '../../session/loaded.ts';
import { analyze } from '../../support/classification.tsx';
import { t } from '../../texts/texts.ts';
import { Analysis } from './analysis.tsx';

const STORED = 'constellation.message';
/** Bounds of the contract. */
const MAX = { message: 32_000, subject: 1000, name: 200, product: 100 };

type Fields = Record<keyof typeof MAX, string>;

const storedFields = (): Fields => {
  const empty = { message: '', subject: '', name: '', product: '' };
  try {
    return { ...empty, ...JSON.parse(sessionStorage.getItem(STORED) ?? '{}') };
  } catch {
    return empty;
  }
};

const requestOf = ({ message, subject, name, product }: Fields): SupportRequest => ({
  message,
  ...(subject.trim() === '' ? {} : { subject }),
  ...(name.trim() === '' ? {} : { customer_name: name }),
  ...(product.trim() === '' ? {} : { metadata: { product: product.trim() } }),
});

/** What the support desk would say to a message. Nothing is written into a helpdesk; what is typed stays in this tab. */
export const MessageAnalysis = () => {
  const fields = useSignal(storedFields());
  const isMissing = useSignal(false);
  const reply = useSignal<SupportResponse | undefined>(undefined);
  const { start, failure, isLoading } = useRunning();
  const change = (name: keyof Fields) => (event: { currentTarget: { value: string } }) => {
    fields.value = { ...fields.value, [name]: event.currentTarget.value };
    isMissing.value = false;
    sessionStorage.setItem(STORED, JSON.stringify(fields.value));
  };
  const send = (): void => {
    isMissing.value = fields.value.message.trim() === '';
    if (isMissing.value) return;
    reply.value = undefined;
    start(
      (signal) => analyze(requestOf(fields.value), signal),
      (replied) => {
        reply.value = replied;
      },
    );
  };
  const { message, ...others } = fields.value;
  return (
    <div class="tickets">
      <div class="title">
        <h1>{t('tickets.analyse')}</h1>
        <a class="button" href="/tickets">
          {t('tickets.back')}
        </a>
      </div>
      <form
        class="message"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <TextArea
          label={t('analysis.message')}
          rows={6}
          maxLength={MAX.message}
          value={message}
          problem={isMissing.value ? t('analysis.missing_message') : undefined}
          hint={t('analysis.hint')}
          onInput={change('message')}
        />
        <div class="fields">
          {(['subject', 'name', 'product'] as const).map((name) => (
            <TextField
              key={name}
              label={t(`analysis.${name}`)}
              maxLength={MAX[name]}
              value={others[name]}
              onInput={change(name)}
            />
          ))}
        </div>
        <Button kind="primary" type="submit" icon="search" disabled={isLoading}>
          {t('analysis.action')}
        </Button>
      </form>
      <p class="visually-hidden" role="status">
        {reply.value === undefined
          ? ''
          : t('analysis.done', { intent: reply.value.intent_classification.primary_intent })}
      </p>
      {failure === undefined ? null : <Failure error={failure} retry={send} />}
      {isLoading ? <Loading lines={10} /> : null}
      {reply.value === undefined ? null : <Analysis of={reply.value} />}
    </div>
  );
};
