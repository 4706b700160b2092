import { DurableObject } from 'cloudflare:workers';
import { SyncAccepted } from '../../contract/sync.ts';
import type { TicketsRequest, TicketsResponse } from '../../contract/tickets.ts';
import { type CallStore, callStore } from '../../knowledge/library/call-store.ts';
import { DataSourceError } from '../../runtime/error-info-of.ts';
import { type IdentityVariables, identityFrom } from '../../runtime/identity.ts';
import { describeCause, logLine } from '../../runtime/log.ts';
import { signedClient } from '../../runtime/signed-client.ts';
import { durableObjectSql } from '../../storage/sql.ts';
import { type ArticleSync, articleSync } from './article-sync.ts';
import { ownContext } from './ask-support.ts';
import { type DeskIndex, deskIndex, type Undelivered } from './desk-index.ts';
import type { DeadJob, DeskStub } from './desk-stub.ts';
import { type Pauses, pauses } from './pauses.ts';
import type { JobReport } from './report-jobs.ts';
import { ringAlarm } from './ring-alarm.ts';
import { readTicketTimes, type TicketTimeVariables } from './ticket-times.ts';

export interface DeskObjectEnv extends IdentityVariables, TicketTimeVariables {
  LIBRARY: Fetcher;
}

interface OpenDesk {
  workspace: string;
  index: DeskIndex;
  pauses: Pauses;
  sync: ArticleSync;
  calls: CallStore;
}

const WORKSPACE = 'workspace';
const SYNC_MS = 20_000;
const PRUNE_EVERY_MS = 3_600_000;

/** What is known of all tickets of one workspace: how their jobs stand, which tools ask for rest, and which sync is due. */
export class DeskObject extends DurableObject<DeskObjectEnv> implements DeskStub {
  #open: OpenDesk | undefined;
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

  async list(workspace: string, query: TicketsRequest): Promise<TicketsResponse | 'unknown cursor'> {
    return (await this.#openFor(workspace)).index.list(query);
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
    const error = 'Cannot keep the delivery: the record of its ticket could not be reached';
    (await this.#openFor(workspace)).index.addUndelivered(delivery, { now: Date.now(), error });
  }

  async pausedUntil(workspace: string): Promise<Record<string, number>> {
    return (await this.#openFor(workspace)).pauses.all(Date.now());
  }

  async pause(workspace: string, helpdesk: string, until: number): Promise<void> {
    (await this.#openFor(workspace)).pauses.set(helpdesk, until);
  }

  async requestSync(workspace: string, { full }: { full: boolean }): Promise<void> {
    const { sync } = await this.#openFor(workspace);
    sync.request({ full, now: Date.now() });
    await this.#planSync(sync);
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
    const ring = async (): Promise<void> => {
      const workspace = await storage.get<string>(WORKSPACE);
      if (workspace === undefined) return;
      const { sync } = await this.#openFor(workspace);
      await sync.work();
      await this.#planSync(sync);
    };
    await ringAlarm(ring, { setAlarm: (time) => storage.setAlarm(time) });
  }

  async #planSync(sync: ArticleSync): Promise<void> {
    const dueAt = sync.dueAt();
    if (dueAt !== undefined) await this.ctx.storage.setAlarm(dueAt);
  }

  async #openFor(asking: string): Promise<OpenDesk> {
    if (this.#open === undefined) {
      const workspace = (await this.ctx.storage.get<string>(WORKSPACE)) ?? asking;
      await this.ctx.storage.put(WORKSPACE, workspace);
      this.#open ??= this.#openDesk(workspace);
    }
    if (this.#open.workspace !== asking) throw new Error('Cannot ask the desk: the object is of another workspace');
    return this.#open;
  }

  #openDesk(workspace: string): OpenDesk {
    const sql = durableObjectSql(this.ctx.storage);
    const sync = articleSync({
      sql,
      now: Date.now,
      random: Math.random,
      retryMs: readTicketTimes(this.env).retryMs,
      start: (options) => this.#startSync(workspace, options),
      onFault: (where, error) =>
        logLine({
          ...{ event: 'fault', time: Date.now(), librarian: 'webhooks', where, code: 'DATA_SOURCE_ERROR' },
          cause: describeCause(error),
        }),
    });
    sql.run('CREATE TABLE IF NOT EXISTS calls (link TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID');
    return { workspace, sync, index: deskIndex(sql), pauses: pauses(sql), calls: callStore(sql) };
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
