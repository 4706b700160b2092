import { createParser } from 'eventsource-parser';
import { type Expected, expect, invalidReply, jsonOf, type Opened } from './connection.ts';
import { ConstellationError, errorOfReply } from './constellation-error.ts';
import type { LibrarianResponse, ProgressEvent } from './contract.ts';

/** What a stream gives: its progress, and at the end the whole response, as the call without a stream gives it. */
export type AskEvent = ProgressEvent | { type: 'done'; response: LibrarianResponse };

export const EVENTS = 'text/event-stream';

/** The longest event or line, in characters. A whole response is shorter. */
const MAX_EVENT_LENGTH = 4_194_304;

/** What is read of each event; others are skipped, as newer deployments may send more. */
const MEMBERS: Record<string, Expected> = {
  routing: { librarians: 'objects' },
  searching: {},
  passages: { passages: 'objects' },
  statement: { index: 'number', text: 'string', sources: 'objects', support: 'number' },
  removed: { text: 'string', reason: 'string' },
  metadata: { metadata: 'object' },
};

export const RESPONSE: Expected = {
  'answer?': 'string',
  'sources?': 'objects',
  'metadata?': 'object',
};

/**
 * The events of an answer as they arrive. Leaving the loop ends the request.
 *
 * @throws {ConstellationError} That of the event `error`; `UNREACHABLE` for a stream that ends without `done` or `error`.
 */
export async function* answerStream({
  response,
  failure,
}: Opened): AsyncGenerator<AskEvent, void, void> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const events: { event?: string | undefined; data: string }[] = [];
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent: (event) => void events.push(event),
    onError: ({ type }) => {
      isTooLong ||= type === 'max-buffer-size-exceeded';
    },
  });
  try {
    for (;;) {
      const part = await reader?.read().catch((cause: unknown) => {
        throw failure(cause);
      });
      if (part === undefined || part.done) break;
      parser.feed(decoder.decode(part.value, { stream: true }));
      for (const { event = 'message', data } of events.splice(0)) {
        const value = jsonOf(data);
        if (event === 'error') throw errorOfReply(value, replyOf(response));
        if (event === 'done') {
          yield { type: 'done', response: expect(value, RESPONSE) };
          return;
        }
        const members = Object.hasOwn(MEMBERS, event) ? MEMBERS[event] : undefined;
        if (members === undefined) continue;
        // Its name and the members that are read have been checked.
        yield { ...expect<object>(value, members), type: event } as ProgressEvent;
      }
      if (isTooLong) throw invalidReply(`an event has more than ${MAX_EVENT_LENGTH} characters`);
    }
    const message = 'The stream broke off before the answer was complete';
    const suggestion = 'Ask again, and take statements that were shown as unfinished';
    throw new ConstellationError('UNREACHABLE', message, {
      ...replyOf(response),
      suggestion,
      retryable: true,
    });
  } finally {
    void reader?.cancel().catch(() => {});
  }
}

const replyOf = ({ status, headers }: Response) => ({
  status,
  requestId: headers.get('x-request-id') ?? undefined,
});

/** Whether a reply is a stream; a proxy or a stub may answer as JSON. */
export function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.toLowerCase().startsWith(EVENTS) === true;
}
