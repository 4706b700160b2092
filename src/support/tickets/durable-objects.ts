import { SyncAccepted } from '../../contract/wire/sync.ts';
import { MASK_KINDS } from '../../language/privacy/find-personal-data.ts';
import { createMask } from '../../language/privacy/mask.ts';
import { type IdentityVariables, identityFrom } from '../../platform/context/identity.ts';
import { signedClient } from '../../platform/context/signed-client.ts';
import { DataSourceError } from '../../platform/http/coded-error.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import { describeCause, logLine } from '../../platform/log.ts';
import { countersOf, type MetricsBindings } from '../../platform/metrics.ts';
import type { ObjectNamespace } from '../../platform/rpc/remote-store.ts';
import { storeObject } from '../../platform/rpc/workspace-object.ts';
import {
  ConnectionGone,
  type HelpdeskVariables,
  readConnections,
  type Write,
} from '../tools/connections.ts';
import type { HelpdeskClient } from '../tools/helpdesk-tool.ts';
import { helpdeskTools } from '../tools/helpdesk-tools.ts';
import { composeNote, newMarker } from './compose-note.ts';
import { openDeliveries } from './deliveries.ts';
import { createDesk } from './desk.ts';
import { openHandovers } from './handovers.ts';
import { openCase } from './ticket-case.ts';
import { ownContext, supportAnalysis } from './ticket-draft.ts';
import {
  DESK_METHODS,
  type Desk,
  storeEvent,
  TICKET_METHODS,
  type TicketCase,
  type TicketKey,
  type TicketStub,
  ticketObjectName,
  type WorkspaceStub,
} from './ticket-objects.ts';
import { readTicketTimes, type TicketTimeVariables } from './ticket-times.ts';
import { articleSync, ticketIndex } from './workspace-store.ts';

export interface TicketObjectEnv
  extends HelpdeskVariables,
    TicketTimeVariables,
    IdentityVariables,
    MetricsBindings {
  SUPPORT: Fetcher;
  DESKS: ObjectNamespace<WorkspaceStub>;
}

export interface DeskObjectEnv
  extends HelpdeskVariables,
    IdentityVariables,
    TicketTimeVariables,
    MetricsBindings {
  LIBRARY: Fetcher;
  TICKETS: ObjectNamespace<TicketStub>;
  DESKS: ObjectNamespace<WorkspaceStub>;
}

const logFault =
  (code: 'INTERNAL_ERROR' | 'DATA_SOURCE_ERROR') =>
  (where: string, error: unknown): void => {
    const cause = describeCause(error);
    logLine({ event: 'fault', time: Date.now(), librarian: 'webhooks', where, code, cause });
  };

/** All kinds of personal data, whatever is masked elsewhere: titles stand in lists. */
const { mask: maskTitles } = createMask(MASK_KINDS);

const REPORT_MS = 3000;
const NOT_STORED = 'Cannot store the delivery: the object of its ticket could not be reached';

/** Adds to the counters of the deployment. */
const counterOf = (env: MetricsBindings, ctx: Pick<DurableObjectState, 'waitUntil'>) => {
  const counters = countersOf(env);
  return (series: string, amount: number): void => {
    counters?.add(series, amount);
    counters?.flushLater((work) => ctx.waitUntil(work));
  };
};

/**
 * One ticket of one helpdesk. Only this object works on the ticket, and it records what was done: there is one such object in the
 * world, so its storage is the lock. The runtime holds back outgoing calls until writes are on disk, so no call leaves before its step
 * is recorded. Alarms make sure that no open job is forgotten.
 */
export class TicketObject extends storeObject<
  TicketObjectEnv,
  TicketCase,
  (typeof TICKET_METHODS)[number],
  TicketKey
>(TICKET_METHODS) {
  protected readonly librarian = 'webhooks';
  protected override readonly ownerKey = 'place';

  protected override nameOf(place: TicketKey): string {
    return ticketObjectName(place);
  }

  protected override dueAt(ticket: TicketCase): number | undefined {
    return ticket.dueAt();
  }

  protected override work(ticket: TicketCase): Promise<void> {
    return ticket.work();
  }

  /** Called when a step is on record; overridden by chaos tests. */
  protected onStep(_step: string): void {}

  protected open(place: TicketKey): TicketCase {
    const { env, ctx } = this;
    const { workspace, helpdesk, ticketId } = place;
    const times = readTicketTimes(env);
    const support = { fetch: (request: Request) => env.SUPPORT.fetch(request) };
    const workspaceStub = env.DESKS.getByName(workspace);
    return openCase({
      sql: this.sql,
      ticketId,
      times,
      now: Date.now,
      random: Math.random,
      newMarker,
      mask: maskTitles,
      connect: () => connectTo(env, { workspace, helpdesk }),
      analyse: async (request, options) => {
        // Only here: deliveries are stored even when this function has no identity.
        const client = signedClient({
          ...(await identityFrom(env, 'webhooks')),
          targets: { support },
        });
        return supportAnalysis(client, { workspace, timeoutMs: times.analyseMs, now: Date.now })(
          request,
          options,
        );
      },
      compose: composeNote,
      enter: (jobs) => inTime(() => workspaceStub.enter(workspace, { helpdesk, ticketId }, jobs)),
      leave: (jobs) => inTime(() => workspaceStub.leave(workspace, { helpdesk, ticketId }, jobs)),
      pause: (until) => inTime(() => workspaceStub.pause(workspace, helpdesk, until)),
      count: counterOf(env, ctx),
      onFault: logFault('INTERNAL_ERROR'),
      onStep: (step) => this.onStep(step),
    });
  }
}

/** Throws `ConnectionGone` or `ConnectionUnusable`. */
const connectTo = (
  env: HelpdeskVariables,
  { workspace, helpdesk }: Pick<TicketKey, 'workspace' | 'helpdesk'>,
): { client: HelpdeskClient; write: Write } => {
  const connection = readConnections(env).find(workspace, helpdesk);
  if (connection === undefined)
    throw new ConnectionGone(
      'Cannot reach the helpdesk: the workspace has no connection to it any more',
    );
  const fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);
  const client = helpdeskTools[helpdesk].client(connection, { fetch, now: Date.now });
  return { client, write: connection.write };
};

const inTime = <T>(work: () => Promise<T>): Promise<T> =>
  withDeadline(work, {
    signal: AbortSignal.timeout(REPORT_MS),
    reason: 'the object of the workspace did not answer in time',
  });

const SYNC_MS = 20_000;

type DeskStore = ReturnType<typeof createDesk>;

/** What all tickets of a workspace share. */
export class DeskObject extends storeObject<DeskObjectEnv, DeskStore, keyof Desk>(DESK_METHODS) {
  protected readonly librarian = 'webhooks';

  protected override dueAt(desk: DeskStore): number | undefined {
    return desk.dueAt();
  }

  protected override work(desk: DeskStore): Promise<void> {
    return desk.work();
  }

  protected open(workspace: string): DeskStore {
    const { sql, env } = this;
    const times = readTicketTimes(env);
    const parts = {
      sql,
      now: Date.now,
      random: Math.random,
      onFault: logFault('DATA_SOURCE_ERROR'),
      count: counterOf(env, this.ctx),
    };
    const sync = articleSync({
      retryMs: times.retryMs,
      start: (options) => this.#startSync(workspace, options),
      ...parts,
    });
    const handovers = openHandovers({
      times,
      connect: (helpdesk) => connectTo(env, { workspace, helpdesk }).client,
      ...parts,
    });
    const index = ticketIndex(sql);
    const workspaceStub = () => env.DESKS.getByName(workspace);
    const ticketStub = (place: TicketKey) => env.TICKETS.getByName(ticketObjectName(place));
    const deliveries = openDeliveries({
      retryMs: times.retryMs,
      store: (message) => storeEvent(message, { ticketStub, workspaceStub }),
      list: (delivery) => index.addUndelivered(delivery, { now: Date.now(), error: NOT_STORED }),
      ...parts,
    });
    return createDesk({
      ...parts,
      index,
      times,
      sync,
      handovers,
      deliveries,
      call: (place) => ticketStub({ workspace, ...place }).begin({ workspace, ...place }),
    });
  }

  async #startSync(workspace: string, { full }: { full: boolean }): Promise<boolean> {
    const identity = await identityFrom(this.env, 'webhooks');
    const library = { fetch: (request: Request) => this.env.LIBRARY.fetch(request) };
    const capabilities = ['kb:write'];
    const context = ownContext(workspace, { capabilities, timeoutMs: SYNC_MS, now: Date.now() });
    const answer = await signedClient({ ...identity, targets: { library } }).call(context, {
      to: 'library',
      path: '/v1/sync',
      body: JSON.stringify(full ? { full } : {}),
    });
    if (!answer.ok || answer.status !== 202)
      throw new DataSourceError(
        `Cannot start a sync: ${answer.ok ? `status is ${answer.status}` : answer.error.code}`,
      );
    return SyncAccepted.parse(answer.json()).started;
  }
}
