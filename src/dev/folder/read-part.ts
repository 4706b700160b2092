import { readFileSync, realpathSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { decodeText } from '../../text/decode-text.ts';

const MAX_PART_BYTES = 300_000;

/** The text of a file in one of the folders, wherever links lead; `most`: characters that it may have. */
export function readInside(
  path: string,
  roots: readonly string[],
  most: number,
): { file: string; text: string } | undefined {
  try {
    const file = realpathSync(path);
    if (!roots.some((root) => file.startsWith(root + sep))) return undefined;
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > MAX_PART_BYTES) return undefined;
    const text = decodeText(readFileSync(file));
    if (text === undefined || text.length > most) return undefined;
    return { file, text: text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n') };
  } catch {
    return undefined;
  }
}

/** Marks of a part of a file, as Asciidoctor, mdBook, PyMdown, Docsify and editors write them in comments. */
const OPENS = /(?:(?<![\w:])tag::|\bANCHOR:[ \t]*|8<-{1,2}[ \t]*\[start:|#region[ \t]+)([\w.-]{1,80})/;
const CLOSES = /(?:(?<![\w:])end::|\bANCHOR_END:[ \t]*|8<-{1,2}[ \t]*\[end:|#endregion[ \t]*)([\w.-]{0,80})/;
const TURNS = /(?:\/{3}|#{3})[ \t]*\[([\w.-]{1,80})\]/;

/** The lines between the marks of the names, or all; lines that only mark a part are none. */
export function linesBetween(lines: readonly string[], names: ReadonlySet<string>): string[] {
  const open = new Set<string>();
  return lines.filter((line) => {
    const [, closed] = line.length < 500 ? (CLOSES.exec(line) ?? []) : [];
    const [, opened = ''] =
      line.length < 500 && closed === undefined ? (OPENS.exec(line) ?? TURNS.exec(line) ?? []) : [];
    if (closed === '') open.clear();
    else if (closed !== undefined || open.has(opened)) open.delete(closed ?? opened);
    else if (opened !== '') open.add(opened);
    return closed === undefined && opened === '' && (names.size === 0 || [...open].some((each) => names.has(each)));
  });
}

/** Those of ranges such as `2..5`. */
export function numberedLines(lines: readonly string[], ranges: readonly string[], sign: string): string[] {
  return ranges.flatMap((range) => {
    const [from = '', to = from] = range.trim().split(sign);
    const last = to === '' || to === '-1' ? lines.length : Number(to);
    return lines.slice((Number(from) || 1) - 1, last);
  });
}
