import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import {
  type BrokenLine,
  readCheckLines,
  type SavedLines,
  saveCheckLines,
  writeCheckLines,
} from '../../../../../client/check-lines.ts';
import type { KnowledgeCheck } from '../../../../contract/wire/checks.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { offerFile } from '../../parts/offer-file.ts';
import { Failure } from '../../parts/states.tsx';
import { client } from '../../session/deployment.ts';
import { useRunning } from '../../session/loaded.ts';
import { count, t } from '../../texts/texts.ts';

/** The largest file that is read: 2,000 checks of the longest questions are shorter. */
const MAX_BYTES = 10_000_000;

/** Reads checks from a file with one JSON object a line, and writes such a file. */
export function CheckFiles({ onSaved }: { onSaved: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const result = useSignal<SavedLines | undefined>(undefined);
  const { start, failure, isLoading } = useRunning();
  const importFile = (file: File): void =>
    start(
      (signal) => importChecks(file, signal),
      (lines) => {
        result.value = lines;
        onSaved();
      },
    );
  const exportAll = (): void =>
    start(allChecks, (checks) => offerFile(writeCheckLines(checks), 'checks'));
  return (
    <>
      <Button disabled={isLoading} onClick={() => input.current?.click()}>
        {t('checks.import')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".jsonl,.ndjson,.json,.txt"
        aria-label={t('checks.import')}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          if (file !== undefined) importFile(file);
        }}
      />
      <Button disabled={isLoading} onClick={exportAll}>
        {t('checks.export')}
      </Button>
      {failure === undefined ? null : <Failure error={failure} />}
      {result.value === undefined ? null : (
        <Dialog title={t('checks.imported')} onClose={() => (result.value = undefined)}>
          <ImportResult lines={result.value} />
        </Dialog>
      )}
    </>
  );
}

const ImportResult = ({ lines: { written, broken } }: { lines: SavedLines }) => (
  <div class="check-form" role="status">
    <p>{t('checks.written', { ...written })}</p>
    {broken.length === 0 ? null : (
      <>
        <p>{count('checks.broken_lines', broken.length)}</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too */}
        <ul class="broken-lines" tabIndex={0}>
          {broken.map(({ line, problem }) => (
            <li key={line}>
              <b>{t('checks.line', { line })}</b> {problem}
            </li>
          ))}
        </ul>
      </>
    )}
  </div>
);

const importChecks = async (file: File, signal: AbortSignal): Promise<SavedLines> => {
  if (file.size > MAX_BYTES)
    return { written: NO_CHANGES, broken: [{ line: 1, problem: t('checks.too_large') }] };
  const { checks, broken } = readCheckLines(await file.text());
  const result = await saveCheckLines(client, checks, { signal });
  return { ...result, broken: [...broken, ...result.broken].toSorted(byLine) };
};

const NO_CHANGES = { added: 0, changed: 0, unchanged: 0 };
const byLine = (one: BrokenLine, other: BrokenLine): number => one.line - other.line;

const allChecks = async (signal: AbortSignal): Promise<KnowledgeCheck[]> => {
  const checks: KnowledgeCheck[] = [];
  for await (const check of client.checks.all({ limit: 100, order: 'created' }, { signal }))
    checks.push(check);
  return checks;
};
