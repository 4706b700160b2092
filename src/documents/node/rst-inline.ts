import type { ElementContent } from 'hast';
import { element, words } from '../hast.ts';
import { nameOf, type RstDocument } from './rst-document.ts';
import { titleFromName } from './title-from-name.ts';

/** What may begin inline markup; single names that refer to a target are bounded, as in all that follows. */
const START =
  /\\[\s\S]?|``|\*\*?|:[a-zA-Z][\w:+.-]{0,60}:`|_?`|\|(?=\S)|\[(?=[\w#*][^\]\n]{0,60}\]_)|(?<![\w@.:/-])(?:https?:\/\/|mailto:)[^\s<>"'`|]{1,2000}|(?<![A-Za-z0-9_.:+`'"-])[A-Za-z0-9]{1,60}(?:[-_.:+][A-Za-z0-9]{1,60}){0,8}__?(?=$|[\s'")\]}>.,:;!?/\\-])/g;

/** How far the end of a mark is sought, and how often in vain. */
const MAX_LENGTH = 3000;
const MAX_FAILURES = 200;
const MAX_DEPTH = 4;

/** The inline markup of a text: emphasis, literals, roles, links, substitutions and marks of footnotes. */
export function readInline(text: string, document: RstDocument, depth = 0): ElementContent[] {
  const nodes: ElementContent[] = [];
  let plain = '';
  let from = 0;
  const flush = (): void => {
    if (plain !== '') nodes.push(words(plain));
    plain = '';
  };
  START.lastIndex = 0;
  const start = new RegExp(START);
  for (let match = start.exec(text); match !== null; match = start.exec(text)) {
    const at = match.index;
    const [mark] = match;
    if (mark.startsWith('\\')) {
      plain += text.slice(from, at) + (/^\\\s?$/.test(mark) ? '' : mark.slice(1));
      from = at + mark.length;
      continue;
    }
    const piece = readMark(text, at, mark, document, depth);
    if (piece === undefined) {
      start.lastIndex =
        at + Math.max(1, /^[`*]/.test(mark) ? mark.length : mark.startsWith(':') ? 1 : mark.length);
      continue;
    }
    plain += text.slice(from, at);
    if (typeof piece.is === 'string') plain += piece.is;
    else {
      flush();
      nodes.push(...piece.is);
    }
    from = piece.end;
    start.lastIndex = from;
  }
  plain += text.slice(from);
  flush();
  return nodes;
}

interface Found {
  is: string | ElementContent[];
  end: number;
}

function readMark(
  text: string,
  at: number,
  mark: string,
  document: RstDocument,
  depth: number,
): Found | undefined {
  if (/^(?:https?:|mailto:)/.test(mark)) return linkIn(mark, at);
  if (mark.endsWith('_')) return referenceIn(mark, at, document);
  if (mark === '[') return noteIn(text, at, document);
  if (!canOpen(text, at, mark)) return undefined;
  const inner = (from: number, to: number): ElementContent[] =>
    depth < MAX_DEPTH && !/^[\w\s.,-]*$/.test(text.slice(from, to))
      ? [words(unescaped(text.slice(from, to)))]
      : [words(text.slice(from, to))];
  const from = at + mark.length;
  if (mark === '``') {
    const end = endOf(text, from, '``', document) ?? looseEnd(text, from);
    return end === undefined
      ? undefined
      : { is: [element('code', [words(text.slice(from, end))])], end: end + 2 };
  }
  if (mark === '**' || mark === '*') {
    const end = endOf(text, from, mark, document);
    if (end === undefined) return undefined;
    return {
      is: [element(mark === '*' ? 'em' : 'strong', inner(from, end))],
      end: end + mark.length,
    };
  }
  if (mark === '|') return substitutionIn(text, at, document, depth);
  return interpretedIn(text, at, mark, document);
}

const OPENS_AFTER = /[\s'"([{<\-/:\p{Ps}\p{Pi}\p{Pf}\p{Pd}\p{Po}\u3000-\u9fff\uac00-\ud7af]/u;
const CLOSES_BEFORE =
  /[\s'")\]}>\-/:.,;!?\\\p{Pe}\p{Pi}\p{Pf}\p{Pd}\p{Po}\u3000-\u9fff\uac00-\ud7af]/u;

function canOpen(text: string, at: number, mark: string): boolean {
  const before = text[at - 1];
  const next = text[at + mark.length] ?? '';
  if (before !== undefined && !OPENS_AFTER.test(before)) return false;
  return (
    next !== '' &&
    !/\s/.test(next) &&
    !(before !== undefined && QUOTES[before] === next && mark !== '``')
  );
}

/** A mark within quotation marks of its own is text: `"*"`. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '(': ')',
  '[': ']',
  '{': '}',
  '<': '>',
};

function endOf(
  text: string,
  from: number,
  mark: string,
  { failures }: RstDocument,
): number | undefined {
  const failed = failures.get(mark) ?? 0;
  if (failed > MAX_FAILURES) return undefined;
  const part = text.slice(from, from + MAX_LENGTH);
  for (let at = part.indexOf(mark, 1); at !== -1; at = part.indexOf(mark, at + 1)) {
    if (/\s/.test(part[at - 1] ?? ' ')) continue;
    if (mark !== '``' && part[at - 1] === '\\') continue;
    // A literal may end with a backtick of its own.
    let last = at;
    if (mark === '``') while (part[last + 2] === '`') last += 1;
    const next = part[last + mark.length];
    if (
      next === undefined
        ? from + last + mark.length >= text.length
        : CLOSES_BEFORE.test(next) || (mark === '`' && /[_:]/.test(next))
    )
      return from + last;
  }
  failures.set(mark, failed + 1);
  return undefined;
}

/** A literal that touches a word: its author meant it so. */
function looseEnd(text: string, from: number): number | undefined {
  const end = text.slice(from, from + 300).search(/(?<=[^\s`])``(?!`)/);
  return end === -1 ? undefined : from + end;
}

function linkIn(mark: string, at: number): Found {
  const address = mark.replace(/[.,;:!?)\]}'"*]+$/, (end) =>
    end.startsWith(')') && mark.includes('(') ? ')' : '',
  );
  return { is: [element('a', [words(address)], { href: address })], end: at + address.length };
}

/** `Name_` and `Name__`. */
function referenceIn(mark: string, at: number, document: RstDocument): Found | undefined {
  const isAnonymous = mark.endsWith('__');
  const name = mark.slice(0, isAnonymous ? -2 : -1);
  const end = at + mark.length;
  if (isAnonymous) {
    const address = document.anonymous.shift();
    return address === undefined ? undefined : { is: linked(name, address, document), end };
  }
  const address = document.addresses.get(nameOf(name));
  if (address !== undefined) return { is: linked(name, address, document), end };
  return document.titles.has(nameOf(name)) || name.length > 2 ? { is: name, end } : undefined;
}

function linked(label: string, address: string, document: RstDocument): ElementContent[] {
  let target = address;
  for (let hops = 0; hops < 5 && /^[^\s:/]+_$|^`[^`]+`_$/.test(target); hops += 1)
    target = document.addresses.get(nameOf(target.slice(0, -1).replaceAll('`', ''))) ?? '';
  return [element('a', [words(unescaped(label))], { href: target })];
}

/** `[1]_`, `[#name]_`, `[*]_`, `[CIT2002]_`. */
function noteIn(text: string, at: number, document: RstDocument): Found | undefined {
  const [all, label = ''] = /^\[([^\]\n]{1,61})\]_(?![\w])/.exec(text.slice(at, at + 70)) ?? [];
  if (all === undefined) return undefined;
  const gap = at > 0 && !/\s/.test(text[at - 1] ?? '') ? ' ' : '';
  return { is: `${gap}[${noteLabel(label, document)}]`, end: at + all.length };
}

const noteLabel = (label: string, document: RstDocument): string => {
  if (label === '#') return String(document.notesToUse.shift() ?? '#');
  return label.startsWith('#') ? String(document.noteNumbers.get(label) ?? label.slice(1)) : label;
};

/** Substitutions that Sphinx defines. */
export const GENERATOR_VALUE =
  /^(?:version|release|today|project|copyright|author|language|branch|commit)$/i;

function substitutionIn(
  text: string,
  at: number,
  document: RstDocument,
  depth: number,
): Found | undefined {
  const [all, name = '', link = ''] =
    /^\|([^|\s](?:[^|\n]{0,118}[^|\s])?)\|(_{0,2})/.exec(text.slice(at, at + 125)) ?? [];
  if (all === undefined) return undefined;
  const end = at + all.length;
  const value = document.substitutions.get(nameOf(name));
  // One may hold others: together they put in no more than a document may have.
  if (value !== undefined && document.substitutable < value.length) return { is: name, end };
  if (value !== undefined) {
    document.substitutable -= value.length + 1;
    const nodes = depth < MAX_DEPTH ? readInline(value, document, depth + 1) : [words(value)];
    const address = link === '' ? undefined : document.addresses.get(nameOf(name));
    return { is: address === undefined ? nodes : [element('a', nodes, { href: address })], end };
  }
  // `|` may be text: of pipes, of alternatives.
  if (!GENERATOR_VALUE.test(name) && !/^[\w-]+$/.test(name)) return undefined;
  if (!GENERATOR_VALUE.test(name) && CLOSES_BEFORE.test(text[end] ?? ' ') === false)
    return undefined;
  document.unknown += 1;
  return { is: '…', end };
}

function interpretedIn(
  text: string,
  at: number,
  mark: string,
  document: RstDocument,
): Found | undefined {
  const from = at + mark.length;
  const end = endOf(text, from, '`', document);
  if (end === undefined) return undefined;
  const content = text.slice(from, end);
  const rest = text.slice(end + 1, end + 70);
  if (mark === '_`') return { is: unescaped(content), end: end + 1 };
  if (mark.startsWith(':'))
    return { is: readRole(mark.slice(1, -2), content, document), end: end + 1 };
  const suffix = /^:([a-zA-Z][\w:+.-]{0,60}):/.exec(rest);
  if (suffix !== null)
    return { is: readRole(suffix[1] ?? '', content, document), end: end + 1 + suffix[0].length };
  const isLink = /^__?(?!\w)/.exec(rest)?.[0];
  if (isLink !== undefined)
    return { is: phraseLink(content, isLink === '__', document), end: end + 1 + isLink.length };
  return { is: readRole(document.defaultRole, content, document), end: end + 1 };
}

/** `` `text <address>`_ ``, `` `text <name_>`_ ``, `` `text`_ ``, `` `text`__ ``. */
function phraseLink(
  content: string,
  isAnonymous: boolean,
  document: RstDocument,
): ElementContent[] {
  const [, label = '', target] =
    /^([\s\S]*?)\s*<([^<>]{1,2000})>$/.exec(content.slice(0, MAX_LENGTH)) ?? [];
  if (target !== undefined) {
    const address = target.replace(/\s+/g, '');
    if (label.trim() !== '') document.addresses.set(nameOf(label), address);
    return linked(label.trim() === '' ? address.replace(/_$/, '') : label, address, document);
  }
  const address = isAnonymous
    ? document.anonymous.shift()
    : document.addresses.get(nameOf(content));
  return address === undefined ? [words(unescaped(content))] : linked(content, address, document);
}

const unescaped = (text: string): string =>
  text.replace(/\\(\s|[\s\S])/g, (_, each: string) => (/\s/.test(each) ? '' : each));

const CODE_ROLES =
  /^(?:code|literal|samp|file|command|program|option|envvar|func|meth|method|function|class|mod|module|attr|exc|data|const|obj|type|macro|member|var|struct|enum|enumerator|union|expr|texpr|makevar|mailheader|mimetype|regexp|token|keyword|operator|confval|setting|decorator|deco|cmdoption|dir|role|directive|property|ctype|cfunc|cmd|console|path|py|js|sh|bash|python|variable|config|cmake|cpp|c|key|value|field|param|djadmin|lookup|tag|tfilter|ttag)$/;
const NAME_ROLES =
  /^(?:func|meth|method|function|class|mod|module|attr|exc|data|const|obj|type|macro|member|var|struct|enum|enumerator|union|confval|setting|decorator|deco|property|envvar|option|token|keyword|any|py|ref|doc|term|numref|download|dir|role|directive|djadmin|lookup|tfilter|ttag|std)$/;

/** What a role makes of its text, as the page shows it. */
function readRole(role: string, content: string, document: RstDocument): ElementContent[] {
  const name = role.toLowerCase().split(':').at(-1) ?? '';
  const kind = document.roles.get(name) || name;
  const [, label, target] =
    /^([\s\S]*?)\s*(?<!\\)<([^<>]{1,500})>$/.exec(content.slice(0, MAX_LENGTH)) ?? [];
  const hasLabel =
    label !== undefined && label !== '' && kind !== 'samp' && kind !== 'code' && kind !== 'literal';
  const title = unescaped(
    hasLabel ? label : target !== undefined && label === '' ? target : content,
  );
  switch (kind) {
    case '':
      return [
        /^[\w.:()/-]+$/.test(title) && /[._:()/]|[a-z][A-Z]/.test(title)
          ? element('code', [words(title)])
          : element('em', [words(title)]),
      ];
    case 'sup':
    case 'superscript':
      return [element('sup', [words(title)])];
    case 'sub':
    case 'subscript':
      return [element('sub', [words(title)])];
    case 'strong':
      return [element('strong', [words(title)])];
    case 'emphasis':
    case 'dfn':
    case 'title-reference':
    case 'title':
    case 't':
      return [element('em', [words(title)])];
    case 'strike':
    case 'del':
      return [element('del', [words(title)])];
    case 'kbd':
      return [element('kbd', [words(unescaped(content))])];
    case 'guilabel':
      return [element('strong', [words(title.replace(/&(?=\S)(?!&)/g, '').replaceAll('&&', '&'))])];
    case 'menuselection':
      return [
        element('strong', [words(title.replace(/\s*-->\s*/g, ' › ').replace(/&(?=\w)/g, ''))]),
      ];
    case 'samp':
      return [element('code', [words(title.replace(/\{([^{}]*)\}/g, '$1'))])];
    case 'code':
    case 'literal':
      return [element('code', [words(content)])];
    case 'math':
      return [element('code', [words(content)])];
    case 'pep':
      return [words(hasLabel ? title : `PEP ${title.replace(/#.*$/, '')}`)];
    case 'rfc':
      return [words(hasLabel ? title : `RFC ${title.replace(/#.*$/, '')}`)];
    case 'abbr':
    case 'abbreviation':
    case 'acronym':
      return [words(title)];
    case 'doc':
      return [words(hasLabel ? title : titleFromName(title))];
    case 'ref':
    case 'std-ref':
      return [
        words(hasLabel ? title : (document.titles.get(nameOf(title)) ?? titleFromName(title))),
      ];
    case 'numref':
      // Numbers are those of the generator.
      return [
        words(
          hasLabel
            ? title.replace(/\s*(?:%s|\{(?:number|name)\})/g, '').trim()
            : (document.titles.get(nameOf(title)) ?? titleFromName(title)),
        ),
      ];
    case 'index':
      return [
        words(
          hasLabel
            ? title
            : title.replace(/^(?:single|pair|triple|see|seealso):\s*/, '').replace(/^!/, ''),
        ),
      ];
    case 'eq':
      return [words(`(${title})`)];
    case 'footcite':
    case 'cite':
    case 'citep':
    case 'citet':
      return [words(`[${title}]`)];
    case 'raw-html':
    case 'raw':
      return [words(content.replace(/<br\s*\/?>/gi, ' ').replace(/<[^<>]{0,200}>/g, ''))];
  }
  if (/^(?:issue|pr|pull|gh|bug|ticket|user-issue)$/.test(kind) && /^\d+$/.test(title))
    return [words(`#${title}`)];
  if (!CODE_ROLES.test(kind) && !(role.includes(':') && !/^std:/.test(role)))
    return [words(withoutPrefix(title, hasLabel, kind))];
  const shown = withoutPrefix(title, hasLabel, kind);
  const isCall =
    /^(?:func|meth|method|function|cfunc)$/.test(kind) && !hasLabel && !/[)\]]$/.test(shown);
  return [element('code', [words(isCall ? `${shown}()` : shown)])];
}

/** `~a.b.c` shows `c`, `!a` shows `a`. */
const withoutPrefix = (title: string, hasLabel: boolean, kind: string): string => {
  if (hasLabel || !(NAME_ROLES.test(kind) || CODE_ROLES.test(kind))) return title;
  const plain = title.replace(/^[!]/, '');
  return plain.startsWith('~')
    ? (plain.slice(1).split(/[./]/).at(-1) ?? plain)
    : plain.replace(/^\.(?=\w)/, '');
};
