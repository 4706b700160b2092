import { cellsOf } from '../../answering/passages/units.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import { stemsIn } from '../../knowledge/edition/sections.ts';
import { oncePer } from '../../platform/once-per.ts';

/** A device that the words of a customer show, though another one may be named. */
interface ShownDevice {
  /** As the articles write it. */
  device: string;
  /** The words that show it, such as `A3-004711` or `96 chips`. */
  words: string;
}

/** A row of a table that compares devices, whose cells tell them apart. */
interface Signs {
  /** Beginnings of serial numbers, in capitals, up to a hyphen: `A3-`. */
  prefixes: Map<string, string>;
  /** Stems of what is counted, with the device of each count. */
  counts: { stems: ReadonlySet<string>; devices: ReadonlyMap<number, string> }[];
}

/** Chunks that are read; articles that compare devices are among the first of any base that fits in memory. */
const MAX_CHUNKS = 4000;
const MAX_ROWS = 200;
const MAX_TEXT = 8000;

/**
 * The device that a message shows by a serial number or a count, by the tables of the articles that compare devices: their columns are devices, and
 * a row has a beginning of serial numbers or a whole number for each, all different. Undefined when nothing or several devices are shown.
 *
 * @param devices Known names of devices, in any case.
 */
export function deviceShown(
  edition: Edition,
  text: string,
  devices: readonly string[],
): ShownDevice | undefined {
  const message = text.slice(0, MAX_TEXT);
  if (!/\d/.test(message)) return undefined;
  const { prefixes, counts } = signsOf(edition)(devices);
  const serials = message.matchAll(
    /(?<![\p{L}\p{N}-])([\p{Lu}\p{N}]{1,6}-)(?=\p{L}*\d{3})[\p{L}\p{N}]{3,20}(?![\p{L}\p{N}-])/gu,
  );
  const numbers = message.matchAll(
    /(?<![\p{L}\p{N}.,-])(\d{1,5})\s+(\p{L}{3,40})(?:\s+(\p{L}{3,40}))?/gu,
  );
  const found = [
    ...[...serials].flatMap(([words, prefix = '']) => {
      const device = prefixes.get(prefix.toUpperCase());
      return device === undefined ? [] : [{ device, words }];
    }),
    ...[...numbers].flatMap(([, count = '', ...after]) =>
      counts.flatMap(({ stems, devices: byCount }) => {
        const counted = after.find((word) =>
          stemsIn(edition, word ?? '').some((stem) => stems.has(stem)),
        );
        const device = counted === undefined ? undefined : byCount.get(Number(count));
        return device === undefined ? [] : [{ device, words: `${count} ${counted}` }];
      }),
    ),
  ];
  const [first] = found;
  return first !== undefined && found.every(({ device }) => device === first.device)
    ? first
    : undefined;
}

const signsOf = oncePer((edition: Edition) =>
  oncePer((devices: readonly string[]): Signs => readSigns(edition, devices)),
);

const readSigns = (edition: Edition, devices: readonly string[]): Signs => {
  const names = new Map(
    [...edition.devices(), ...devices].map((name) => [name.toLowerCase(), name]),
  );
  const signs: Signs = { prefixes: new Map(), counts: [] };
  let rows = 0;
  for (
    let index = 0;
    index < Math.min(edition.chunkCount, MAX_CHUNKS) && rows < MAX_ROWS;
    index += 1
  ) {
    const text = textOf(edition, index);
    if (text === undefined) break;
    let columns: (string | undefined)[] = [];
    for (const line of text.includes('|') ? text.split('\n') : []) {
      const cells = /^\s*\|.*\|\s*$/.test(line) ? cellsOf(line.replace(/[`*]/g, '')) : [];
      if (cells.length === 0) columns = [];
      else if (isHeader(cells, names))
        columns = cells.map((cell) => (names.has(cell.toLowerCase()) ? cell : undefined));
      else if (columns.length > 0) {
        rows += 1;
        readRow(edition, cells, { columns, signs });
      }
    }
  }
  return signs;
};

/** Texts that are on pages are not read for this. */
const textOf = (edition: Edition, index: number): string | undefined => {
  try {
    return edition.chunk(index).text;
  } catch {
    return undefined;
  }
};

const isHeader = (cells: readonly string[], names: ReadonlyMap<string, string>): boolean =>
  cells.filter((cell) => names.has(cell.toLowerCase())).length > 1;

const readRow = (
  edition: Edition,
  [label = '', ...rest]: readonly string[],
  { columns, signs }: { columns: readonly (string | undefined)[]; signs: Signs },
): void => {
  const cells = rest.flatMap((cell, at) => {
    const device = columns[at + 1];
    return device === undefined ? [] : [{ device, cell }];
  });
  const prefixes = cells.map(
    ({ cell }) => /^([\p{Lu}\p{N}]{1,6}-)[\p{L}\p{N}#…-]*$/u.exec(cell)?.[1] ?? '',
  );
  if (areDistinct(prefixes) && prefixes.some((prefix) => /\p{L}/u.test(prefix))) {
    for (const [at, { device }] of cells.entries()) signs.prefixes.set(prefixes[at] ?? '', device);
    return;
  }
  const counts = cells.map(({ cell }) => /^(\d{1,5})(?: \(.*\))?$/.exec(cell)?.[1] ?? '');
  const stems = new Set(stemsIn(edition, label));
  if (!areDistinct(counts) || stems.size === 0) return;
  signs.counts.push({
    stems,
    devices: new Map(cells.map(({ device }, at) => [Number(counts[at]), device])),
  });
};

/** All are there, and no two are equal. */
const areDistinct = (values: readonly string[]): boolean =>
  values.length > 1 && !values.includes('') && new Set(values).size === values.length;
