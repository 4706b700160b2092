import { JSONParser } from '@streamparser/json';
import { CodedError } from '../../http/coded-error.ts';
import { withDeadline } from '../../http/deadline.ts';
import { HttpFailure } from '../../http/fetch-json.ts';

export interface ReadListingOptions {
  /** Limit of the body. */
  maxBytes: number;
  signal: AbortSignal;
  /** Called with each member of `articles` as soon as it is complete; nothing here keeps it. */
  onArticle: (article: unknown) => void;
}

/** The members that say how a listing goes on. */
const PATHS = ['$.articles.*', '$.articles', '$.total', '$.updated_at', '$.next_cursor'];

/**
 * Reads a page of articles while it arrives: of the body, no more than a network packet and the article that is being read are in memory.
 *
 * @returns The members beside the articles, unvalidated; `articles` is what is left of the list: an empty array.
 * @throws {HttpFailure} `timeout`, `broken-off`, `too-large`, or `not-json` when the body is cut off or no JSON object.
 */
export const readListing = async (
  { body }: Response,
  { maxBytes, signal, onArticle }: ReadListingOptions,
): Promise<Record<string, unknown>> => {
  const members: Record<string, unknown> = {};
  const parser = new JSONParser({ paths: PATHS, stringBufferSize: STRING_BUFFER_BYTES });
  parser.onValue = ({ value, key, parent, stack }) => {
    if (stack.length === 1 && typeof key === 'string') members[key] = value;
    if (stack.length !== 2) return;
    onArticle(value);
    // The parser keeps a list whose own end is reported; its length is not read again.
    if (Array.isArray(parent)) parent.length = 0;
  };
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  let length = 0;
  if (body === null) throw cutOff();
  const reader = body.getReader();
  const read = async (): Promise<Uint8Array | undefined> => {
    try {
      const { value } = await withDeadline(() => reader.read(), { signal, errorFor: () => timedOut() });
      return value;
    } catch (cause) {
      throw signal.aborted ? timedOut(cause) : new HttpFailure('broken-off', 'the reply broke off', { cause });
    }
  };
  try {
    for (let bytes = await read(); bytes !== undefined; bytes = await read()) {
      length += bytes.length;
      if (length > maxBytes) throw new HttpFailure('too-large', `the reply has more than ${maxBytes} bytes`);
      try {
        // The parser replaces bytes that are no UTF-8; this refuses them.
        decoder.decode(bytes, { stream: true });
        parser.write(bytes);
      } catch (cause) {
        throw cause instanceof CodedError ? cause : cutOff(cause);
      }
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    reader.releaseLock();
  }
  if (!parser.isEnded) throw cutOff();
  return members;
};

const STRING_BUFFER_BYTES = 65_536;

const cutOff = (cause?: unknown) => new HttpFailure('not-json', 'the reply is cut off or no JSON', { cause });

const timedOut = (cause?: unknown) => new HttpFailure('timeout', 'no answer in time', { cause });
