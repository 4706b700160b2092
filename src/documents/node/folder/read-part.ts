import { readFileSync, realpathSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { decodeText } from '../../../language/decode-text.ts';
import type { FolderSite } from './scan-folder.ts';

interface Part {
  /** Real path. */
  file: string;
  text: string;
}

/** A document whose parts are put in. */
export interface Including {
  /** Real paths of the folders whose files may be included. */
  roots: readonly string[];
  site: FolderSite | undefined;
  /** Characters that its parts may still have. */
  left: number;
  /** Values that paths may name. */
  attributes: Map<string, string>;
  /** Puts in the parts that a text includes. */
  expand(text: string, place: Place): string;
}

/** The file in which something is included. */
export interface Place {
  file: string;
  depth: number;
  state: Including;
}

const MAX_DEPTH = 5;
const MAX_PART_BYTES = 300_000;

/** The first of the files that lies in one of the folders, wherever links lead, as long as there is room for it. */
export function fileAt(paths: readonly string[], { state }: Place): Part | undefined {
  for (const path of paths) {
    const part = readInside(path, state);
    if (part === undefined) continue;
    state.left -= part.text.length;
    return part;
  }
  return undefined;
}

/** The same with the parts that it includes itself; `choose` tells what of it is taken. */
export function partAt(
  paths: readonly string[],
  place: Place,
  choose: (text: string, file: string) => string,
): Part | undefined {
  const part = place.depth >= MAX_DEPTH ? undefined : fileAt(paths, place);
  if (part === undefined) return undefined;
  const { file, text } = part;
  return {
    file,
    text: place.state.expand(choose(text, file), { ...place, file, depth: place.depth + 1 }),
  };
}

function readInside(path: string, { roots, left }: Including): Part | undefined {
  try {
    const file = realpathSync(path);
    if (!roots.some((root) => file.startsWith(root + sep))) return undefined;
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > MAX_PART_BYTES) return undefined;
    const text = decodeText(readFileSync(file));
    if (text === undefined || text.length > left) return undefined;
    return { file, text: text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n') };
  } catch {
    return undefined;
  }
}

/** The part of a text that numbers of lines (`2:5`, `3..-1`) or names of marked parts choose; all of it when there are none. */
export function chosenPart(text: string, selection = ''): string {
  const lines = text.split('\n');
  const isNumbers = /^[\d:.,;\s-]*$/.test(selection) && /\d/.test(selection);
  const names = isNumbers ? [] : selection.split(/[;,]/).filter((name) => /^[\w.-]+$/.test(name));
  return linesBetween(isNumbers ? numberedLines(lines, selection) : lines, new Set(names)).join(
    '\n',
  );
}

/** Those of ranges such as `2..5`, `7-` or `1:3`, separated by commas or semicolons. */
export function numberedLines(lines: readonly string[], ranges: string): string[] {
  return ranges.split(/[;,]/).flatMap((range) => {
    const [, from = '', sign, to = ''] = /^\s*(\d*)\s*(:|\.\.|-)?\s*(-?\d*)\s*$/.exec(range) ?? [];
    const last =
      sign === undefined ? Number(from) : to === '' || to === '-1' ? lines.length : Number(to);
    return lines.slice((Number(from) || 1) - 1, last);
  });
}

/** Marks of a part of a file, as Asciidoctor, mdBook, PyMdown, Docsify and editors write them in comments. */
const OPENS =
  /(?:(?<![\w:])tag::|\bANCHOR:[ \t]*|8<-{1,2}[ \t]*\[start:|#region[ \t]+)([\w.-]{1,80})/;
const CLOSES =
  /(?:(?<![\w:])end::|\bANCHOR_END:[ \t]*|8<-{1,2}[ \t]*\[end:|#endregion[ \t]*)([\w.-]{0,80})/;
const TURNS = /(?:\/{3}|#{3})[ \t]*\[([\w.-]{1,80})\]/;

/** The lines between the marks of the names, or all; lines that only mark a part are none. */
function linesBetween(lines: readonly string[], names: ReadonlySet<string>): string[] {
  const open = new Set<string>();
  return lines.filter((line) => {
    const [, closed] = line.length < 500 ? (CLOSES.exec(line) ?? []) : [];
    const [, opened = ''] =
      line.length < 500 && closed === undefined ? (OPENS.exec(line) ?? TURNS.exec(line) ?? []) : [];
    if (closed === '') open.clear();
    else if (closed !== undefined || open.has(opened)) open.delete(closed ?? opened);
    else if (opened !== '') open.add(opened);
    return (
      closed === undefined &&
      opened === '' &&
      (names.size === 0 || [...open].some((each) => names.has(each)))
    );
  });
}

/** Lines as far to the right as the one that includes them. */
export function indented(text: string, space: string): string {
  return space === '' ? text : text.replace(/^(?=.)/gm, space);
}
