import type { AnswerFilter, AnswersQuery, KeptAnswer } from '../../../../contract/wire/answers.ts';
import { callForStream } from '../../session/deployment.ts';
import { PageError } from '../../session/loaded.ts';
import { t } from '../../texts/texts.ts';

const LINES = 'application/x-ndjson';
const TIMEOUT_MS = 1_800_000;
const ONE_LINE_FEED = 10;
/** Answers that the API reads at once. */
const MAX_PAGE = 200;

interface Reading {
  signal: AbortSignal;
  /** Reads no further once it has so many lines; the last one may be cut. All of them when absent. */
  lineLimit?: number;
  /** Called with the number of lines that have come since. */
  onLines?: (more: number) => void;
}

/** The filters as they stand in the address, and the size of a page. */
type LinesQuery = Partial<Record<keyof AnswerFilter, string>> &
  Partial<Pick<AnswersQuery, 'limit'>>;

/**
 * Answers in full, one a line, newest first.
 *
 * @throws {PageError} When the export ended before its last answer.
 */
export async function readLines(
  query: LinesQuery,
  { signal, lineLimit = Number.POSITIVE_INFINITY, onLines = () => {} }: Reading,
): Promise<Blob> {
  const opened = await callForStream('GET /v1/answers', LINES, {
    query,
    signal,
    timeoutMs: TIMEOUT_MS,
  });
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let lastLine: Uint8Array<ArrayBuffer>[] = [];
  let lines = 0;
  try {
    for await (const part of opened.response.body ?? []) {
      parts.push(part);
      const end = part.lastIndexOf(ONE_LINE_FEED, -2);
      lastLine = end < 0 ? [...lastLine, part] : [part.subarray(end + 1)];
      const more = part.reduce((sum, byte) => sum + (byte === ONE_LINE_FEED ? 1 : 0), 0);
      onLines(more);
      lines += more;
      if (lines >= lineLimit) return new Blob(parts, { type: LINES });
    }
  } catch (cause) {
    throw opened.failure(cause);
  }
  const line = (await new Blob(lastLine).text()).trim().split('\n').at(-1) ?? '';
  if (line === '' || 'id' in JSON.parse(line)) return new Blob(parts, { type: LINES });
  throw new PageError(t('answers.export_failed'));
}

/** The newest turns of a conversation, oldest first, and whether there are earlier ones. */
export async function readTurns(
  conversationId: string,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<{ turns: KeptAnswer[]; hasEarlier: boolean }> {
  const oneMore = limit + 1;
  const query = { conversation_id: conversationId, limit: Math.min(MAX_PAGE, oneMore) };
  const blob = await readLines(query, { lineLimit: oneMore, signal });
  const lines = (await blob.text()).split('\n').filter((line) => line !== '');
  const newest = lines.slice(0, limit).map((line) => JSON.parse(line) as KeptAnswer); // as the API writes them
  return { turns: newest.toReversed(), hasEarlier: lines.length > limit };
}
