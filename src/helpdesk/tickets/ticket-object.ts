import { DurableObject } from 'cloudflare:workers';
import { type IdentityVariables, identityFrom } from '../../runtime/identity.ts';
import { describeCause, logLine } from '../../runtime/log.ts';
import { signedClient } from '../../runtime/signed-client.ts';
import { untilAborted } from '../../runtime/until-aborted.ts';
import { durableObjectSql } from '../../storage/durable-object-sql.ts';
import { type HelpdeskVariables, readConnections } from '../connections.ts';
import type { HelpdeskId, HelpdeskTool } from '../helpdesk-tool.ts';
import { composeNote } from '../note/compose-note.ts';
import { newMarker } from '../note/note-marker.ts';
import { helpdeskTools } from '../tools/helpdesk-tools.ts';
import type { MessageEvent } from './accept-event.ts';
import { supportAnalysis } from './ask-support.ts';
import { ConnectionGone } from './attempt-failed.ts';
import type { DeskStub } from './desk-stub.ts';
import { ringAlarm } from './ring-alarm.ts';
import { openCase, type TicketCase, type WorkOutcome } from './ticket-case.ts';
import { nameOfPlace, type TicketMessage, type TicketPlace } from './ticket-message.ts';
import type { TicketStub } from './ticket-stub.ts';
import { readTicketTimes, type TicketTimeVariables } from './ticket-times.ts';

export interface TicketObjectEnv extends HelpdeskVariables, TicketTimeVariables, IdentityVariables {
  SUPPORT: Fetcher;
  TICKET_QUEUE: Queue<TicketMessage>;
  DESKS: DurableObjectNamespace;
}

const TOOLS: Readonly<Partial<Record<HelpdeskId, HelpdeskTool>>> = helpdeskTools;
const PLACE = 'place';
const DESK_MS = 3000;

/**
 * One ticket of one helpdesk. It alone works on its ticket and knows what was done: there is one such object in the world, so that
 * its record is the lock. The runtime sends nothing out before what was written is on disk, so that a call never leaves without the
 * record of its step. Alarms see to it that nothing open is forgotten.
 */
export class TicketObject extends DurableObject<TicketObjectEnv> implements TicketStub {
  #opening: Promise<{ place: TicketPlace; case: TicketCase }> | undefined;
  #alarmAt: number | undefined;

  async accept(place: TicketPlace, event: MessageEvent): Promise<void> {
    const opened = await this.#openFor(place);
    opened.accept(event);
    this.ctx.waitUntil(opened.report());
  }

  async work(place: TicketPlace): Promise<WorkOutcome> {
    const working = (await this.#openFor(place)).work();
    // Goes on when whoever asked has gone.
    this.ctx.waitUntil(working);
    return working;
  }

  async postpone(place: TicketPlace, until: number): Promise<void> {
    (await this.#openFor(place)).postpone(until);
  }

  async replay(place: TicketPlace, jobs: readonly number[]): Promise<number[]> {
    const opened = await this.#openFor(place);
    const replayed = opened.replay(jobs);
    await opened.report();
    return replayed;
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = undefined;
    const { storage } = this.ctx;
    const ring = async (): Promise<void> => {
      const place = await storage.get<TicketPlace>(PLACE);
      if (place !== undefined) await (await this.#openFor(place)).ring();
    };
    await ringAlarm(ring, { setAlarm: (time) => storage.setAlarm(time) });
  }

  /** Called when a step is on record. */
  protected onStep(_step: string): void {}

  async #openFor(asking: TicketPlace): Promise<TicketCase> {
    // One case, whoever asks first: two of them would work side by side.
    this.#opening ??= this.#openStored(asking).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    const { place, case: opened } = await this.#opening;
    if (nameOfPlace(place) !== nameOfPlace(asking))
      throw new Error('Cannot work on the ticket: the object is of another one');
    return opened;
  }

  async #openStored(asking: TicketPlace): Promise<{ place: TicketPlace; case: TicketCase }> {
    const stored = await this.ctx.storage.get<TicketPlace>(PLACE);
    if (stored === undefined) await this.ctx.storage.put(PLACE, asking);
    const place = stored ?? asking;
    return { place, case: this.#openCase(place) };
  }

  #openCase(place: TicketPlace): TicketCase {
    const { env, ctx } = this;
    const { workspace, helpdesk, ticketId } = place;
    const times = readTicketTimes(env);
    const support = { fetch: (request: Request) => env.SUPPORT.fetch(request) };
    // The class is DeskObject, whose type the namespace does not carry.
    const desk = env.DESKS.getByName(workspace) as unknown as DeskStub;
    return openCase({
      sql: durableObjectSql(ctx.storage),
      ticketId,
      times,
      now: Date.now,
      random: Math.random,
      newMarker,
      connect: () => {
        const connection = readConnections(env).find(workspace, helpdesk);
        const tool = TOOLS[helpdesk];
        if (connection === undefined || tool === undefined)
          throw new ConnectionGone('Cannot reach the helpdesk: the workspace has no connection to it any more');
        const fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);
        return { client: tool.client(connection, { fetch, now: Date.now }), write: connection.write };
      },
      analyse: async (request, options) => {
        // Not before: what is delivered is kept whoever this function is.
        const client = signedClient({ ...(await identityFrom(env, 'webhooks')), targets: { support } });
        return supportAnalysis(client, { workspace, timeoutMs: times.analyseMs, now: Date.now })(request, options);
      },
      compose: composeNote,
      report: (jobs) => told(() => desk.report(workspace, { helpdesk, ticketId }, jobs)),
      pause: (until) => told(() => desk.pause(workspace, helpdesk, until)),
      nudge: async () => void (await env.TICKET_QUEUE.send({ kind: 'ticket', ...place })),
      wakeAt: (time) => {
        if (time === this.#alarmAt) return;
        this.#alarmAt = time;
        // Storage keeps the order of writes: nothing that follows is lost by not waiting.
        void ctx.storage.setAlarm(time);
      },
      onFault: (where, error) =>
        logLine({
          ...{ event: 'fault', time: Date.now(), librarian: 'webhooks', where, code: 'INTERNAL_ERROR' },
          cause: describeCause(error),
        }),
      onStep: (step) => this.onStep(step),
    });
  }
}

const told = (work: () => Promise<void>): Promise<void> =>
  untilAborted(work, { signal: AbortSignal.timeout(DESK_MS), reason: 'the desk did not answer' });
