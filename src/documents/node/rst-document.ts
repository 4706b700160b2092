import type { Element } from 'hast';
import { detectLanguage } from '../../language/detect-language.ts';
import LABELS from './rst-labels.json' with { type: 'json' };

type Labels = (typeof LABELS)['en'];

/** What a document in reStructuredText defines in one place and uses in another, and what was left out of it. */
export interface RstDocument {
  /** Reads the lines of a block; `depth` is how many blocks are around them. */
  readBlocks(lines: readonly string[], depth: number): Element[];
  /** Addresses by the names of their targets. */
  addresses: Map<string, string>;
  /** Addresses without a name, in their order. */
  anonymous: string[];
  /** Titles of the sections that follow a label. */
  titles: Map<string, string>;
  substitutions: Map<string, string>;
  /** Characters that substitutions may still put in. */
  substitutable: number;
  /** Numbers of footnotes that count by themselves, by name. */
  noteNumbers: Map<string, number>;
  /** Numbers of those without a name that were not referred to yet, and those that were not shown yet. */
  notesToUse: number[];
  notesToShow: number[];
  /** Adornments of titles, the highest level first. */
  adornments: string[];
  /** Roles that the document defines, and what they are based on. */
  roles: Map<string, string>;
  /** Language of literal blocks. */
  highlight: string;
  defaultRole: string;
  labels: Labels;
  /** Values that only the generator knows. */
  unknown: number;
  /** What was left out, by kind, each with its number. */
  omitted: Map<Omission, number>;
  /** Marks whose end was not found, by mark. */
  failures: Map<string, number>;
  included: Set<string>;
  unknownDirectives: Set<string>;
}

type Omission = 'diagram' | 'generated' | 'todo' | 'other';

/** Names compare without regard to case and white space (reStructuredText, reference names). */
export function nameOf(name: string): string {
  return name.replaceAll('\\', '').replace(/\s+/g, ' ').trim().toLowerCase();
}

const TARGET = /^\s{0,40}\.\. _(?:`([^`]{1,200})`|((?:[^:\\]|\\.|:(?!\s|$)){1,200})):(?:\s+(.*))?$/;
const ANONYMOUS = /^\s{0,40}(?:\.\. )?__:?\s+(\S.*)$/;
const SUBSTITUTION = /^\s{0,40}\.\. \|([^|\s](?:[^|]{0,198}[^|\s])?)\|\s+([\w-]{1,40})::\s*(.*)$/;
const ROLE = /^\s{0,40}\.\. role::\s*([\w-]{1,60})(?:\(([\w-]{1,60})\))?/;

/** Reads what is defined in the lines, wherever it stands. */
export function documentOf(
  lines: readonly string[],
  readBlocks: (lines: readonly string[], document: RstDocument, depth: number) => Element[],
): RstDocument {
  const text = lines.slice(0, 400).join('\n').slice(0, 4000);
  const language = detectLanguage(text) ?? 'en';
  const document: RstDocument = {
    readBlocks: (block, depth) => readBlocks(block, document, depth),
    addresses: new Map(),
    anonymous: [],
    titles: new Map(),
    substitutions: new Map(),
    substitutable: MAX_SUBSTITUTED,
    noteNumbers: new Map(),
    notesToUse: [],
    notesToShow: [],
    adornments: [],
    roles: new Map(),
    highlight: '',
    defaultRole: '',
    labels: (LABELS as Record<string, Labels>)[language] ?? LABELS.en,
    unknown: 0,
    omitted: new Map(),
    failures: new Map(),
    included: new Set(),
    unknownDirectives: new Set(),
  };
  numberNotes(lines, document);
  const waiting: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (waiting.length > 0) readTitle(lines, at, waiting, document);
    if (!/^\s*(?:\.\.|__)\s/.test(line) || line.length > 2000) continue;
    const [, quoted, plain, rest = ''] = TARGET.exec(line) ?? [];
    const name = quoted ?? plain;
    if (name !== undefined && name !== '_') {
      const address = (rest + continuation(lines, at)).trim();
      if (address === '') waiting.push(nameOf(name));
      else document.addresses.set(nameOf(name), unescaped(address));
      continue;
    }
    const anonymous = ANONYMOUS.exec(line)?.[1];
    if (anonymous !== undefined) document.anonymous.push(anonymous.trim());
    const [, substitution, kind, value = ''] = SUBSTITUTION.exec(line) ?? [];
    if (substitution !== undefined)
      document.substitutions.set(
        nameOf(substitution),
        substituted(lines, at, { name: substitution, kind: kind ?? '', value }),
      );
    const [, role, base] = ROLE.exec(line) ?? [];
    if (role !== undefined) document.roles.set(role, base ?? classOf(lines[at + 1] ?? ''));
  }
  return document;
}

const classOf = (line: string): string => (/:language:|code/.test(line) ? 'code' : '');

const unescaped = (address: string): string => address.replace(/\\(.)/g, '$1');

/** An address may go on in the next lines. */
function continuation(lines: readonly string[], at: number): string {
  let text = '';
  for (let next = at + 1; next < at + 4; next += 1) {
    const line = lines[next] ?? '';
    if (!/^\s+\S/.test(line) || /^\s*\.\. /.test(line) || /^\s+[-*+:]\s/.test(line)) break;
    if (!/^\s*[\w%/?#&=.~:+-]+\s*$/.test(line)) break;
    text += line.trim();
  }
  return text;
}

/** The text that stands for a substitution: reStructuredText of one line. */
function substituted(
  lines: readonly string[],
  at: number,
  { name, kind, value }: { name: string; kind: string; value: string },
): string {
  if (kind === 'replace') {
    let text = value;
    for (let next = at + 1; next < at + 20; next += 1) {
      const line = lines[next] ?? '';
      if (!/^\s+\S/.test(line)) break;
      text += ` ${line.trim()}`;
    }
    return text.trim();
  }
  if (kind === 'unicode') return charactersOf(value.replace(/\s\.\.\s.*$/, ''));
  if (kind === 'image') {
    for (const line of lines.slice(at + 1, at + 8)) {
      if (!/^\s+\S/.test(line)) break;
      const alternative = /^\s+:alt:\s*(.+)$/.exec(line)?.[1];
      if (alternative !== undefined) return /\s/.test(alternative) ? alternative : '';
    }
    return /\s/.test(name) ? name : '';
  }
  return kind === 'date' ? '…' : '';
}

const charactersOf = (value: string): string =>
  value
    .trim()
    .split(/\s+/)
    .map((each) => {
      const hex = /^(?:0x|x|\\x|U\+|u|\\u|&#x)([0-9a-f]{1,6});?$/i.exec(each)?.[1];
      const point =
        hex === undefined
          ? /^\d{1,7}$/.test(each)
            ? Number(each)
            : undefined
          : Number.parseInt(hex, 16);
      return point === undefined || point > 0x10ffff ? each : String.fromCodePoint(point);
    })
    .join('');

const MAX_WAITING = 20;
const MAX_SUBSTITUTED = 200_000;

/** A label names the section whose title comes next. */
function readTitle(
  lines: readonly string[],
  at: number,
  waiting: string[],
  { titles }: RstDocument,
): void {
  const line = lines[at] ?? '';
  if (line === '' || /^\s*\.\. (?:_|[\w-]+::)/.test(line) || waiting.length > MAX_WAITING) {
    if (waiting.length > MAX_WAITING) waiting.length = 0;
    return;
  }
  const isOver = isAdornment(line) && isAdornment(lines[at + 2] ?? '');
  const title = isOver
    ? (lines[at + 1] ?? '')
    : isAdornment(lines[at + 1] ?? '')
      ? line
      : undefined;
  if (title !== undefined && /^\s*\S/.test(title))
    for (const label of waiting) titles.set(label, title.trim().slice(0, 300));
  waiting.length = 0;
}

/** A line of one punctuation mark, three times or more. */
export function isAdornment(line: string): boolean {
  return /^([!-/:-@[-`{-~])\1{2,}$/.test(line);
}

export function count(document: RstDocument, kind: Omission): void {
  document.omitted.set(kind, (document.omitted.get(kind) ?? 0) + 1);
}

/** Footnotes that count by themselves take the numbers that others leave. */
function numberNotes(
  lines: readonly string[],
  { noteNumbers, notesToUse, notesToShow }: RstDocument,
): void {
  const labels = lines.flatMap(
    (line) => /^\s{0,40}\.\. \[(#[\w-]{0,60}|\d{1,6})\](?:\s|$)/.exec(line)?.[1] ?? [],
  );
  const taken = new Set(labels.filter((label) => !label.startsWith('#')));
  let number = 0;
  for (const label of labels) {
    if (!label.startsWith('#')) continue;
    do number += 1;
    while (taken.has(String(number)));
    if (label !== '#') noteNumbers.set(label, number);
    else {
      notesToUse.push(number);
      notesToShow.push(number);
    }
  }
}
