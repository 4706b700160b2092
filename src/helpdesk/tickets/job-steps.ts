import type { SupportRequest, SupportResponse } from '../../contract/support-response.ts';
import { untilAborted } from '../../runtime/until-aborted.ts';
import type { Write } from '../connections.ts';
import type { DraftReply, HelpdeskMessage, Note, Ticket } from '../helpdesk-tool.ts';
import { type HelpdeskClient, HelpdeskFailed } from '../helpdesk-tool.ts';
import { NotYet } from './attempt-failed.ts';
import { chooseMessages, customerMessages, type KnownMessages } from './choose-messages.ts';
import { supportRequestOf } from './support-request-of.ts';
import type { Job, TicketStore } from './ticket-store.ts';
import type { TicketTimes } from './ticket-times.ts';

export interface StepParts {
  store: TicketStore;
  ticketId: string;
  times: TicketTimes;
  now: () => number;
  newMarker: () => string;
  /** Throws `ConnectionGone` or `SecretMissing`. */
  connect(): { client: HelpdeskClient; write: Write };
  /** Throws `AnalysisFailed`. */
  analyse(request: SupportRequest, options: { signal: AbortSignal }): Promise<SupportResponse>;
  compose(response: SupportResponse, options: { marker: string }): { note: Note; draft: DraftReply };
  /** Called when a step is on record; tests end the work here. */
  onStep?: ((step: string) => void) | undefined;
}

/** A message or its ticket is gone when it is not there so many first waits after its delivery: a tool may show it later than it tells of it. */
const GONE_AFTER_RETRIES = 10;

/**
 * Takes a job as far as it goes, from where its record says it is. Every step is on record before and after its effect, so that
 * the next attempt, after a failure or a crash at any point, knows what may have happened: see `settle`.
 *
 * @throws What the step that failed threw.
 */
export const workOn = async (job: Job, parts: StepParts): Promise<void> => {
  const connection = parts.connect();
  let at: Job | undefined = job;
  while (at?.state === 'open') {
    if (at.step === 'accepted') at = await readAndCompose(at, { ...parts, ...connection });
    else if (at.step === 'composed') at = await write(at, { ...parts, ...connection });
    else if (at.step === 'writing') at = await settle(at, { ...parts, ...connection });
    else at = await finish(at, { ...parts, ...connection });
  }
};

type Connected = StepParts & { client: HelpdeskClient; write: Write };

/** Also in place of a draft that could not be left: it is forgotten then. */
const wantsNote = ({ draft }: Job, { write, client }: Connected): boolean =>
  write !== 'draft' || client.writeDraft === undefined || draft === null;

/** Reads the ticket back, asks what to say, and keeps that here. A message that calls for no note ends the job. */
const readAndCompose = async (job: Job, parts: Connected): Promise<Job | undefined> => {
  const { store, times, now, analyse, compose, newMarker } = parts;
  const ticket = await readTicket(job, parts).catch((error: unknown) => {
    if (error instanceof HelpdeskFailed && error.isNotFound) waitForMessage(job, { times, now: now() });
    throw error;
  });
  step(parts, 'read back');
  const named = messageOf(job, ticket, parts);
  const request = named === undefined ? undefined : supportRequestOf(ticket, named.message);
  if (named === undefined || request === undefined) return end(named?.job ?? job, 'none', parts);
  const response = await bounded((signal) => analyse(request, { signal }), {
    ms: times.analyseMs,
    reason: 'Cannot analyse the message: support did not answer in time',
  });
  step(parts, 'analysed');
  const marker = newMarker();
  const { note, draft } = compose(response, { marker });
  const composed = { note: JSON.stringify(note), draft: JSON.stringify(draft), marker };
  const changed = store.change(named.job, { ...composed, step: 'composed', ticket: null }, now());
  step(parts, 'composed');
  return changed;
};

const readTicket = (job: Job, { client, ticketId, times }: Connected): Promise<Ticket> =>
  job.ticket === null
    ? bounded((signal) => client.readTicket(ticketId, { signal }), {
        ms: times.callMs,
        reason: 'Cannot read the ticket: the helpdesk did not answer in time',
      })
    : // Written by this object.
      Promise.resolve(JSON.parse(job.ticket) as Ticket);

/**
 * The message that a job is about; undefined when none calls for a note. A job that named no message becomes that of one which does,
 * and gets siblings where there are several.
 */
const messageOf = (
  job: Job,
  ticket: Ticket,
  { store, times, now }: Connected,
): { job: Job; message: HelpdeskMessage } | undefined => {
  const known: KnownMessages = {
    hasNote: (id) => store.markOf(id) !== undefined,
    isOwnNote: store.isOwnNote,
  };
  const messages = customerMessages(ticket, known);
  if (job.about === 'first' || job.about === 'latest') {
    const ids = chooseMessages(job.about, messages, { known, acceptedAt: job.accepted_at });
    if (ids.length === 0) waitForMessage(job, { times, now: now() });
    const left = ids.filter((id) => !known.hasNote(id) && store.jobAbout(`m:${id}`) === undefined);
    if (left.length === 0 && isRenewed(job, store.job(job.id)))
      throw new NotYet('another delivery came', { at: now() });
    const message = messages.find(({ id }) => id === left[0]);
    return message && { job: nameMessages(job, left, { store, now: now() }), message };
  }
  const id = job.about.slice(2);
  if (known.hasNote(id)) return undefined;
  const message = messages.find((candidate) => candidate.id === id);
  if (message !== undefined) return { job, message };
  if (!ticket.messages.some((candidate) => candidate.id === id)) waitForMessage(job, { times, now: now() });
  return undefined;
};

/** The first of the messages becomes this job's, the others get jobs of their own. */
const nameMessages = (
  job: Job,
  [first, ...others]: readonly string[],
  { store, now }: { store: TicketStore; now: number },
): Job =>
  store.transaction(() => {
    for (const id of others) store.add(`m:${id}`, { ticket: job.ticket, now, nudgeAt: now });
    const current = store.job(job.id);
    const named = store.change(job, { about: `m:${first}` }, now);
    // A delivery that came since the ticket was read may be about a message that was not in it.
    if (isRenewed(job, current)) store.add(job.about, { ticket: current?.ticket ?? null, now, nudgeAt: now });
    return named;
  });

const isRenewed = (job: Job, current: Job | undefined): boolean => (current?.deliveries ?? 0) > job.deliveries;

/** What is not there yet may come: it is looked for again until some time after its delivery. */
const waitForMessage = (job: Job, { times, now }: { times: TicketTimes; now: number }): void => {
  const until = job.begun_at + GONE_AFTER_RETRIES * times.retryMs;
  // A delivery that brought the ticket along says all there is.
  if (now >= until || job.ticket !== null) return;
  throw new NotYet('the message is not in the ticket yet', { at: Math.min(until, now + 3 * times.retryMs) });
};

/** Puts the note into the ticket. What happens between the two records is unknown to whoever comes after a crash. */
const write = async (job: Job, parts: Connected): Promise<Job> => {
  const { store, client, ticketId, times, now } = parts;
  if (!wantsNote(job, parts)) return store.change(job, { step: 'written' }, now());
  const writing = store.change(job, { step: 'writing', settle_at: now() + times.callMs + times.settleMs }, now());
  step(parts, 'about to write');
  // Written by this object.
  const note = JSON.parse(writing.note ?? 'null') as Note;
  try {
    const noteId = await bounded((signal) => client.writeNote(ticketId, note, { signal }), {
      ms: times.callMs,
      reason: 'Cannot write the note: the helpdesk did not answer in time',
    });
    step(parts, 'reply of the write');
    return written(writing, noteId, parts);
  } catch (error) {
    const isClear = error instanceof HelpdeskFailed && !error.isOutcomeUnknown;
    if (isClear) store.change(writing, { step: 'composed' }, now());
    else store.change(writing, { settle_at: now() + times.settleMs }, now());
    throw error;
  }
};

/**
 * After a write whose outcome is unknown: a note that carries the marker is ours. A write may take effect after it was given up, so
 * that one look that finds nothing proves nothing: only when a look after the settling time still finds none, it is written again.
 */
const settle = async (job: Job, parts: Connected): Promise<Job> => {
  const { store, client, ticketId, times, now } = parts;
  const lookedAt = now();
  const noteId = await bounded((signal) => client.findNote(ticketId, job.marker ?? '', { signal }), {
    ms: times.callMs,
    reason: 'Cannot look for the note: the helpdesk did not answer in time',
  });
  step(parts, 'looked for the note');
  if (noteId !== undefined) return written(job, noteId, parts);
  if (lookedAt < job.settle_at) throw new NotYet('a note that was sent may still appear', { at: job.settle_at });
  return store.change(job, { step: 'composed' }, now());
};

/** The lasting mark goes with it: from here on the message has its note, whatever is delivered. */
const written = (job: Job, noteId: string, parts: Connected): Job => {
  const { store, now } = parts;
  const changed = store.transaction(() => {
    store.mark({ message: messageIdOf(job), marker: job.marker, note: noteId }, now());
    return store.change(job, { step: 'written', note_id: noteId, note: null, settle_at: 0 }, now());
  });
  step(parts, 'written');
  return changed;
};

/** Leaves the draft, where one is wanted, and forgets the texts. Where another stands in its place a message still gets its note. */
const finish = async (job: Job, parts: Connected): Promise<Job> => {
  const { store, now } = parts;
  const isLeft = await leaveDraft(job, parts);
  if (job.note_id !== null) return end(job, 'note', parts);
  if (!isLeft) return store.change(job, { step: 'composed', draft: null, settle_at: 0 }, now());
  store.mark({ message: messageIdOf(job), marker: null, note: null }, now());
  return end(job, 'draft', parts);
};

/**
 * Whether the draft is there, or none is wanted beside the note. A tool leaves none where one stands; after a call whose outcome is unknown that
 * is ours, and as it may still appear, the tool is asked again only after the settling time.
 */
const leaveDraft = async (job: Job, parts: Connected): Promise<boolean> => {
  const { client, write, ticketId, times, store, now } = parts;
  const { writeDraft } = client;
  if (write === 'note' || writeDraft === undefined || job.draft === null) return job.note_id !== null;
  if (now() < job.settle_at) throw new NotYet('a draft that was sent may still appear', { at: job.settle_at });
  const leaving = store.change(job, { settle_at: now() + times.callMs + times.settleMs }, now());
  step(parts, 'about to leave the draft');
  // Written by this object.
  const draft = JSON.parse(job.draft) as DraftReply;
  try {
    const isLeft = await bounded((signal) => writeDraft(ticketId, draft, { signal }), {
      ms: times.callMs,
      reason: 'Cannot leave the draft: the helpdesk did not answer in time',
    });
    step(parts, 'draft left');
    return isLeft || job.settle_at > 0;
  } catch (error) {
    const isClear = error instanceof HelpdeskFailed && !error.isOutcomeUnknown;
    store.change(leaving, { settle_at: isClear ? job.settle_at : now() + times.settleMs }, now());
    throw error;
  }
};

const end = (job: Job, result: 'note' | 'draft' | 'none', parts: Connected): Job => {
  const texts = { ticket: null, note: null, draft: null };
  const ended = parts.store.change(job, { ...texts, state: 'done', result, error: null }, parts.now());
  step(parts, 'done');
  return ended;
};

const messageIdOf = ({ about }: Job): string => about.slice(2);

const step = ({ onStep }: StepParts, name: string): void => onStep?.(name);

/** Tools and functions need not listen to the signal. */
const bounded = async <T>(
  call: (signal: AbortSignal) => Promise<T>,
  { ms, reason }: { ms: number; reason: string },
): Promise<T> => {
  const signal = AbortSignal.timeout(ms);
  return untilAborted(() => call(signal), { signal, reason });
};
