import { useSignal } from '@preact/signals';
import { ConstellationError } from '../../../../client/constellation-error.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/states.tsx';
import { callForStream } from '../../session/deployment.ts';
import { useRunning } from '../../session/loaded.ts';
import { count, t } from '../../texts/texts.ts';
import type { Filters } from './answer-filters.tsx';

const LINES = 'application/x-ndjson';
const TIMEOUT_MS = 1_800_000;
const ONE_LINE_FEED = 10;

/** Saves all answers that fit the filters, in full, one a line. */
export const ExportButton = ({ filters, total }: { filters: Filters; total: number }) => {
  const lines = useSignal(0);
  const { start, failure, isLoading } = useRunning();
  const save = (): void => {
    lines.value = 0;
    start(
      (signal) => readLines(filters, signal, (more) => (lines.value += more)),
      (file) => offer(file),
    );
  };
  return (
    <div class="export">
      <Button icon="down" disabled={isLoading} onClick={save}>
        {isLoading ? t('answers.exporting', { done: lines.value, of: total }) : count('answers.export', total)}
      </Button>
      {failure === undefined ? null : <Failure error={failure} retry={save} />}
    </div>
  );
};

/** @throws {ConstellationError} When the export ended before its last answer. */
const readLines = async (filters: Filters, signal: AbortSignal, onLines: (more: number) => void): Promise<Blob> => {
  const call = { query: filters, signal, timeoutMs: TIMEOUT_MS };
  const opened = await callForStream('GET /v1/answers', LINES, call);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let lastLine: Uint8Array<ArrayBuffer>[] = [];
  try {
    for await (const part of opened.response.body ?? []) {
      parts.push(part);
      const end = part.lastIndexOf(ONE_LINE_FEED, -2);
      lastLine = end < 0 ? [...lastLine, part] : [part.subarray(end + 1)];
      onLines(part.reduce((lines, byte) => lines + (byte === ONE_LINE_FEED ? 1 : 0), 0));
    }
  } catch (cause) {
    throw opened.failure(cause);
  }
  const line = (await new Blob(lastLine).text()).trim().split('\n').at(-1) ?? '';
  if (line === '' || 'id' in JSON.parse(line)) return new Blob(parts, { type: LINES });
  throw new ConstellationError('SERVICE_UNAVAILABLE', t('answers.export_failed'), { retryable: true });
};

const offer = (file: Blob): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `answers-${new Date().toISOString().slice(0, 10)}.jsonl`;
  link.click();
  URL.revokeObjectURL(link.href);
};
