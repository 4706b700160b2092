import { DurableObject } from 'cloudflare:workers';
import { SyncAccepted } from '../../contract/wire/sync.ts';
import type {
  DraftFeedback,
  HandoverErasureQuery,
  HandoverRequest,
  HandoverState,
  HandoversPage,
  HandoversRequest,
  LessonsRequest,
  TicketJob,
  TicketOutcomes,
  TicketsRequest,
} from '../../contract/wire/tickets.ts';
import { MASK_KINDS } from '../../language/privacy/find-personal-data.ts';
import { createMask } from '../../language/privacy/mask.ts';
import { type IdentityVariables, identityFrom } from '../../platform/context/identity.ts';
import { signedClient } from '../../platform/context/signed-client.ts';
import { DataSourceError } from '../../platform/http/coded-error.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import { describeCause, logLine } from '../../platform/log.ts';
import { type CallStore, callStore } from '../../platform/rpc/call-store.ts';
import { durableObjectSql, migrate } from '../../platform/storage/sql.ts';
import { ConnectionGone, type HelpdeskVariables, readConnections, type Write } from '../tools/connections.ts';
import type { HelpdeskClient, HelpdeskId } from '../tools/helpdesk-tool.ts';
import { helpdeskTools } from '../tools/helpdesk-tools.ts';
import { composeNote, newMarker } from './compose-note.ts';
import { type Handovers, openHandovers } from './handovers.ts';
import { openCase, type TicketCase } from './ticket-case.ts';
import { type DraftLesson, ownContext, type RatedDraft, type RepliedMessage, supportAnalysis } from './ticket-draft.ts';
import {
  type ChangedDraft,
  type DeadJob,
  type JobReport,
  type MessageEvent,
  type Oversized,
  type StoredCase,
  type StoredDraft,
  type TicketKey,
  type TicketMessage,
  type TicketPage,
  type TicketRef,
  type TicketStub,
  ticketObjectName,
  type Undelivered,
  type WorkOutcome,
  type WorkspaceStub,
} from './ticket-objects.ts';
import { readTicketTimes, type TicketTimeVariables } from './ticket-times.ts';
import {
  type ArticleSync,
  articleSync,
  type RateLimitPauses,
  rateLimitPauses,
  type TicketIndex,
  ticketIndex,
} from './workspace-store.ts';

export interface TicketObjectEnv extends HelpdeskVariables, TicketTimeVariables, IdentityVariables {
  SUPPORT: Fetcher;
  TICKET_QUEUE: Queue<TicketMessage>;
  DESKS: DurableObjectNamespace;
}

export interface DeskObjectEnv extends HelpdeskVariables, IdentityVariables, TicketTimeVariables {
  LIBRARY: Fetcher;
}

const logFault =
  (code: 'INTERNAL_ERROR' | 'DATA_SOURCE_ERROR') =>
  (where: string, error: unknown): void => {
    const cause = describeCause(error);
    logLine({ ...{ event: 'fault', time: Date.now(), librarian: 'webhooks', where, code }, cause });
  };

/** All kinds of personal data, whatever is masked elsewhere: titles stand in lists. */
const { mask: maskTitles } = createMask(MASK_KINDS);

const ALARM_RETRY_MS = 60_000;

/**
 * Runs the work of an alarm. After a failure, such as an invalid variable or a missing key, the alarm is set again: the runtime retries
 * an alarm that throws six times and then drops it, and nothing else would start the work that waits here.
 */
const runAlarm = async (work: () => Promise<void>, storage: DurableObjectStorage): Promise<void> => {
  try {
    await work();
  } catch (error) {
    logFault('INTERNAL_ERROR')('alarm', error);
    await storage.setAlarm(Date.now() + ALARM_RETRY_MS);
  }
};

/** Storage key of a ticket object's place. */
const PLACE = 'place';
const REPORT_MS = 3000;

/**
 * One ticket of one helpdesk. Only this object works on the ticket, and it records what was done: there is one such object in the
 * world, so its storage is the lock. The runtime holds back outgoing calls until writes are on disk, so no call leaves before its step
 * is recorded. Alarms make sure that no open job is forgotten.
 */
export class TicketObject extends DurableObject<TicketObjectEnv> implements TicketStub {
  #opening: Promise<{ place: TicketKey; case: TicketCase }> | undefined;
  #alarmAt: number | undefined;

  async accept(place: TicketKey, event: MessageEvent): Promise<void> {
    const opened = await this.#openFor(place);
    opened.accept(event);
    this.ctx.waitUntil(opened.report());
  }

  async work(place: TicketKey): Promise<WorkOutcome> {
    const working = (await this.#openFor(place)).work();
    // Continues after the caller has gone.
    this.ctx.waitUntil(working);
    return working;
  }

  async postpone(place: TicketKey, until: number): Promise<void> {
    (await this.#openFor(place)).postpone(until);
  }

  async replay(place: TicketKey, jobs: readonly number[]): Promise<number[]> {
    const opened = await this.#openFor(place);
    const replayed = opened.replay(jobs);
    await opened.report();
    return replayed;
  }

  async draft(place: TicketKey): Promise<StoredDraft | undefined> {
    return (await this.#openFor(place)).draft();
  }

  async onDesk(place: TicketKey): Promise<StoredCase | undefined> {
    return (await this.#openFor(place)).onDesk();
  }

  async lesson(place: TicketKey, job: number): Promise<DraftLesson | undefined> {
    return (await this.#openFor(place)).lesson(job);
  }

  async rate(place: TicketKey, feedback: DraftFeedback, text?: string): Promise<boolean> {
    return (await this.#openFor(place)).rate(feedback, text);
  }

  async learn(place: TicketKey, sent: string): Promise<RepliedMessage | undefined> {
    return (await this.#openFor(place)).learn(sent);
  }

  async eraseDrafts(place: TicketKey): Promise<void> {
    const opened = await this.#openFor(place);
    opened.eraseDrafts();
    // The list shows no title then.
    await opened.report();
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = undefined;
    const { storage } = this.ctx;
    await runAlarm(async () => {
      const place = await storage.get<TicketKey>(PLACE);
      if (place !== undefined) await (await this.#openFor(place)).onAlarm();
    }, storage);
  }

  /** Called when a step is on record; overridden by chaos tests. */
  protected onStep(_step: string): void {}

  async #openFor(asking: TicketKey): Promise<TicketCase> {
    // Concurrent callers share one case: two of them would work side by side.
    this.#opening ??= this.#openStored(asking).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    const { place, case: opened } = await this.#opening;
    if (ticketObjectName(place) !== ticketObjectName(asking))
      throw new Error('Cannot work on the ticket: the object belongs to another one');
    return opened;
  }

  async #openStored(asking: TicketKey): Promise<{ place: TicketKey; case: TicketCase }> {
    const stored = await this.ctx.storage.get<TicketKey>(PLACE);
    if (stored === undefined) await this.ctx.storage.put(PLACE, asking);
    const place = stored ?? asking;
    return { place, case: this.#openCase(place) };
  }

  #openCase(place: TicketKey): TicketCase {
    const { env, ctx } = this;
    const { workspace, helpdesk, ticketId } = place;
    const times = readTicketTimes(env);
    const support = { fetch: (request: Request) => env.SUPPORT.fetch(request) };
    // The class is DeskObject, whose type the namespace does not carry.
    const workspaceStub = env.DESKS.getByName(workspace) as unknown as WorkspaceStub;
    return openCase({
      sql: durableObjectSql(ctx.storage),
      ticketId,
      times,
      now: Date.now,
      random: Math.random,
      newMarker,
      mask: maskTitles,
      connect: () => connectTo(env, { workspace, helpdesk }),
      analyse: async (request, options) => {
        // Only here: deliveries are stored even when this function has no identity.
        const client = signedClient({ ...(await identityFrom(env, 'webhooks')), targets: { support } });
        return supportAnalysis(client, { workspace, timeoutMs: times.analyseMs, now: Date.now })(request, options);
      },
      compose: composeNote,
      report: (jobs) => inTime(() => workspaceStub.report(workspace, { helpdesk, ticketId }, jobs)),
      pause: (until) => inTime(() => workspaceStub.pause(workspace, helpdesk, until)),
      enqueue: async () => void (await env.TICKET_QUEUE.send({ kind: 'ticket', ...place })),
      setAlarm: (time) => {
        if (time === this.#alarmAt) return;
        this.#alarmAt = time;
        // Storage keeps the order of writes, so there is no need to wait.
        void ctx.storage.setAlarm(time);
      },
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
    throw new ConnectionGone('Cannot reach the helpdesk: the workspace has no connection to it any more');
  const fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);
  const client = helpdeskTools[helpdesk].client(connection, { fetch, now: Date.now });
  return { client, write: connection.write };
};

const inTime = (work: () => Promise<void>): Promise<void> =>
  withDeadline(work, {
    signal: AbortSignal.timeout(REPORT_MS),
    reason: 'the object of the workspace did not answer in time',
  });

interface OpenWorkspace {
  workspace: string;
  index: TicketIndex;
  pauses: RateLimitPauses;
  sync: ArticleSync;
  handovers: Handovers;
  calls: CallStore;
}

/** Storage key of a workspace object's name. */
const WORKSPACE = 'workspace';
const SYNC_MS = 20_000;
const PRUNE_EVERY_MS = 3_600_000;

/** The state of all tickets of one workspace: their jobs, rate-limit pauses of tools, requested syncs, and visitors who asked for a person. */
export class DeskObject extends DurableObject<DeskObjectEnv> implements WorkspaceStub {
  #open: OpenWorkspace | undefined;
  #prunedAt = 0;

  async report(
    workspace: string,
    place: { helpdesk: string; ticketId: string },
    jobs: readonly JobReport[],
  ): Promise<void> {
    const { index } = await this.#openFor(workspace);
    index.report(place, jobs);
    if (Date.now() - this.#prunedAt < PRUNE_EVERY_MS) return;
    this.#prunedAt = Date.now();
    index.prune(Date.now() - readTicketTimes(this.env).keepMs);
  }

  async list(workspace: string, query: TicketsRequest): Promise<TicketPage | 'unknown cursor'> {
    return (await this.#openFor(workspace)).index.list(query);
  }

  async restore(workspace: string, jobs: readonly TicketJob[]): Promise<boolean[]> {
    return (await this.#openFor(workspace)).index.restore(jobs);
  }

  async addReply(workspace: string, place: TicketRef, replied: RepliedMessage): Promise<void> {
    (await this.#openFor(workspace)).index.addReply(place, replied, Date.now());
  }

  async addFeedback(workspace: string, place: TicketRef, rated: RatedDraft): Promise<void> {
    (await this.#openFor(workspace)).index.addFeedback(place, rated, Date.now());
  }

  async outcomes(workspace: string): Promise<TicketOutcomes> {
    return (await this.#openFor(workspace)).index.outcomes();
  }

  async changedDrafts(workspace: string, query: LessonsRequest): Promise<ChangedDraft[]> {
    return (await this.#openFor(workspace)).index.changedDrafts(query);
  }

  async eraseOutcomes(workspace: string, place: TicketRef): Promise<void> {
    (await this.#openFor(workspace)).index.eraseOutcomes(place);
  }

  async dead(workspace: string, ids: readonly string[] | 'all', limit: number): Promise<DeadJob[]> {
    return (await this.#openFor(workspace)).index.dead(ids, limit);
  }

  async forget(workspace: string, ids: readonly string[]): Promise<{ dead: number }> {
    const { index } = await this.#openFor(workspace);
    for (const id of ids) index.forget(id);
    return { dead: index.countDead() };
  }

  async addUndelivered(workspace: string, delivery: Undelivered): Promise<void> {
    const error = 'Cannot store the delivery: the object of its ticket could not be reached';
    (await this.#openFor(workspace)).index.addUndelivered(delivery, { now: Date.now(), error });
  }

  async addOversized(workspace: string, { helpdesk, bytes, hash }: Oversized): Promise<void> {
    const error = `Cannot read a delivery: it has ${bytes} bytes. Read the ticket in the tool; replaying removes this line`;
    const delivery = { helpdesk, ticketId: 'too large', about: hash, message: null };
    (await this.#openFor(workspace)).index.addUndelivered(delivery, { now: Date.now(), error });
  }

  async addRefused(workspace: string, helpdesk: HelpdeskId, count: number): Promise<void> {
    (await this.#openFor(workspace)).index.addRefused(helpdesk, { count, now: Date.now() });
  }

  async pausedUntil(workspace: string): Promise<Record<string, number>> {
    return (await this.#openFor(workspace)).pauses.all(Date.now());
  }

  async pause(workspace: string, helpdesk: string, until: number): Promise<void> {
    (await this.#openFor(workspace)).pauses.set(helpdesk, until);
  }

  async requestSync(workspace: string, { full }: { full: boolean }): Promise<void> {
    const open = await this.#openFor(workspace);
    open.sync.request({ full, now: Date.now() });
    await this.#schedule(open);
  }

  async addHandover(
    workspace: string,
    request: HandoverRequest,
    options: { target: HelpdeskId | 'list'; sender?: string | undefined },
  ): Promise<HandoverState | 'too many'> {
    const open = await this.#openFor(workspace);
    const state = open.handovers.add(request, options);
    await this.#schedule(open);
    return state;
  }

  async handovers(workspace: string, query: HandoversRequest): Promise<HandoversPage | 'unknown cursor'> {
    return (await this.#openFor(workspace)).handovers.list(query);
  }

  async eraseHandovers(workspace: string, query: HandoverErasureQuery): Promise<number> {
    return (await this.#openFor(workspace)).handovers.erase(query);
  }

  async isFirstCall(
    workspace: string,
    linkHash: string,
    options: { ttlSeconds: number; nowMs: number },
  ): Promise<boolean> {
    return (await this.#openFor(workspace)).calls.isFirst(linkHash, options);
  }

  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    await runAlarm(async () => {
      const workspace = await storage.get<string>(WORKSPACE);
      if (workspace === undefined) return;
      const open = await this.#openFor(workspace);
      await open.handovers.work();
      await open.sync.work();
      await this.#schedule(open);
    }, storage);
  }

  async #schedule({ sync, handovers }: OpenWorkspace): Promise<void> {
    const times = [sync.dueAt(), handovers.dueAt()].filter((time) => time !== undefined);
    if (times.length > 0) await this.ctx.storage.setAlarm(Math.min(...times));
  }

  async #openFor(asking: string): Promise<OpenWorkspace> {
    if (this.#open === undefined) {
      const workspace = (await this.ctx.storage.get<string>(WORKSPACE)) ?? asking;
      await this.ctx.storage.put(WORKSPACE, workspace);
      this.#open ??= this.#openWorkspace(workspace);
    }
    if (this.#open.workspace !== asking)
      throw new Error('Cannot read the workspace: the object belongs to another one');
    return this.#open;
  }

  #openWorkspace(workspace: string): OpenWorkspace {
    const sql = durableObjectSql(this.ctx.storage);
    const sync = articleSync({
      sql,
      now: Date.now,
      random: Math.random,
      retryMs: readTicketTimes(this.env).retryMs,
      start: (options) => this.#startSync(workspace, options),
      onFault: logFault('DATA_SOURCE_ERROR'),
    });
    const handovers = openHandovers({
      ...{ sql, times: readTicketTimes(this.env), now: Date.now, random: Math.random },
      connect: (helpdesk) => connectTo(this.env, { workspace, helpdesk }).client,
      onFault: logFault('DATA_SOURCE_ERROR'),
    });
    migrate(sql, 'calls', [
      ['CREATE TABLE IF NOT EXISTS calls (link TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID'],
    ]);
    return { workspace, sync, handovers, index: ticketIndex(sql), pauses: rateLimitPauses(sql), calls: callStore(sql) };
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
      throw new DataSourceError(`Cannot start a sync: ${answer.ok ? `status is ${answer.status}` : answer.error.code}`);
    return SyncAccepted.parse(answer.json()).started;
  }
}
