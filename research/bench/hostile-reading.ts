import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { MAX_YOUNG_MIB } from '../../src/documents/node/watch-thread.ts';
import { ROOT } from '../../tools/functions.ts';
import { hostileDocuments } from './hostile-documents.ts';
import type { MeasuredDocument } from './measure-document.ts';

const MAX_MS = 1500;
/** The product stops its reader after less. */
const GIVEN_UP_MS = 60_000;
const MIB = 2 ** 20;
const MAX_BYTES = 200 * MIB;
/** Memory as the thread has it that reads documents; V8 has three of these spaces. */
const OPTIONS = ['--expose-gc', `--max-semi-space-size=${Math.floor(MAX_YOUNG_MIB / 3)}`];
const PROGRAM = join(ROOT, 'research', 'bench', 'measure-document.ts');

/** Documents that make a careless reader slow or large, each in a process of its own: processor time and memory, and what the report says. */
export function benchHostileReading(): void {
  console.log(
    'Hostile documents: processor time and memory of reading one, and what its report says\n',
  );
  let over = 0;
  for (const [number, { ending, name }] of hostileDocuments.entries()) {
    const { stdout } = spawnSync(process.execPath, [...OPTIONS, PROGRAM, String(number)], {
      encoding: 'utf8',
      timeout: GIVEN_UP_MS,
    });
    const last = stdout.trim().split('\n').at(-1) ?? '';
    const measured = last.startsWith('{') ? (JSON.parse(last) as MeasuredDocument) : undefined; // as it prints it
    const isOver = measured === undefined || measured.ms > MAX_MS || measured.bytes > MAX_BYTES;
    if (isOver) over += 1;
    console.log(`${isOver ? '! ' : '  '}${`.${ending}, ${name}`.padEnd(60)}${describe(measured)}`);
  }
  console.log(
    `\n  ${over} of ${hostileDocuments.length} take more than ${MAX_MS} ms or ${MAX_BYTES / MIB} MiB\n`,
  );
}

const describe = (measured: MeasuredDocument | undefined): string => {
  if (measured === undefined) return 'ended without a result';
  const { ms, bytes, problem, warnings } = measured;
  const says = problem === undefined ? warnings.join('; ') : `not read: ${problem}`;
  return `${ms.toFixed(0).padStart(6)} ms ${(bytes / MIB).toFixed(0).padStart(5)} MiB  ${says.slice(0, 120)}`;
};
