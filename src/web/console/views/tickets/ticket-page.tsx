import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { TicketCase, TicketDraft, TicketOnDesk } from '../../../../contract/wire/tickets.ts';
import { Feedback } from '../../answers/feedback.tsx';
import { Button, CopyButton, Icon } from '../../parts/button.tsx';
import { TextArea } from '../../parts/fields.tsx';
import { SourceLink } from '../../parts/source-link.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Age, Share } from '../../parts/values.tsx';
import { WordDifference } from '../../parts/word-difference.tsx';
import { client } from '../../session/deployment.ts';
import { useAwaited, useLoaded, useRunning } from '../../session/loaded.ts';
import { helpdeskName } from '../../support/helpdesk-name.ts';
import { intentTitle } from '../../support/intent-titles.ts';
import { ShownDraft } from '../../support/shown-draft.tsx';
import { count, t } from '../../texts/texts.ts';
import { TicketStatus } from './ticket-list.tsx';

interface PlaceProps {
  helpdesk: string;
  ticketId: string;
}

/** The newest message of a ticket: what the customer wrote, the draft with its evidence, and what an agent sent. */
export function TicketPage({ helpdesk, ticketId }: PlaceProps) {
  const place = { helpdesk, ticket_id: ticketId };
  const { value, failure, isLoading, load } = useLoaded(
    (signal) => client.tickets.case(place, { signal }),
    [helpdesk, ticketId],
  );
  const isOpen = value?.job.state === 'open';
  useAwaited(isOpen, { load, isLoading });
  return (
    <div class="tickets">
      <p class="small">
        <a href="/tickets">{t('tickets.back')}</a>
      </p>
      <h1>
        {value?.case?.subject ?? value?.job.title ?? t('tickets.untitled', { ticket: ticketId })}
      </h1>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value !== undefined ? (
        <OnDesk ticket={value} onChanged={load} />
      ) : failure === undefined ? (
        <Loading lines={10} />
      ) : null}
    </div>
  );
}

const OnDesk = ({ ticket, onChanged }: { ticket: TicketOnDesk; onChanged: () => void }) => {
  const { job, case: ticketCase, draft, sent } = ticket;
  return (
    <>
      <p class="row small">
        <TicketStatus job={job} />
        <span class="quiet">
          {helpdeskName(job.helpdesk)} {job.ticket_id} · <Age of={job.accepted_at} />
          {job.result === 'note' || job.result === 'draft'
            ? ` · ${t(`desk.written_${job.result}`)}`
            : null}
        </span>
      </p>
      {ticketCase === null ? (
        <Empty icon="tickets" title={t('desk.no_case')}>
          <p>
            {job.last_error ?? t(job.state === 'open' ? 'desk.writing_text' : 'desk.no_case_text')}
          </p>
        </Empty>
      ) : (
        <div class="analysis">
          <div>
            {ticketCase.escalation === null ? null : (
              <HandOver escalation={ticketCase.escalation} />
            )}
            <Message ticketCase={ticketCase} />
            <Section title={t('analysis.draft')}>
              {draft === null ? (
                <p class="quiet">{t('desk.no_draft')}</p>
              ) : (
                <Draft draft={draft} ticket={ticket} onChanged={onChanged} />
              )}
            </Section>
            {sent === null ? null : (
              <Section title={t('desk.sent')}>
                <p class="quiet small">
                  <Age of={sent.at} />
                </p>
                {draft === null ? (
                  <p class="prose plain">{sent.text}</p>
                ) : (
                  <WordDifference before={draft.text} after={sent.text} />
                )}
              </Section>
            )}
          </div>
          <Aside ticketCase={ticketCase} risks={draft?.risks ?? []} />
        </div>
      )}
    </>
  );
};

const Section = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section>
    <h2>{title}</h2>
    {children}
  </section>
);

/** Before the draft: who has to see the message changes what is sent. */
const HandOver = ({
  escalation: { to, reasons },
}: {
  escalation: NonNullable<TicketCase['escalation']>;
}) => (
  <div class="banner hand-over">
    <Icon name="warning" />
    <div>
      <h2>{t('analysis.escalate', { to: to ?? '' })}</h2>
      <Items items={reasons} />
    </div>
  </div>
);

const Message = ({
  ticketCase: { message, history, customer_name: customer },
}: {
  ticketCase: TicketCase;
}) => (
  <Section title={customer ?? t('desk.customer')}>
    {history.length === 0 ? null : (
      <details>
        <summary>{count('desk.earlier', history.length)}</summary>
        <ol class="thread">
          {history.map(({ from, text, sent_at: at }, index) => (
            <li key={index}>
              <p class="quiet small">
                {t(`desk.from_${from}`)} {at === undefined ? null : <Age of={at} />}
              </p>
              <p class="prose plain">{text}</p>
            </li>
          ))}
        </ol>
      </details>
    )}
    <p class="prose plain said">{message}</p>
  </Section>
);

interface DraftProps {
  draft: TicketDraft;
  ticket: TicketOnDesk;
  onChanged: () => void;
}

const Draft = ({ draft, ticket: { job, rewritten }, onChanged }: DraftProps) => {
  const place = { helpdesk: job.helpdesk, ticket_id: job.ticket_id };
  const isEditing = useSignal(false);
  const isSentBack = useSignal(false);
  return (
    <>
      {isEditing.value ? (
        <Editor
          draft={draft}
          send={(text, signal) => client.tickets.feedback({ ...place, text }, { signal })}
          onClose={(isSent) => {
            isEditing.value = false;
            isSentBack.value = isSent;
            onChanged();
          }}
        />
      ) : (
        <>
          <p role="status" class="small">
            {isSentBack.value ? t('desk.sent_back_text') : ''}
          </p>
          <ShownDraft draft={draft} raisedBy={1} />
          <div class="row">
            <CopyButton text={() => draft.text}>{t('analysis.copy')}</CopyButton>
            <Button
              onClick={() => {
                isEditing.value = true;
              }}
            >
              {t('desk.edit')}
            </Button>
            <Feedback
              key={draft.id}
              before={draft.feedback?.value}
              give={(feedback) => client.tickets.feedback({ ...place, ...feedback })}
            />
          </div>
          {rewritten === null ? null : (
            <>
              <h3>{t('desk.rewritten')}</h3>
              <WordDifference before={draft.text} after={rewritten.text} />
            </>
          )}
        </>
      )}
    </>
  );
};

const MAX_TEXT = 32_000;

interface EditorProps {
  draft: TicketDraft;
  send: (text: string, signal: AbortSignal) => Promise<void>;
  onClose: (isSent: boolean) => void;
}

/** The draft as text, to be changed, copied, and sent back as how it should have been. What is typed survives a reload. */
const Editor = ({ draft, send, onClose }: EditorProps) => {
  const storageKey = `constellation.draft.${draft.id}`;
  const text = useSignal(sessionStorage.getItem(storageKey) ?? draft.text);
  const { start, failure, isLoading } = useRunning();
  const close = (isSent: boolean): void => {
    sessionStorage.removeItem(storageKey);
    onClose(isSent);
  };
  const isChanged = text.value.trim() !== '' && text.value.trim() !== draft.text.trim();
  const submit = (): void =>
    start(
      (signal) => send(text.value.trim(), signal),
      () => close(true),
    );
  return (
    <form
      class="draft-editor"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextArea
        label={t('analysis.draft')}
        hint={t('desk.edit_hint')}
        rows={14}
        maxLength={MAX_TEXT}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          sessionStorage.setItem(storageKey, text.value);
        }}
      />
      <div class="row">
        <Button kind="primary" type="submit" disabled={!isChanged || isLoading}>
          {t('desk.send_back')}
        </Button>
        <CopyButton text={() => text.value}>{t('desk.copy_edited')}</CopyButton>
        <Button kind="quiet" onClick={() => close(false)}>
          {t('cancel')}
        </Button>
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={submit} />}
      {isChanged ? (
        <>
          <h3>{t('desk.changes')}</h3>
          <WordDifference before={draft.text} after={text.value} />
        </>
      ) : null}
    </form>
  );
};

/** What the message is about, and what to look at before a reply is sent. */
const Aside = ({ ticketCase, risks }: { ticketCase: TicketCase; risks: readonly string[] }) => {
  const { summary, intent, confidence, questions, closest } = ticketCase;
  return (
    <div>
      <Section title={t('desk.about')}>
        {summary === null ? (
          <p class="row">
            {intentTitle(intent)} <Share of={confidence} />
          </p>
        ) : (
          <p>{summary}</p>
        )}
      </Section>
      {risks.length === 0 ? null : (
        <Section title={t('analysis.risks')}>
          <Items items={risks} />
        </Section>
      )}
      {questions.length === 0 ? null : (
        <Section title={t('analysis.missing')}>
          <Items items={questions} />
        </Section>
      )}
      {closest.length === 0 ? null : (
        <Section title={t('declined.closest')}>
          <ul>
            {closest.map(({ title, url }) => (
              <li key={url}>
                <SourceLink url={url}>{title}</SourceLink>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
};

const Items = ({ items }: { items: readonly string[] }) => (
  <ul>
    {items.map((item) => (
      <li key={item}>{item}</li>
    ))}
  </ul>
);
