import type { Handover, HandoversPage, TicketOutcomes } from '../../../../contract/wire/tickets.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Age, Share } from '../../parts/values.tsx';
import { call, may } from '../../session/deployment.ts';
import { useLoaded, usePages, useRunning } from '../../session/loaded.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import { helpdeskName } from '../../support/helpdesk-name.ts';
import { intentTitle } from '../../support/intent-titles.ts';
import { t } from '../../texts/texts.ts';
import { LearningPage } from './learning-page.tsx';
import { MessageAnalysis } from './message-analysis.tsx';
import { TicketList } from './ticket-list.tsx';
import { TicketPage } from './ticket-page.tsx';

/**
 * Messages that came in by helpdesks, with what was written for each; `/tickets/<helpdesk>/<ticket>` opens one,
 * `/tickets/learning` shows what agents sent instead of drafts, `/tickets/analyse` reads a message that is typed here.
 */
const TicketsView = ({ parts: [page, ticketId], query }: ViewProps) =>
  page === 'analyse' ? (
    <MessageAnalysis />
  ) : page === 'learning' ? (
    <LearningPage query={query} />
  ) : page !== undefined && ticketId !== undefined ? (
    <TicketPage key={`${page}/${ticketId}`} helpdesk={page} ticketId={ticketId} />
  ) : (
    <>
      <TicketList query={query} />
      {may('helpdesk:read') === true ? (
        <>
          <Requests />
          <Outcomes />
        </>
      ) : null}
    </>
  );

/** Visitors of web pages who asked for a person; nothing without one. */
export function Requests() {
  const pages = usePages<Handover, HandoversPage>(
    (cursor, signal) =>
      call('GET /v1/support/requests', { requests: 'objects' }, { query: { cursor }, signal }),
    { itemsOf: ({ requests }) => requests, inputs: [] },
  );
  const erasing = useRunning();
  const failure = pages.failure ?? erasing.failure;
  const erase = (id: string): void =>
    erasing.start(
      (signal) =>
        call('DELETE /v1/support/requests', { erased: 'number' }, { query: { id }, signal }),
      () => pages.drop((item) => item.id === id),
    );
  if (pages.items.length === 0 && failure === undefined) return null;
  return (
    <section class="visitors">
      <h2>{t('visitors.title')}</h2>
      {failure === undefined ? null : <Failure error={failure} retry={pages.load} />}
      <Table
        caption={t('visitors.title')}
        rows={pages.items}
        rowKey={({ id }) => id}
        onMore={pages.more}
        empty={null}
        columns={[
          { id: 'message', label: t('visitors.message'), cell: (item) => <Message of={item} /> },
          {
            id: 'state',
            label: t('tickets.state'),
            cell: ({ state, helpdesk, ticket_id: ticket, last_error: error }) => (
              <>
                {t(`visitors.state_${state}`)}
                {ticket === null ? null : ` ${helpdeskName(helpdesk ?? '')} ${ticket}`}
                {error === null ? null : <span class="error">{error}</span>}
              </>
            ),
          },
          {
            id: 'accepted',
            label: t('tickets.accepted'),
            cell: ({ accepted_at: at }) => <Age of={at} />,
          },
          {
            id: 'erase',
            label: t('visitors.erase'),
            cell: ({ id }) =>
              may('helpdesk:write') === true ? (
                <Button
                  icon="cross"
                  label={t('visitors.erase')}
                  disabled={erasing.isLoading}
                  onClick={() => erase(id)}
                />
              ) : null,
          },
        ]}
      />
    </section>
  );
}

const Message = ({ of: { request } }: { of: Handover }) => {
  if (request === null) return <span class="quiet">{t('visitors.in_helpdesk')}</span>;
  const { email, message, conversation } = request;
  return (
    <>
      <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>
      <p class="said">{message}</p>
      {conversation.length === 0 ? null : (
        <details>
          <summary>{t('visitors.conversation')}</summary>
          {conversation.map(({ question, answer }, at) => (
            <div key={at} class="small">
              <strong>{question}</strong>
              <p class="said">{answer}</p>
            </div>
          ))}
        </details>
      )}
    </>
  );
};

/** What agents made of drafts, by intent and by cited article; nothing before the first reply was compared. */
export function Outcomes() {
  const { value } = useLoaded<TicketOutcomes>(
    (signal) =>
      call(
        'GET /v1/support/tickets/outcomes',
        { intents: 'objects', articles: 'objects' },
        { signal },
      ),
    [],
  );
  if (value === undefined || value.intents.length === 0) return null;
  const rows = [
    ...value.intents.map(({ intent, ...counts }) => ({ name: intentTitle(intent), ...counts })),
    ...value.articles.map(({ url, ...counts }) => ({ name: url, ...counts })),
  ];
  return (
    <section>
      <h2>{t('outcomes.title')}</h2>
      <Table
        caption={t('outcomes.title')}
        rows={rows}
        columns={[
          { id: 'name', label: t('outcomes.name'), cell: ({ name }) => name },
          ...(['kept', 'edited', 'discarded', 'up', 'down', 'rewritten'] as const).map((id) => ({
            id,
            label: t(`outcomes.${id}`),
            align: 'right' as const,
            sort: (row: (typeof rows)[number]) => row[id],
            cell: (row: (typeof rows)[number]) => row[id],
          })),
          {
            id: 'share',
            label: t('outcomes.share'),
            sort: ({ share }) => share,
            cell: ({ share }) => <Share of={share} />,
          },
        ]}
      />
    </section>
  );
}

export default TicketsView;
