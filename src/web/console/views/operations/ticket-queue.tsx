import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type {
  ReplayRequest,
  ReplayResponse,
  TicketJob,
  TicketsResponse,
} from '../../../../contract/wire/tickets.ts';
import { navigate } from '../../navigation/router.ts';
import { Button, Icon, type IconName } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Choice, TextField } from '../../parts/fields.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Age } from '../../parts/values.tsx';
import { client } from '../../session/deployment.ts';
import { usePages, useRunning } from '../../session/loaded.ts';
import { helpdeskName } from '../../support/helpdesk-name.ts';
import { Connections, reasonText } from '../../support/ticket-parts.tsx';
import { count, formatMoment, t } from '../../texts/texts.ts';

const STATES = ['all', 'open', 'done', 'dead'] as const;
type State = (typeof STATES)[number];
const ICONS: Readonly<Record<TicketJob['state'], IconName>> = {
  open: 'retry',
  done: 'check',
  dead: 'warning',
};
const FIRST_PAGE = 50;
/** A list whose next pages were read is left as it is. */
const POLL_MS = { open: 3000, settled: 15_000 };

/** The jobs of customers' messages, with attempts and failures. The filters are in the address. */
export function TicketQueue({ query }: { query: URLSearchParams }) {
  const state = STATES.find((each) => each === query.get('state')) ?? 'all';
  const helpdesk = query.get('helpdesk') ?? undefined;
  const ticket = query.get('ticket_id') ?? undefined;
  const pages = usePages<TicketJob, TicketsResponse>(
    (cursor, signal) =>
      client.tickets.list({ state, helpdesk, ticket_id: ticket, cursor }, { signal }),
    { itemsOf: ({ tickets }) => tickets, inputs: [state, helpdesk, ticket] },
  );
  const { items, last } = pages;
  const replay = useReplay(pages.load);
  const isLong = items.length > FIRST_PAGE;
  const hasOpen = items.some((job) => job.state === 'open');
  useEffect(() => {
    if (isLong) return;
    const refresh = (): void => void (document.visibilityState === 'visible' && pages.load());
    const polling = setInterval(refresh, hasOpen ? POLL_MS.open : POLL_MS.settled);
    return () => clearInterval(polling);
  }, [hasOpen, isLong, state, helpdesk, ticket]);
  const filter = (name: string, value: string): void => {
    const changed = new URLSearchParams(query);
    if (value === '' || value === 'all') changed.delete(name);
    else changed.set(name, value);
    navigate(`/operations?${changed}`, { replace: true });
  };
  const isFiltered = state !== 'all' || helpdesk !== undefined || ticket !== undefined;
  return (
    <section class="tickets">
      <h2>{t('operations.queue')}</h2>
      {last === undefined ? null : <Connections helpdesks={last.helpdesks} />}
      <div class="row filters">
        <Choice<State>
          label={t('tickets.state')}
          value={state}
          onChoose={(chosen) => filter('state', chosen)}
          options={STATES.map((value) => ({ value, label: t(`tickets.state_${value}`) }))}
        />
        <Choice
          label={t('tickets.helpdesk')}
          value={helpdesk ?? ''}
          onChoose={(chosen) => filter('helpdesk', chosen)}
          options={[
            { value: '', label: t('tickets.state_all') },
            ...[
              ...new Set([
                ...(last?.helpdesks ?? []).map((each) => each.helpdesk),
                ...(helpdesk ? [helpdesk] : []),
              ]),
            ].map((value) => ({ value, label: helpdeskName(value) })),
          ]}
        />
        <TextField
          label={t('tickets.ticket')}
          type="search"
          maxLength={200}
          value={ticket ?? ''}
          onChange={(event) => filter('ticket_id', event.currentTarget.value.trim())}
        />
        {items.some((job) => job.state === 'dead') ? (
          <Button icon="retry" disabled={replay.isRunning} onClick={replay.askForAll}>
            {t('tickets.replay_all')}
          </Button>
        ) : null}
      </div>
      {replay.status}
      {pages.failure === undefined ? null : <Failure error={pages.failure} retry={pages.load} />}
      {last === undefined ? (
        pages.failure === undefined ? (
          <Loading lines={8} />
        ) : null
      ) : (
        <Table
          caption={t('operations.queue')}
          rows={items}
          rowKey={({ id }) => id}
          onMore={pages.more}
          isLoading={pages.isLoading && isLong}
          empty={<p class="quiet">{t(isFiltered ? 'tickets.none_such' : 'tickets.none')}</p>}
          columns={columns(replay)}
        />
      )}
    </section>
  );
}

const columns = ({
  run,
  isRunning,
}: Replaying): Parameters<typeof Table<TicketJob>>[0]['columns'] => [
  {
    id: 'ticket',
    label: t('tickets.ticket'),
    sort: ({ helpdesk, ticket_id: id }) => `${helpdesk} ${id}`,
    cell: ({ helpdesk, ticket_id: id }) => (
      <>
        <strong>{id}</strong> <span class="quiet">{helpdeskName(helpdesk)}</span>
      </>
    ),
  },
  {
    id: 'state',
    label: t('tickets.state'),
    sort: ({ state }) => state,
    cell: ({ state, next_attempt_at: next }) => (
      <>
        <span class={`job ${state}`}>
          <Icon name={ICONS[state]} /> {t(`tickets.state_${state}`)}
        </span>
        {next === null ? null : (
          <span class="quiet small">
            {' '}
            {t('tickets.next', { moment: formatMoment(new Date(next)) })}
          </span>
        )}
      </>
    ),
  },
  {
    id: 'result',
    label: t('tickets.written'),
    sort: ({ result }) => result ?? '',
    cell: ({ result, reason }) => (
      <>
        {result === null ? '–' : t(`tickets.written_${result}`)}
        {reason === undefined ? null : <span class="quiet small"> {reasonText(reason)}</span>}
      </>
    ),
  },
  {
    id: 'attempts',
    label: t('tickets.attempts'),
    align: 'right',
    sort: ({ attempts }) => attempts,
    cell: ({ attempts }) => attempts,
  },
  {
    id: 'error',
    label: t('tickets.error'),
    cell: ({ last_error: error }) => <span class="error">{error ?? '–'}</span>,
  },
  {
    id: 'accepted',
    label: t('tickets.accepted'),
    sort: ({ accepted_at: at }) => at,
    cell: ({ accepted_at: at }) => <Age of={at} />,
  },
  {
    id: 'changed',
    label: t('tickets.changed'),
    sort: ({ changed_at: at }) => at,
    cell: ({ changed_at: at }) => <Age of={at} />,
  },
  {
    id: 'replay',
    label: t('tickets.replay'),
    cell: ({ id, state, ticket_id: ticket }) =>
      state === 'dead' ? (
        <Button
          icon="retry"
          label={t('tickets.replay_one', { ticket })}
          disabled={isRunning}
          onClick={() => run({ ids: [id] })}
        />
      ) : null,
  },
];

interface Replaying {
  isRunning: boolean;
  run: (which: ReplayRequest) => void;
  /** Asks first: notes are written into many tickets then. */
  askForAll: () => void;
  /** The question, and what came of it. */
  status: ComponentChildren;
}

/** Retries what failed for good. */
const useReplay = (onDone: () => void): Replaying => {
  const isAsking = useSignal(false);
  const reply = useSignal<ReplayResponse | undefined>(undefined);
  const { start, failure, isLoading: isRunning } = useRunning();
  const run = (which: ReplayRequest): void => {
    reply.value = undefined;
    start(
      (signal) => client.tickets.replay(which, { signal }),
      (response) => {
        reply.value = response;
        onDone();
      },
    );
  };
  const result = reply.value;
  return {
    isRunning,
    run,
    askForAll: () => {
      isAsking.value = true;
    },
    status: (
      <>
        {failure === undefined ? null : <Failure error={failure} />}
        {result === undefined ? null : (
          <p role="status">
            {count('tickets.replayed', result.replayed)}
            {result.remaining === 0 ? null : ` ${count('tickets.remaining', result.remaining)}`}
          </p>
        )}
        {isAsking.value ? (
          <Confirm
            title={t('tickets.replay_all')}
            action={t('tickets.replay')}
            onConfirm={() => run({ all: true })}
            onClose={() => {
              isAsking.value = false;
            }}
          >
            <p>{t('tickets.replay_text')}</p>
          </Confirm>
        ) : null}
      </>
    ),
  };
};
