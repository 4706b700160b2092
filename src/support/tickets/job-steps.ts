import * as z from 'zod';
import type { SupportRequest, SupportResponse } from '../../contract/wire/support-response.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import { type JobFailure, NotYet } from '../../platform/jobs/job-runner.ts';
import { readStored } from '../../platform/storage/sql.ts';
import { ConnectionGone, ConnectionUnusable, type Write } from '../tools/connections.ts';
import {
  type DraftReply,
  type HelpdeskClient,
  HelpdeskFailed,
  type HelpdeskMessage,
  type Note,
  type Ticket,
} from '../tools/helpdesk-tool.ts';
import {
  AnalysisFailed,
  automaticMailOf,
  caseOf,
  type DraftStore,
  draftStateOf,
  listingOf,
  proposedReply,
  supportRequestOf,
} from './ticket-draft.ts';
import type { Job, TicketStore } from './ticket-store.ts';
import type { TicketTimes } from './ticket-times.ts';

export interface StepParts {
  store: TicketStore;
  /** For agents who look at the ticket. */
  drafts: Pick<DraftStore, 'keep'>;
  ticketId: string;
  times: TicketTimes;
  now: () => number;
  newMarker: () => string;
  /** Masks personal data in what lists show. */
  mask: (text: string) => string;
  /** Throws `ConnectionGone` or `ConnectionUnusable`. */
  connect(): { client: HelpdeskClient; write: Write };
  /** Throws `AnalysisFailed`. */
  analyse(request: SupportRequest, options: { signal: AbortSignal }): Promise<SupportResponse>;
  /** No draft where support proposes no reply: the message gets a note whatever `write` says. */
  compose(
    response: SupportResponse,
    options: { marker: string },
  ): { note: Note; draft: DraftReply | undefined };
  /** Called when a step is on record; tests stop the work here. */
  onStep?: ((step: string) => void) | undefined;
}

/** A message counts as missing after so many times the first wait: a tool may send its webhook before the API shows the message. */
const GONE_AFTER_RETRIES = 10;

/**
 * Continues a job from its recorded step as far as possible. Every step is recorded before and after its effect, so that after a
 * failure or a crash at any point the next attempt knows what may have happened: see `settle`.
 *
 * @throws The error of the step that failed.
 */
export async function workOn(job: Job, parts: StepParts): Promise<void> {
  const connection = parts.connect();
  let at: Job | undefined = job;
  while (at?.state === 'open') {
    if (at.step === 'accepted') at = await readAndCompose(at, { ...parts, ...connection });
    else if (at.step === 'composed') at = await write(at, { ...parts, ...connection });
    else if (at.step === 'writing') at = await settle(at, { ...parts, ...connection });
    else at = await finish(at, { ...parts, ...connection });
  }
}

type Connected = StepParts & { client: HelpdeskClient; write: Write };

/** Also when the draft could not be saved, which is then dropped. */
const wantsNote = ({ draft }: Job, { write, client }: Connected): boolean =>
  write !== 'draft' || client.writeDraft === undefined || draft === null;

/** Reads the ticket, has the message analysed, and stores the note. A message that needs no note ends the job. */
const readAndCompose = async (job: Job, parts: Connected): Promise<Job | undefined> => {
  const { store, times, now, analyse, compose, newMarker } = parts;
  const ticket = await readTicket(job, parts).catch((error: unknown) => {
    if (error instanceof HelpdeskFailed && error.isNotFound)
      waitForMessage(job, { times, now: now() });
    throw error;
  });
  step(parts, 'ticket read');
  const named = messageOf(job, ticket, parts);
  if (named === undefined) return end(job, 'none', parts);
  const automatic = automaticMailOf(ticket, named.message);
  if (automatic !== undefined) return end(named.job, 'none', parts, automatic);
  const request = supportRequestOf(ticket, named.message);
  if (request === undefined) return end(named.job, 'none', parts, 'a message without words');
  const response = await bounded((signal) => analyse(request, { signal }), {
    ms: times.analyseMs,
    reason: 'Cannot analyse the message: support did not answer in time',
  });
  step(parts, 'analysed');
  const marker = newMarker();
  const { note, draft } = compose(response, { marker });
  const composed = {
    note: JSON.stringify(note),
    draft: draft === undefined ? null : JSON.stringify(draft),
    marker,
  };
  const { primary_intent: intent } = response.intent_classification;
  const reply = proposedReply(response);
  const listing = {
    ...listingOf(request, parts.mask),
    draft_state: reply === undefined ? null : draftStateOf(reply),
    intent,
  };
  const changed = store.transaction(() => {
    parts.drafts.keep(named.job.id, reply, caseOf(request, response));
    return store.change(
      named.job,
      { ...composed, ...listing, step: 'composed', ticket: null },
      now(),
    );
  });
  step(parts, 'composed');
  return changed;
};

const readTicket = (job: Job, { client, ticketId, times }: Connected): Promise<Ticket> =>
  job.ticket === null
    ? bounded((signal) => client.readTicket(ticketId, { signal }), {
        ms: times.callMs,
        reason: 'Cannot read the ticket: the helpdesk did not answer in time',
      })
    : // JSON has no members that are undefined.
      Promise.resolve(storedAs(StoredTicket, job.ticket) as Ticket);

/** What this object has stored about the message, by this version or an earlier one. Throws what no retry mends when it is damaged. */
const storedAs = <T extends z.ZodType>(schema: T, text: string): z.output<T> => {
  const stored = readStored(schema, text);
  if (stored === undefined)
    throw new HelpdeskFailed(
      'Cannot continue: what is stored about the message is damaged. Answer it in the tool',
    );
  return stored;
};

const Text = z.string();
const OptionalText = Text.optional().catch(undefined);

const StoredTicket = z.object({
  id: Text,
  subject: OptionalText,
  customer: z
    .object({ id: OptionalText, name: OptionalText })
    .catch({ id: undefined, name: undefined }),
  messages: z.array(
    z.object({
      id: Text,
      text: Text,
      from: z.enum(['customer', 'agent', 'system']),
      isPublic: z.boolean(),
      sentAtMs: z.number().optional().catch(undefined),
      mail: z
        .object({
          from: OptionalText,
          subject: OptionalText,
          headers: z.record(Text, Text).optional().catch(undefined),
          isAutomatic: z.boolean().optional().catch(undefined),
        })
        .optional()
        .catch(undefined),
    }),
  ),
  metadata: z.record(Text, z.unknown()).catch({}),
});

const StoredNote = z.object({ marker: Text, markdown: Text, html: Text, text: Text });

/**
 * The message that a job is about; undefined when none needs a note. A job without a message id gets the id of the first message that
 * needs one, and further jobs are added for the others.
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
      throw new NotYet('another delivery came', { at: now(), endsByItself: true });
    const message = messages.find(({ id }) => id === left[0]);
    return message && { job: nameMessages(job, left, { store, now: now() }), message };
  }
  const id = job.about.slice(2);
  if (known.hasNote(id)) return undefined;
  const message = messages.find((candidate) => candidate.id === id);
  if (message !== undefined) return { job, message };
  if (!ticket.messages.some((candidate) => candidate.id === id))
    waitForMessage(job, { times, now: now() });
  return undefined;
};

/** What is recorded about the messages of a ticket. */
interface KnownMessages {
  hasNote(messageId: string): boolean;
  isOwnNote(messageId: string): boolean;
}

/** Tolerance for the tool's clock, and for messages whose delivery was late. */
const BEFORE_DELIVERY_MS = 120_000;

/**
 * Public messages of the customer, oldest first. A marker in the text does not make a message our note: an agent may have sent part
 * of a note to the customer, who quotes it.
 */
const customerMessages = (ticket: Ticket, known: KnownMessages): HelpdeskMessage[] =>
  ticket.messages.filter(
    ({ id, from, isPublic }) => from === 'customer' && isPublic && !known.isOwnNote(id),
  );

/**
 * Ids of the messages that a delivery is about. `first` is the customer's first. `latest` is the newest and all others since the last
 * one with a note; where none has a note, those of the last two minutes before the delivery: two messages in quick succession may come
 * as deliveries without ids, and each needs a note.
 */
const chooseMessages = (
  about: 'first' | 'latest',
  messages: readonly HelpdeskMessage[],
  { known, acceptedAt }: { known: KnownMessages; acceptedAt: number },
): string[] => {
  if (about === 'first') return messages.slice(0, 1).map(({ id }) => id);
  const lastNoted = messages.findLastIndex(({ id }) => known.hasNote(id));
  const later = messages.slice(lastNoted + 1);
  const isRecent = ({ sentAtMs }: HelpdeskMessage) =>
    sentAtMs !== undefined && sentAtMs >= acceptedAt - BEFORE_DELIVERY_MS;
  const chosen =
    lastNoted >= 0
      ? later
      : later.filter((message, at) => at === later.length - 1 || isRecent(message));
  return chosen.map(({ id }) => id);
};

/** Assigns the first message to this job, and adds a job for each of the others. */
const nameMessages = (
  job: Job,
  [first, ...others]: readonly string[],
  { store, now }: { store: TicketStore; now: number },
): Job =>
  store.transaction(() => {
    for (const id of others) store.add(`m:${id}`, { ticket: job.ticket, now });
    const current = store.job(job.id);
    const named = store.change(job, { about: `m:${first}` }, now);
    // A delivery since the ticket was read may be about a message that it did not contain.
    if (isRenewed(job, current)) store.add(job.about, { ticket: current?.ticket ?? null, now });
    return named;
  });

const isRenewed = (job: Job, current: Job | undefined): boolean =>
  (current?.deliveries ?? 0) > job.deliveries;

/** Throws `NotYet` while a missing message may still appear. */
const waitForMessage = (job: Job, { times, now }: { times: TicketTimes; now: number }): void => {
  const until = job.begun_at + GONE_AFTER_RETRIES * times.retryMs;
  // A ticket that came with its delivery will not change.
  if (now >= until || job.ticket !== null) return;
  throw new NotYet('the message is not in the ticket yet', {
    at: Math.min(until, now + 3 * times.retryMs),
  });
};

/** Writes the note into the ticket. After a crash between the two records the outcome is unknown. */
const write = async (job: Job, parts: Connected): Promise<Job> => {
  const { store, client, ticketId, times, now } = parts;
  if (!wantsNote(job, parts)) return store.change(job, { step: 'written' }, now());
  const writing = store.change(
    job,
    { step: 'writing', settle_at: now() + times.callMs + times.settleMs },
    now(),
  );
  step(parts, 'about to write');
  const note = storedAs(StoredNote, writing.note ?? '');
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
 * Resolves a write with an unknown outcome: a note with the marker is ours. A write may take effect after its timeout, so the note is
 * written again only when it is still missing after the settling time.
 */
const settle = async (job: Job, parts: Connected): Promise<Job> => {
  const { store, client, ticketId, times, now } = parts;
  const lookedAt = now();
  const noteId = await bounded(
    (signal) => client.findNote(ticketId, job.marker ?? '', { signal }),
    {
      ms: times.callMs,
      reason: 'Cannot look for the note: the helpdesk did not answer in time',
    },
  );
  step(parts, 'looked for the note');
  if (noteId !== undefined) return written(job, noteId, parts);
  if (lookedAt < job.settle_at)
    throw new NotYet('a note that was sent may still appear', {
      at: job.settle_at,
      endsByItself: true,
    });
  return store.change(job, { step: 'composed' }, now());
};

/** Stores the permanent mark with the step: from here on the message has its note, whatever is delivered. */
const written = (job: Job, noteId: string, parts: Connected): Job => {
  const { store, now } = parts;
  const changed = store.transaction(() => {
    store.mark({ message: messageIdOf(job), marker: job.marker, note: noteId }, now());
    return store.change(job, { step: 'written', note_id: noteId, note: null, settle_at: 0 }, now());
  });
  step(parts, 'written');
  return changed;
};

/** Saves the draft, where one is wanted, and deletes the texts. When the ticket has another draft, the message gets a note instead. */
const finish = async (job: Job, parts: Connected): Promise<Job> => {
  const { store, now } = parts;
  const isSaved = await saveDraft(job, parts);
  if (job.note_id !== null) return end(job, 'note', parts);
  if (!isSaved) return store.change(job, { step: 'composed', draft: null, settle_at: 0 }, now());
  store.mark({ message: messageIdOf(job), marker: null, note: null }, now());
  return end(job, 'draft', parts);
};

/**
 * Whether the draft is saved, or none is wanted beside the note. A tool does not replace an existing draft. After a call with an unknown
 * outcome the existing one is ours; since it may still appear, the call is repeated only after the settling time.
 */
const saveDraft = async (job: Job, parts: Connected): Promise<boolean> => {
  const { client, write, ticketId, times, store, now } = parts;
  const { writeDraft } = client;
  if (write === 'note' || writeDraft === undefined || job.draft === null)
    return job.note_id !== null;
  if (now() < job.settle_at)
    throw new NotYet('a draft that was sent may still appear', {
      at: job.settle_at,
      endsByItself: true,
    });
  const saving = store.change(job, { settle_at: now() + times.callMs + times.settleMs }, now());
  step(parts, 'about to save the draft');
  const draft = storedAs(StoredNote.omit({ marker: true }), job.draft);
  try {
    const isSaved = await bounded((signal) => writeDraft(ticketId, draft, { signal }), {
      ms: times.callMs,
      reason: 'Cannot save the draft: the helpdesk did not answer in time',
    });
    step(parts, 'draft saved');
    return isSaved || job.settle_at > 0;
  } catch (error) {
    const isClear = error instanceof HelpdeskFailed && !error.isOutcomeUnknown;
    store.change(saving, { settle_at: isClear ? job.settle_at : now() + times.settleMs }, now());
    throw error;
  }
};

/** @param reason Why nothing was written, in a few words. */
const end = (
  job: Job,
  result: 'note' | 'draft' | 'none',
  parts: Connected,
  reason: string | null = null,
): Job => {
  const texts = { ticket: null, note: null, draft: null };
  const ended = parts.store.change(
    job,
    { ...texts, state: 'done', result, error: null, reason },
    parts.now(),
  );
  step(parts, 'done');
  return ended;
};

const messageIdOf = ({ about }: Job): string => about.slice(2);

const step = ({ onStep }: StepParts, name: string): void => onStep?.(name);

/** Stops waiting when the time is up, even when the call ignores its signal. */
const bounded = async <T>(
  call: (signal: AbortSignal) => Promise<T>,
  { ms, reason }: { ms: number; reason: string },
): Promise<T> => {
  const signal = AbortSignal.timeout(ms);
  return withDeadline(() => call(signal), { signal, reason });
};

const MAX_SENTENCE = 300;
/** Longer waits are cut. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** What a failed attempt means for its job. */
export function failureOf(error: unknown): JobFailure {
  const expected = (isTransient: boolean, retryAfterMs?: number): JobFailure => ({
    isTransient,
    retryAfterMs,
    isFault: false,
    sentence: (error instanceof Error && error.message.slice(0, MAX_SENTENCE)) || 'Cannot continue',
  });
  if (error instanceof HelpdeskFailed) {
    const { isTransient, isOutcomeUnknown, retryAfterMs } = error;
    const isPause = isTransient && retryAfterMs !== undefined;
    return expected(
      isTransient || isOutcomeUnknown,
      isPause ? Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) : undefined,
    );
  }
  if (error instanceof AnalysisFailed) return expected(error.isTransient);
  if (error instanceof ConnectionGone) return expected(false);
  if (error instanceof CodedError && error.code === 'TIMEOUT') return expected(true);
  const sentence =
    error instanceof ConnectionUnusable
      ? 'Cannot reach the helpdesk: its connection cannot be used; helpdesks of this list says why'
      : 'Cannot continue: something went wrong inside';
  return { sentence, isTransient: true, isFault: true };
}
