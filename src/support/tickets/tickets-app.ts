import type { Context } from 'hono';
import { Hono } from 'hono/tiny';
import * as z from 'zod';
import { TICKET_ROUTES } from '../../contract/routes/tickets.ts';
import { type Restored, TicketsRestore } from '../../contract/wire/moving.ts';
import {
  type HandoverAccepted,
  HandoverErasureQuery,
  HandoverRequest,
  type HandoversPage,
  HandoversRequest,
  type Lesson,
  LessonsQuery,
  type LessonsResponse,
  ReplayRequest,
  type ReplayResponse,
  type TicketDraft,
  TicketFeedbackRequest,
  type TicketJob,
  type TicketOnDesk,
  type TicketOutcomes,
  TicketPlaceRequest,
  TicketsRequest,
  type TicketsResponse,
} from '../../contract/wire/tickets.ts';
import { MASK_KINDS } from '../../language/privacy/find-personal-data.ts';
import { createMask } from '../../language/privacy/mask.ts';
import {
  faultHandler,
  type GuardedEnv,
  type GuardOptions,
  refusal,
  refuse,
} from '../../platform/context/context-guard.ts';
import { readJson } from '../../platform/http/json-http.ts';
import { mountRoutes } from '../../platform/serve/mount-routes.ts';
import { readStored } from '../../platform/storage/sql.ts';
import type { ListedConnection } from '../tools/connections.ts';
import { HELPDESK_IDS, type HelpdeskId } from '../tools/helpdesk-tool.ts';
import { articlesOf } from './ticket-draft.ts';
import {
  type DeadJob,
  EventMessage,
  type StoredDraft,
  type Stubs,
  storeEvent,
  type TicketKey,
} from './ticket-objects.ts';
import { idOf, isIdOf } from './workspace-store.ts';

interface TicketsAppOptions extends Stubs, Pick<HandoverRoutesOptions, 'handoverTo'> {
  guard: Omit<GuardOptions, 'self' | 'access' | 'replay'>;
  /** The connections of a workspace. */
  connectionsOf(workspace: string): readonly ListedConnection[];
}

const SELF = 'webhooks';

/** Lists the jobs of a workspace's tickets and replays dead ones, for a signed context with `helpdesk:write`. */
export function createTicketsApp(options: TicketsAppOptions) {
  const { guard, workspaceStub } = options;
  const app = new Hono<GuardedEnv>();
  app.onError(faultHandler({ ...guard, self: SELF }));
  app.notFound(() => refusal('NOT_FOUND', { librarian: SELF }));
  const settings = { ...guard, self: SELF, access: 'signed' as const };
  const replay = {
    isFirst: (
      linkHash: string,
      { workspace, ...call }: { workspace: string; ttlSeconds: number; nowMs: number },
    ) => workspaceStub(workspace).isFirstCall(workspace, linkHash, call),
  };
  const read = mountRoutes(app, TICKET_ROUTES, settings);
  const change = mountRoutes(app, TICKET_ROUTES, { ...settings, replay });
  read(
    'GET /v1/support/tickets',
    { query: TicketsRequest, purpose: 'list tickets' },
    (c, { query }) => listTickets(c, query, options),
  );
  change('PUT /v1/support/tickets', { body: TicketsRestore }, (c, { body }) =>
    restoreTickets(c, body, options),
  );
  read(
    'GET /v1/support/tickets/case',
    { query: TicketPlaceRequest, purpose: 'show the ticket' },
    (c, { query }) => showCase(c, query, options),
  );
  read(
    'GET /v1/support/tickets/lessons',
    { query: LessonsQuery, purpose: 'list lessons' },
    (c, { query }) => listLessons(c, query, options),
  );
  read(
    'GET /v1/support/tickets/draft',
    { query: TicketPlaceRequest, purpose: 'show the draft' },
    (c, { query }) => showDraft(c, query, options),
  );
  read('GET /v1/support/tickets/outcomes', {}, async (c) => {
    const { workspace } = c.get('context');
    return c.json((await workspaceStub(workspace).outcomes(workspace)) satisfies TicketOutcomes);
  });
  change(
    'DELETE /v1/support/tickets/draft',
    { query: TicketPlaceRequest, purpose: 'erase the drafts' },
    (c, { query }) => eraseDrafts(c, query, options),
  );
  change('POST /v1/support/tickets/feedback', { body: TicketFeedbackRequest }, (c, { body }) =>
    rate(c, body, options),
  );
  change('POST /v1/support/tickets/replay', { body: ReplayRequest }, async (c, { body }) =>
    c.json(await replayTickets(body, { ...options, workspace: c.get('context').workspace })),
  );
  const handovers = handoverRoutes(options);
  change('POST /v1/support/requests', {}, handovers.accept);
  read(
    'GET /v1/support/requests',
    { query: HandoversRequest, purpose: 'list requests' },
    (c, { query }) => handovers.list(c, query),
  );
  change(
    'DELETE /v1/support/requests',
    { query: HandoverErasureQuery, purpose: 'erase requests' },
    (c, { query }) => handovers.erase(c, query),
  );
  return app;
}

const listTickets = async (
  c: Context<GuardedEnv>,
  query: TicketsRequest,
  { workspaceStub, connectionsOf }: TicketsAppOptions,
): Promise<Response> => {
  const { workspace } = c.get('context');
  const page = await workspaceStub(workspace).list(workspace, query);
  if (page === 'unknown cursor')
    return refuse(c, 'INVALID_QUERY', {
      message: 'Cannot list tickets: cursor is not one of ours',
    });
  const { refusals, ...tickets } = page;
  const helpdesks = connectionsOf(workspace).map(({ helpdesk, problem = null }) => {
    const { count: refused, last_at: last_refused_at } =
      refusals.find((each) => each.helpdesk === helpdesk) ?? NONE;
    return { helpdesk, problem, refused, last_refused_at };
  });
  return c.json({ ...tickets, helpdesks: helpdesks.slice(0, 20) } satisfies TicketsResponse);
};

const NONE = { count: 0, last_at: null };

/** The place of a ticket; undefined for one without jobs, so that asking makes no objects. */
const findPlace = async (
  workspace: string,
  { helpdesk, ticket_id: ticketId }: TicketPlaceRequest,
  { workspaceStub }: TicketsAppOptions,
): Promise<TicketKey | undefined> => {
  const id = HELPDESK_IDS.find((known) => known === helpdesk);
  if (id === undefined) return undefined;
  const page = await workspaceStub(workspace).list(workspace, {
    helpdesk,
    ticket_id: ticketId,
    limit: 1,
  });
  return page === 'unknown cursor' || page.total === 0
    ? undefined
    : { workspace, helpdesk: id, ticketId };
};

const noDraft = (c: Context<GuardedEnv>): Response => {
  const message =
    'Cannot find a draft for this ticket: no message of it was answered, or its time is over';
  return refuse(c, 'NOT_FOUND', { message });
};

const showDraft = async (
  c: Context<GuardedEnv>,
  query: TicketPlaceRequest,
  options: TicketsAppOptions,
): Promise<Response> => {
  const place = await findPlace(c.get('context').workspace, query, options);
  const draft = place && (await options.ticketStub(place).draft(place));
  if (place === undefined || draft === undefined) return noDraft(c);
  return c.json(draftOf(place, draft));
};

const showCase = async (
  c: Context<GuardedEnv>,
  query: TicketPlaceRequest,
  options: TicketsAppOptions,
): Promise<Response> => {
  const { workspace } = c.get('context');
  const place = await findPlace(workspace, query, options);
  const stored = place && (await options.ticketStub(place).onDesk(place));
  if (place === undefined || stored === undefined) {
    const message = 'Cannot show this ticket: no message of it is known, or its time is over';
    return refuse(c, 'NOT_FOUND', { message });
  }
  const [listed, draft] = await Promise.all([
    options.workspaceStub(workspace).list(workspace, { ...query, limit: 1 }),
    options.ticketStub(place).draft(place),
  ]);
  const { version: _, job, ...report } = stored.job;
  const id = idOf({ ...place, job });
  const { outcome, rewritten } =
    (listed === 'unknown cursor' ? [] : listed.tickets).find((each) => each.id === id) ?? {};
  return c.json({
    ...stored,
    job: {
      ...report,
      id,
      helpdesk: place.helpdesk,
      ticket_id: place.ticketId,
      ...(outcome && { outcome }),
      ...(rewritten && { rewritten }),
    },
    // A draft for an earlier message is none for this one.
    draft: draft === undefined || draft.job !== job ? null : draftOf(place, draft),
  } satisfies TicketOnDesk);
};

const listLessons = async (
  c: Context<GuardedEnv>,
  query: LessonsQuery,
  options: TicketsAppOptions,
): Promise<Response> => {
  const { workspace } = c.get('context');
  const changed = await options.workspaceStub(workspace).changedDrafts(workspace, query);
  const lessons = await Promise.all(
    changed.map(async ({ job, ...known }): Promise<Lesson[]> => {
      const id = HELPDESK_IDS.find((each) => each === known.helpdesk);
      if (id === undefined) return [];
      const place = { workspace, helpdesk: id, ticketId: known.ticket_id };
      const lesson = await options.ticketStub(place).lesson(place, job);
      // What is proposed for articles names no one.
      return lesson === undefined
        ? []
        : [{ ...known, ...lesson, added: lesson.added.map(maskAll) }];
    }),
  );
  return c.json({ lessons: lessons.flat() } satisfies LessonsResponse);
};

const { mask: maskAll } = createMask(MASK_KINDS);

const draftOf = (
  place: TicketKey,
  { reply, feedback, job, createdAt }: StoredDraft,
): TicketDraft => ({
  ...reply,
  feedback,
  created_at: new Date(createdAt).toISOString(),
  id: idOf({ ...place, job }),
});

const eraseDrafts = async (
  c: Context<GuardedEnv>,
  query: TicketPlaceRequest,
  options: TicketsAppOptions,
): Promise<Response> => {
  const place = await findPlace(c.get('context').workspace, query, options);
  if (place !== undefined) {
    await options.ticketStub(place).eraseDrafts(place);
    await options.workspaceStub(place.workspace).eraseOutcomes(place.workspace, place);
  }
  return c.body(null, 204);
};

const rate = async (
  c: Context<GuardedEnv>,
  { value, comment, text, ...named }: TicketFeedbackRequest,
  options: TicketsAppOptions,
): Promise<Response> => {
  const place = await findPlace(c.get('context').workspace, named, options);
  const feedback = value === undefined ? undefined : { value, comment };
  if (place === undefined || !(await options.ticketStub(place).rate(place, feedback, text)))
    return noDraft(c);
  const draft = await options.ticketStub(place).draft(place);
  if (draft !== undefined) {
    const { job, reply } = draft;
    const rated = {
      job,
      intent: reply.intent,
      articles: articlesOf(reply),
      value,
      isRewritten: text !== undefined,
    };
    await options.workspaceStub(place.workspace).addFeedback(place.workspace, place, rated);
  }
  return c.body(null, 204);
};

/** As history: their tickets' objects know nothing of them, so that replaying one only removes it from the list. */
const restoreTickets = async (
  c: Context<GuardedEnv>,
  { tickets }: TicketsRestore,
  { workspaceStub }: TicketsAppOptions,
): Promise<Response> => {
  const { workspace } = c.get('context');
  const isOurs = (job: TicketJob) =>
    HELPDESK_IDS.some((id) => id === job.helpdesk) && isIdOf(job.id, job);
  const [ours, others] = [true, false].map((ours) => tickets.filter((job) => isOurs(job) === ours));
  const outcomes = await workspaceStub(workspace).restore(workspace, ours ?? []);
  const restored = outcomes.filter(Boolean).length;
  const reason = 'Cannot restore the ticket: its id is not that of a ticket of a known helpdesk';
  const refused = (others ?? []).map(({ id }) => ({ id, reason }));
  return c.json({ restored, unchanged: outcomes.length - restored, refused } satisfies Restored);
};

interface ReplayParts extends Stubs {
  workspace: string;
}

/** Jobs of one request for `all`. */
const MAX_REPLAYED = 500;
/** Objects called concurrently. */
const MAX_AT_ONCE = 20;

/** Reopens dead jobs. Those that their tickets' objects do not know any more are removed from the list. */
export async function replayTickets(
  request: ReplayRequest,
  { workspace, ...parts }: ReplayParts,
): Promise<ReplayResponse> {
  const stub = parts.workspaceStub(workspace);
  const ids = 'all' in request ? 'all' : [...new Set(request.ids)];
  const dead = await stub.dead(workspace, ids, MAX_REPLAYED);
  const groups = [
    ...Map.groupBy(dead, ({ place }) => JSON.stringify([place.helpdesk, place.ticketId])).values(),
  ];
  const replayed: string[] = [];
  const gone: string[] = [];
  for (let at = 0; at < groups.length; at += MAX_AT_ONCE) {
    const outcomes = await Promise.all(
      groups.slice(at, at + MAX_AT_ONCE).map((jobs) => replayJobs(jobs, { workspace, ...parts })),
    );
    for (const outcome of outcomes) {
      replayed.push(...outcome.replayed);
      gone.push(...outcome.gone);
    }
  }
  const { dead: remaining } = await stub.forget(workspace, gone);
  const unknown = ids === 'all' ? [] : ids.filter((id) => !replayed.includes(id));
  return { replayed: replayed.length, unknown, remaining };
}

/** Dead jobs of one ticket. A delivery that was never stored is stored now, and removed from the list. */
const replayJobs = async (
  jobs: readonly DeadJob[],
  { workspace, ...stubs }: ReplayParts,
): Promise<{ replayed: string[]; gone: string[] }> => {
  const [first] = jobs;
  if (first === undefined) return { replayed: [], gone: [] };
  const undelivered = jobs.filter(({ message }) => message !== null);
  for (const { message } of undelivered) {
    const delivery = readStored(EventMessage, message ?? '');
    // A damaged one can only be removed from the list, as one that was too large.
    if (delivery !== undefined) await storeEvent(delivery, stubs);
  }
  const stored = jobs.filter(({ message }) => message === null);
  const { ticketId } = first.place;
  // A listed job comes from an object of such a place.
  const place = { workspace, helpdesk: first.place.helpdesk as TicketKey['helpdesk'], ticketId };
  const numbers =
    stored.length === 0
      ? []
      : await stubs.ticketStub(place).replay(
          place,
          stored.map(({ place: { job } }) => job),
        );
  const isReplayed = ({ place: { job } }: DeadJob) => numbers.includes(job);
  return {
    replayed: [...undelivered, ...stored.filter(isReplayed)].map(({ id }) => id),
    gone: [...undelivered, ...stored.filter((job) => !isReplayed(job))].map(({ id }) => id),
  };
};

interface HandoverRoutesOptions extends Pick<Stubs, 'workspaceStub'> {
  /** A tool or `list`, to which requests of a workspace go; undefined: it accepts none. */
  handoverTo(workspace: string): HelpdeskId | 'list' | undefined;
}

type Guarded = Context<GuardedEnv>;
const RETRY_SECONDS = 3600;

/** What the gateway sends: the request, and by what its sender is counted. */
const Sent = z.strictObject({
  request: HandoverRequest,
  sender: z.string().min(1).max(64).optional(),
});

/** Handlers of `/v1/support/requests`, behind the guard. */
const handoverRoutes = ({ workspaceStub, handoverTo }: HandoverRoutesOptions) => ({
  accept: async (c: Guarded): Promise<Response> => {
    const { workspace } = c.get('context');
    const target = handoverTo(workspace);
    if (target === undefined)
      return refuse(c, 'NOT_FOUND', {
        message: 'Cannot hand over to a person: this workspace accepts no requests of visitors',
        suggestion: 'Set HANDOVER of the webhooks function (docs/widget.md), or use a contact link',
      });
    const sent = readJson(c.get('body'), Sent);
    if (!sent.ok)
      return refuse(c, 'INVALID_QUERY', { message: sent.problem, suggestion: sent.suggestion });
    const { request, sender } = sent.value;
    const state = await workspaceStub(workspace).addHandover(workspace, request, {
      target,
      sender,
    });
    if (state === 'too many')
      return refuse(c, 'RATE_LIMITED', {
        message: 'Cannot accept the request: there were too many within the last hour',
        suggestion: 'Send the same request again in an hour, or use another way to reach a person',
        details: { retry_after_seconds: RETRY_SECONDS },
      });
    return c.json({ id: request.idempotency_key, state } satisfies HandoverAccepted, 202);
  },
  list: async (c: Guarded, query: HandoversRequest): Promise<Response> => {
    const { workspace } = c.get('context');
    const page = await workspaceStub(workspace).handovers(workspace, query);
    if (page === 'unknown cursor')
      return refuse(c, 'INVALID_QUERY', {
        message: 'Cannot list requests: cursor is not one of ours',
      });
    return c.json(page satisfies HandoversPage);
  },
  erase: async (c: Guarded, query: HandoverErasureQuery): Promise<Response> => {
    const { workspace } = c.get('context');
    return c.json({
      erased: await workspaceStub(workspace).eraseHandovers(workspace, query),
    });
  },
});
