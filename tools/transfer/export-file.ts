import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { describeIssues, readAs } from '../../src/contract/core/error-info.ts';
import { ExportLine } from '../../src/contract/wire/moving.ts';

/** What an export holds, in the order of the file. */
const PARTS = ['articles', 'taxonomy', 'memories', 'settings', 'gaps', 'tickets'] as const;
export type Part = (typeof PARTS)[number];

export const PARTS_HELP = `  --only <parts>      some of ${PARTS.join(', ')}, separated by commas (default all)`;

/** Reads `--only`. Throws for a name that is no part. */
export function partsOf(only: string = PARTS.join(',')): Part[] {
  const named = only.split(',');
  const unknown = named.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined)
    throw new Error(
      `Cannot use --only ${only}: ${unknown || 'nothing'} is none of ${PARTS.join(', ')}`,
    );
  return PARTS.filter((part) => named.includes(part));
}

interface NumberedLine {
  /** From 1. */
  number: number;
  line: ExportLine;
}

/** The lines of an export, each validated. Throws an error that names the file and the line of the first that cannot be read. */
export async function* readExport(file: string): AsyncGenerator<NumberedLine> {
  const lines = createInterface({
    input: createReadStream(file, 'utf8'),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  let number = 0;
  let last: ExportLine['kind'] | undefined;
  for await (const text of lines) {
    number += 1;
    const problem = (why: string) => new Error(`Cannot read ${file}, line ${number}: ${why}`);
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      throw problem('it is no JSON');
    }
    const read = readAs(ExportLine, json);
    if (!read.ok) throw problem(describeIssues(read.issues));
    if ((number === 1) !== (read.value.kind === 'export'))
      throw problem('the line `export` is the first, and the only one');
    if (last === 'end') throw problem('there is nothing after the line `end`');
    last = read.value.kind;
    if (read.value.kind === 'end' && read.value.lines !== number)
      throw problem(
        `the file had ${read.value.lines} lines when it was written, and has ${number}`,
      );
    yield { number, line: read.value };
  }
  if (last !== 'end')
    throw new Error(`Cannot read ${file}: it was cut off after line ${number}. Export again`);
}
