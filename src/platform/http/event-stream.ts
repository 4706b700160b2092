import { createParser } from 'eventsource-parser';
import { acceptanceOf } from './accept.ts';
import { joinBytes } from './read-body.ts';

/** Media type of server-sent events (WHATWG HTML, section 9.2). */
export const EVENT_STREAM = 'text/event-stream';

/** Whether a request asks for events by their name: a wildcard is answered as JSON. */
export function acceptsEvents(headers: Pick<Headers, 'get'>): boolean {
  return acceptanceOf(headers.get('Accept'), EVENT_STREAM) === 'named';
}

/** Whether a response is a stream of events. */
export function isEventStream(headers: Pick<Headers, 'get'>): boolean {
  return headers.get('Content-Type')?.toLowerCase().startsWith(EVENT_STREAM) === true;
}

/** Sends an event with one line of data, unnamed for protocols that name none; false when the stream is full or no one reads it any longer. */
export type SendEvent = (name: string | undefined, data: string) => boolean;

/** The runtime notices only by a write that a client has gone, so a model goes on for at most this long afterwards. */
const HEARTBEAT_MS = 2_000;
/** How long an event waits for others, unless it is the first or the stream ends before. */
const GATHER_MS = 2;
/** Bound of all events together: a reader that stops reading costs at most this memory. */
const MAX_STREAM_BYTES = 4_194_304;

const HEADERS = {
  'Content-Type': `${EVENT_STREAM}; charset=utf-8`,
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/**
 * A response whose events are sent while `produce` runs, those of two milliseconds together; it ends when `produce` ends. A comment every
 * two seconds keeps the connection open.
 *
 * @param produce Gets a signal that aborts when the client has disconnected. Must not throw: the stream would end without an error event.
 */
export function eventStream(
  produce: (send: SendEvent, signal: AbortSignal) => Promise<void>,
): Response {
  const gone = new AbortController();
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  let gathering: ReturnType<typeof setTimeout> | undefined;
  const ended = Promise.withResolvers<void>();
  const finish = (): void => {
    clearInterval(heartbeat);
    clearTimeout(gathering);
    ended.resolve();
  };
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      let left = MAX_STREAM_BYTES;
      let waiting: Uint8Array[] = [];
      let length = 0;
      let hasBegun = false;
      // What is sent within a moment leaves in one piece: each piece passes through every function on its way.
      const flush = (): void => {
        if (waiting.length > 0 && !gone.signal.aborted)
          controller.enqueue(joinBytes(waiting, length));
        waiting = [];
        length = 0;
        clearTimeout(gathering);
        gathering = undefined;
      };
      const write = (text: string): boolean => {
        const bytes = encoder.encode(text);
        if (gone.signal.aborted || bytes.length > left) return false;
        left -= bytes.length;
        length += bytes.length;
        waiting.push(bytes);
        // The first leaves at once: what computes next may let no timer run.
        if (hasBegun) gathering ??= setTimeout(flush, GATHER_MS);
        else queueMicrotask(flush);
        hasBegun = true;
        return true;
      };
      heartbeat = setInterval(() => write(': keep-alive\n\n'), HEARTBEAT_MS);
      const end = () => {
        flush();
        if (!gone.signal.aborted) controller.close();
        finish();
      };
      // Not awaited: `start` has to return before anything is read.
      void produce((name, data) => write(eventText(name, data)), gone.signal).finally(end);
    },
    cancel: () => {
      gone.abort();
      finish();
    },
  });
  ends.set(stream, ended.promise);
  return new Response(stream, { headers: HEADERS });
}

const ends = new WeakMap<ReadableStream, Promise<void>>();

/** Resolves when a stream of `eventStream` has ended or was cancelled; undefined for other responses. Cheaper than `tapStream`. */
export function streamEnd({ body }: Response): Promise<void> | undefined {
  return body === null ? undefined : ends.get(body);
}

const encoder = new TextEncoder();

/** An event as text; line breaks cannot occur in JSON, which is all that is sent. */
export function eventText(name: string | undefined, data: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`;
}

interface Tap {
  /** Called with each part of the stream as it passes. */
  onPart?: ((part: Uint8Array) => void) | undefined;
  /** Called once, when the stream has ended, failed or was cancelled; what it returns is added when the stream has ended normally. */
  onEnd: (why: 'ended' | 'cancelled') => Promise<string | undefined> | undefined;
}

/** The same response, watched while it is read. */
export function tapStream(response: Response, { onPart, onEnd }: Tap): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) return response;
  let isOver = false;
  const end: Tap['onEnd'] = (why) => {
    if (isOver) return undefined;
    isOver = true;
    return onEnd(why);
  };
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          onPart?.(value);
          controller.enqueue(value);
          return;
        }
        const last = await end('ended');
        if (last !== undefined) controller.enqueue(encoder.encode(last));
        controller.close();
      } catch (error) {
        await end('cancelled');
        controller.error(error);
      }
    },
    cancel: async (reason) => {
      await end('cancelled');
      await reader.cancel(reason);
    },
  });
  return new Response(stream, response);
}

export interface StreamedEvent {
  name: string;
  data: string;
}

/**
 * Reads a stream of events to its end.
 *
 * @param onEvent Gets each event as it arrives.
 * @returns The whole text of the stream; `undefined` when it has more than `maxBytes`. Throws when the connection breaks.
 */
export async function readEvents(
  { body }: Response,
  { maxBytes, onEvent }: { maxBytes: number; onEvent: (event: StreamedEvent) => void },
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent: ({ event, data }) => onEvent({ name: event ?? 'message', data }),
  });
  let length = 0;
  let text = '';
  for await (const part of body ?? []) {
    length += part.length;
    // Leaving the loop cancels the stream.
    if (length > maxBytes) return undefined;
    const piece = decoder.decode(part, { stream: true });
    text += piece;
    parser.feed(piece);
  }
  return text + decoder.decode();
}
