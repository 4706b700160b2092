import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { decodeText } from '../../text/decode-text.ts';
import { isAdornment, nameOf } from '../documents/rst-document.ts';
import { linesBetween, numberedLines, readInside } from './read-part.ts';
import type { FolderSite } from './scan-folder.ts';

export interface PartsOptions {
  /** Real path of the file. */
  file: string;
  /** Real paths of the folders whose files may be included. */
  roots: readonly string[];
  site: FolderSite | undefined;
}

const MAX_DEPTH = 5;
/** Characters of all included parts of a document. */
const MAX_INCLUDED = 500_000;
const MAX_PART_BYTES = 300_000;

interface State extends PartsOptions {
  left: number;
  /** Values of attributes that paths name. */
  attributes: Map<string, string>;
}

/**
 * Puts into a page of AsciiDoc or reStructuredText the parts that it includes from other files of the folder, and the values that the
 * configuration of its site names. What is not there stays as it is written, and is named when it is read.
 */
export function withParts(text: string, options: PartsOptions): string {
  const site = options.site?.site;
  const state: State = { ...options, left: MAX_INCLUDED, attributes: new Map(Object.entries(site?.attributes ?? {})) };
  if (/\.rst$/i.test(options.file)) {
    const page = withTitles(withRstParts(text, options.file, 0, state), state);
    const { before = '', after = '' } = site?.around ?? {};
    return [before, page, after, ...substitutions(page, site?.attributes ?? {})].filter(Boolean).join('\n\n');
  }
  const page = withAsciidocParts(text, options.file, 0, state);
  const definitions = usedAttributes(page, site?.attributes ?? {});
  return definitions.length === 0 ? page : `${definitions.join('\n')}\n${page}`;
}

/** A file that is there, as long as there is room for it. */
function partAt(path: string, state: State): { file: string; text: string } | undefined {
  const part = readInside(path, state.roots, state.left);
  state.left -= part?.text.length ?? 0;
  return part;
}

const ASCIIDOC_INCLUDE = /^[ \t]*include::([^\s[]{1,300})\[([^\]]{0,500})\][ \t]*$/;
const ASCIIDOC_ATTRIBUTE = /^:([\w-]{1,80}):[ \t]+(\S.{0,500})$/;

function withAsciidocParts(text: string, file: string, depth: number, state: State): string {
  if (depth > MAX_DEPTH || (depth === 0 && !text.includes('include::'))) return text;
  const out: string[] = [];
  for (const line of text.split('\n')) {
    const [, name, value = ''] = line.length < 600 ? (ASCIIDOC_ATTRIBUTE.exec(line) ?? []) : [];
    if (name !== undefined && !state.attributes.has(name)) state.attributes.set(name, value);
    const [, target, optionList = ''] = line.length < 1000 ? (ASCIIDOC_INCLUDE.exec(line) ?? []) : [];
    const part = target === undefined ? undefined : partAt(asciidocPath(target, file, state), state);
    if (part === undefined) {
      out.push(line);
      continue;
    }
    const options = optionsIn(optionList);
    const chosen = linesOf(part.text.split('\n'), options);
    const inner = withAsciidocParts(chosen.join('\n').trimEnd(), part.file, depth + 1, state);
    const offset = /^([+-])(\d)$/.exec(options.get('leveloffset') ?? '');
    if (offset === null) out.push(inner);
    else {
      const [, sign, by] = offset;
      out.push(`:leveloffset: ${sign}${by}`, '', inner, '', `:leveloffset: ${sign === '+' ? '-' : '+'}${by}`, '');
    }
  }
  return out.join('\n');
}

/** A path from the file, or an id of Antora: `partial$intro.adoc`, `ROOT:example$conf.yaml`. */
function asciidocPath(target: string, file: string, { attributes }: State): string {
  const path = target.replace(/\{([\w-]{1,80})\}/g, (found, name: string) => attributes.get(name) ?? found);
  const [, module = '', family = '', rest = ''] =
    /^(?:[^$@:]{0,80}@)?(?:[^$:]{0,80}:)??(?:([\w.-]{1,80}):)?(partial|example|page|attachment)\$(.+)$/.exec(path) ??
    [];
  if (rest === '') return resolve(dirname(file), path);
  const [, modules = '', own = ''] = /^(.*[/\\]modules)[/\\]([^/\\]+)[/\\]/.exec(file) ?? [];
  return join(modules, module === '' ? own : module, `${family}s`, rest);
}

const optionsIn = (optionList: string): ReadonlyMap<string, string> =>
  new Map(
    [...optionList.matchAll(/([\w-]{1,40})=(?:"([^"]{0,300})"|([^,"]{0,300}))/g)].map(
      ([, name = '', quoted, plain]) => [name === 'tag' ? 'tags' : name, (quoted ?? plain ?? '').trim()],
    ),
  );

/** Those that an include chooses, by numbers or by tags. */
function linesOf(lines: readonly string[], options: ReadonlyMap<string, string>): string[] {
  const numbers = options.get('lines');
  if (numbers !== undefined) return numberedLines(lines, numbers.split(/[;,]/), '..');
  const tags = (options.get('tags') ?? '').split(/[;,]/).filter((tag) => /^[\w.-]+$/.test(tag));
  return linesBetween(lines, new Set(tags));
}

/** Attributes of the configuration that a text uses, and those that their values use. */
function usedAttributes(text: string, attributes: Readonly<Record<string, string>>): string[] {
  const names = new Set<string>();
  const add = (part: string): void => {
    for (const [, name = ''] of part.matchAll(/\{([\w-]{1,80})\}/g)) {
      const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
      if (value === undefined || names.has(name)) continue;
      add(value);
      names.add(name);
    }
  };
  add(text);
  for (const [, list = ''] of text.matchAll(/^ifn?def::([\w,+-]{1,300})\[/gm))
    for (const name of list.split(/[,+]/)) if (Object.hasOwn(attributes, name)) names.add(name);
  if (Object.hasOwn(attributes, 'experimental') && /(?:kbd|btn|menu):/.test(text)) names.add('experimental');
  return [...names].map((name) => `:${name}: ${attributes[name]}`.trimEnd());
}

const DIRECTIVE = /^([ \t]*)\.\.[ \t]+(include|literalinclude)::[ \t]+(\S.{0,300}?)[ \t]*$/;
const OPTION = /^[ \t]+:([\w-]{1,40}):[ \t]*(.{0,300})$/;

function withRstParts(text: string, file: string, depth: number, state: State): string {
  if (depth > MAX_DEPTH || (depth === 0 && !/^[ \t]*\.\.[ \t]+(?:literal)?include::/m.test(text))) return text;
  const lines = text.split('\n');
  const out: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, indent = '', name, path = ''] = line.length < 500 ? (DIRECTIVE.exec(line) ?? []) : [];
    const options = new Map<string, string>();
    let next = at + 1;
    for (let option = name && OPTION.exec(lines[next] ?? ''); option; option = OPTION.exec(lines[next] ?? '')) {
      options.set(option[1] ?? '', option[2] ?? '');
      next += 1;
    }
    const root = state.site?.root ?? state.roots[0] ?? '';
    const isRead = name !== undefined && !['pyobject', 'diff'].some((each) => options.has(each));
    const part = isRead
      ? partAt(path.startsWith('/') ? join(root, path) : resolve(dirname(file), path), state)
      : undefined;
    if (part === undefined) {
      out.push(line);
      continue;
    }
    const chosen = rstLines(part.text, options);
    const isCode = name === 'literalinclude' || options.has('code') || options.has('literal');
    if (isCode) {
      const language = options.get('language') ?? options.get('code') ?? '';
      const caption = options.get('caption');
      out.push(`${indent}.. code-block:: ${language}`.trimEnd());
      if (caption !== undefined) out.push(`${indent}   :caption: ${caption === '' ? path : caption}`);
      out.push('', ...chosen.split('\n').map((each) => (each === '' ? '' : `${indent}   ${each}`)), '');
    } else {
      const inner = withRstParts(chosen, part.file, depth + 1, state);
      out.push(...inner.split('\n').map((each) => (each === '' ? '' : indent + each)), '');
    }
    at = next - 1;
  }
  return out.join('\n');
}

const REFERENCE = /(:(?:std:)?(doc|ref):)`([^`<>\n]{1,200})`/g;

/** References to other files of a site of Sphinx get the titles that its pages show. */
function withTitles(text: string, { site, file }: State): string {
  if (site === undefined || !/:(?:doc|ref):`/.test(text)) return text;
  return text.replace(REFERENCE, (found, role: string, kind: string, target: string) => {
    const title =
      kind === 'ref'
        ? titlesOf(site).byLabel.get(nameOf(target))
        : titlesOf(site).byFile.get(target.startsWith('/') ? join(site.root, target) : resolve(dirname(file), target));
    return title === undefined ? found : `${role}\`${title} <${target}>\``;
  });
}

interface Titles {
  /** Titles of the sections that follow a label. */
  byLabel: Map<string, string>;
  /** Titles of whole files, by their path without an ending. */
  byFile: Map<string, string>;
}

const titlesBySite = new WeakMap<FolderSite, Titles>();
const MAX_TITLED_FILES = 3000;
/** Below such folders lies nothing of a site. */
const HIDDEN = /(?:^|[/\\])(?:\.|node_modules[/\\])/;
const LABEL = /^\.\. _(?:`([^`]{1,200})`|([^:\n]{1,200})):[ \t]*$/;

/** Read once for a scan of the folder. */
function titlesOf(site: FolderSite): Titles {
  const earlier = titlesBySite.get(site);
  if (earlier !== undefined) return earlier;
  const titles: Titles = { byLabel: new Map(), byFile: new Map() };
  titlesBySite.set(site, titles);
  const names = readdirSync(site.root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.rst$/i.test(name) && !HIDDEN.test(name),
  );
  for (const name of names.slice(0, MAX_TITLED_FILES)) {
    const file = join(site.root, name);
    const stats = lstatSync(file);
    const isRead = stats.isFile() && stats.size <= MAX_PART_BYTES;
    const text = isRead ? decodeText(readFileSync(file)) : undefined;
    if (text !== undefined) addTitles(text.replace(/\r\n?/g, '\n').split('\n'), file, titles);
  }
  return titles;
}

function addTitles(lines: readonly string[], file: string, { byLabel, byFile }: Titles): void {
  const path = file.replace(/\.rst$/i, '');
  let labels: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '' || line.length > 300) continue;
    const [, quoted, plain] = LABEL.exec(line) ?? [];
    if (quoted ?? plain) labels.push(nameOf(quoted ?? plain ?? ''));
    else if (isAdornment(lines[at + 1] ?? '') && !isAdornment(line)) {
      const title = line.replace(/[`<>*]/g, '').trim();
      for (const label of labels) byLabel.set(label, title);
      if (!byFile.has(path)) byFile.set(path, title);
      labels = [];
    } else if (!isAdornment(line)) labels = [];
  }
}

function rstLines(text: string, options: ReadonlyMap<string, string>): string {
  let lines = text.split('\n');
  const numbers = options.get('lines');
  if (numbers !== undefined) lines = numberedLines(lines, numbers.split(','), '-');
  const [first, last] = [options.get('start-line'), options.get('end-line')];
  lines = lines.slice(Number(first ?? 0) || 0, last === undefined ? undefined : Number(last) || undefined);
  let part = lines.join('\n');
  const [after, before] = [options.get('start-after'), options.get('end-before')];
  if (after) part = part.includes(after) ? part.slice(part.indexOf(after) + after.length).replace(/^[^\n]*\n/, '') : '';
  if (before && part.includes(before)) {
    const end = part.indexOf(before);
    part = part.slice(0, part.lastIndexOf('\n', end) + 1);
  }
  return part.trimEnd();
}

/** Definitions of what Sphinx puts in for `|version|`, where the text uses and does not define it. */
const substitutions = (text: string, attributes: Readonly<Record<string, string>>): string[] =>
  Object.entries(attributes)
    .filter(([name]) => text.includes(`|${name}|`) && !text.includes(`.. |${name}|`))
    .map(([name, value]) => `.. |${name}| replace:: ${value}`);
