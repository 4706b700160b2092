import { useEffect } from 'preact/hooks';
import type { TicketJob, TicketsResponse } from '../../../../contract/wire/tickets.ts';
import { navigate } from '../../navigation/router.ts';
import { Button, Icon, type IconName } from '../../parts/button.tsx';
import { Choice, TextField } from '../../parts/fields.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Age } from '../../parts/values.tsx';
import { client, may } from '../../session/deployment.ts';
import { usePages } from '../../session/loaded.ts';
import { helpdeskName } from '../../support/helpdesk-name.ts';
import { intentTitle, intentTitles } from '../../support/intent-titles.ts';
import { Connections, reasonText } from '../../support/ticket-parts.tsx';
import { t } from '../../texts/texts.ts';

const STATES = ['all', 'open', 'done', 'dead'] as const;
const OUTCOMES = ['waiting', 'kept', 'edited', 'discarded'] as const;
const FILTERS = [
  'text',
  'from',
  'to',
  'state',
  'outcome',
  'intent',
  'helpdesk',
  'ticket_id',
] as const;
type Filters = Partial<Record<(typeof FILTERS)[number], string>>;
const FIRST_PAGE = 50;
/** `2026-03-01`, of a moment too. */
const DATE_LENGTH = 10;
/** A list whose next pages were read is left as it is. */
const POLL_MS = { open: 3000, settled: 15_000 };

/** Customers' messages with what was written for them. The filters are in the address. */
export function TicketList({ query }: { query: URLSearchParams }) {
  const filters = filtersIn(query);
  const { items, last, ...pages } = usePages<TicketJob, TicketsResponse>(
    // As they stand in the address: the route says what it does not accept.
    (cursor, signal) =>
      client.tickets.list({ state: 'all', ...(filters as object), cursor }, { signal }),
    { itemsOf: ({ tickets }) => tickets, inputs: [JSON.stringify(filters)] },
  );
  const isLong = items.length > FIRST_PAGE;
  const hasOpen = items.some((job) => job.state === 'open');
  useEffect(() => {
    if (isLong) return;
    const refresh = (): void => void (document.visibilityState === 'visible' && pages.load());
    const polling = setInterval(refresh, hasOpen ? POLL_MS.open : POLL_MS.settled);
    return () => clearInterval(polling);
  }, [hasOpen, isLong, JSON.stringify(filters)]);
  return (
    <div class="tickets">
      <div class="title">
        <h1>{t('view.tickets')}</h1>
        <div class="row">
          {may('helpdesk:read') === true ? (
            <a class="button" href="/tickets/learning">
              <Icon name="charts" />
              {t('learning.title')}
            </a>
          ) : null}
          <a class="button" href="/tickets/analyse">
            <Icon name="search" />
            {t('tickets.analyse')}
          </a>
        </div>
      </div>
      {last === undefined ? null : (
        <Connections
          helpdesks={last.helpdesks.filter(
            ({ problem, refused }) => problem !== null || refused > 0,
          )}
        />
      )}
      <TicketFilters
        filters={filters}
        helpdesks={(last?.helpdesks ?? []).map(({ helpdesk }) => helpdesk)}
      />
      {pages.failure === undefined ? null : <Failure error={pages.failure} retry={pages.load} />}
      {last === undefined ? (
        pages.failure === undefined ? (
          <Loading lines={8} />
        ) : null
      ) : (
        <div class="ticket-list">
          <Table
            caption={t('view.tickets')}
            rows={items}
            onMore={pages.more}
            isLoading={pages.isLoading && isLong}
            empty={
              <NoTickets isFiltered={query.size > 0} hasConnections={last.helpdesks.length > 0} />
            }
            columns={columns()}
          />
        </div>
      )}
    </div>
  );
}

const filtersIn = (query: URLSearchParams): Filters =>
  Object.fromEntries(FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])));

const TicketFilters = ({
  filters,
  helpdesks,
}: {
  filters: Filters;
  helpdesks: readonly string[];
}) => {
  const filter = (name: keyof Filters, value: string): void => {
    const set = Object.entries({ ...filters, [name]: value }).filter(
      ([, each]) => each !== '' && each !== 'all',
    );
    navigate(`/tickets${set.length === 0 ? '' : `?${new URLSearchParams(set)}`}`, {
      replace: true,
    });
  };
  const choice = (name: keyof Filters, options: readonly { value: string; label: string }[]) => (
    <Choice
      label={t(`tickets.${name}` as 'tickets.state')}
      value={filters[name] ?? ''}
      onChoose={(chosen) => filter(name, chosen)}
      options={[
        { value: '', label: t('tickets.state_all') },
        ...options,
        // One in the address that is none of ours is shown, to be removed.
        ...(filters[name] === undefined || options.some(({ value }) => value === filters[name])
          ? []
          : [{ value: filters[name], label: filters[name] }]),
      ]}
    />
  );
  return (
    <div class="row filters">
      <TextField
        label={t('tickets.text')}
        type="search"
        maxLength={200}
        value={filters.text ?? ''}
        onChange={(event) => filter('text', event.currentTarget.value.trim())}
      />
      {choice(
        'outcome',
        OUTCOMES.map((value) => ({ value, label: t(`desk.${value}`) })),
      )}
      {choice(
        'intent',
        Object.entries(intentTitles()).map(([value, label]) => ({ value, label })),
      )}
      {choice(
        'helpdesk',
        helpdesks.map((value) => ({ value, label: helpdeskName(value) })),
      )}
      {choice(
        'state',
        STATES.filter((each) => each !== 'all').map((value) => ({
          value,
          label: t(`tickets.state_${value}`),
        })),
      )}
      <TextField
        label={t('tickets.ticket_id')}
        type="search"
        maxLength={200}
        value={filters.ticket_id ?? ''}
        onChange={(event) => filter('ticket_id', event.currentTarget.value.trim())}
      />
      {(['from', 'to'] as const).map((name) => (
        <TextField
          key={name}
          label={t(`tickets.${name}`)}
          type="date"
          value={(filters[name] ?? '').slice(0, DATE_LENGTH)}
          onChange={(event) => filter(name, event.currentTarget.value)}
        />
      ))}
    </div>
  );
};

const columns = (): Parameters<typeof Table<TicketJob>>[0]['columns'] => [
  {
    id: 'title',
    label: t('tickets.message'),
    cell: ({ helpdesk, ticket_id: id, title, excerpt, customer_name: customer }) => (
      <>
        <a class="question-link" href={ticketAddress(helpdesk, id)}>
          {title ?? t('tickets.untitled', { ticket: id })}
        </a>
        {excerpt === undefined ? null : <p class="small excerpt">{excerpt}</p>}
        <span class="quiet small">
          {helpdeskName(helpdesk)} {id}
          {customer === undefined ? null : ` · ${customer}`}
        </span>
      </>
    ),
  },
  {
    id: 'intent',
    label: t('tickets.intent'),
    cell: ({ intent }) => (intent === undefined ? '–' : intentTitle(intent)),
  },
  { id: 'state', label: t('tickets.state'), cell: (job) => <TicketStatus job={job} /> },
  {
    id: 'accepted',
    label: t('tickets.accepted'),
    sort: ({ accepted_at: at }) => at,
    cell: ({ accepted_at: at }) => <Age of={at} />,
  },
];

/** The page of a ticket. */
export function ticketAddress(helpdesk: string, ticketId: string): string {
  return `/tickets/${encodeURIComponent(helpdesk)}/${encodeURIComponent(ticketId)}`;
}

/** The state of a message, in a word and a sign. */
export function TicketStatus({
  job: { state, result, outcome, rewritten, reason, draft_state: draft = 'ready' },
}: {
  job: TicketJob;
}) {
  const [icon, text, tone] = ((): [IconName, string, string] => {
    if (state === 'open') return ['retry', t('desk.writing'), 'weak'];
    if (state === 'dead') return ['warning', t('tickets.state_dead'), 'unsure'];
    if (result === 'none') return ['leave', t('desk.nothing'), 'none'];
    if (outcome !== undefined) return ['check', t(`desk.${outcome}`), 'sure'];
    if (rewritten === true) return ['check', t('desk.sent_back'), 'weak'];
    if (draft === 'unanswered') return ['unknown', t('desk.unanswered'), 'none'];
    if (draft === 'check') return ['warning', t('desk.check'), 'unsure'];
    return ['tickets', t('desk.ready'), 'weak'];
  })();
  return (
    <span class={`support state-mark ${tone}`}>
      <Icon name={icon} /> {text}
      {reason === undefined ? null : <span class="quiet small">{reasonText(reason)}</span>}
    </span>
  );
}

const NoTickets = ({
  isFiltered,
  hasConnections,
}: {
  isFiltered: boolean;
  hasConnections: boolean;
}) => {
  if (isFiltered)
    return (
      <Empty icon="tickets" title={t('tickets.none_such')}>
        <Button onClick={() => navigate('/tickets', { replace: true })}>
          {t('tickets.show_all')}
        </Button>
      </Empty>
    );
  return (
    <Empty icon="tickets" title={t('tickets.none')}>
      <p>{t(hasConnections ? 'tickets.none_connected' : 'tickets.none_unconnected')}</p>
      <pre class="code">{hasConnections ? 'npx constellation ticket' : 'npm start'}</pre>
    </Empty>
  );
};
