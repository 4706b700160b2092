import { escapeHtml, indentAt, isAloneInLine, labelHtml } from './jsx.ts';
import { isNoteName } from './notes.ts';
import type { Omissions } from './omissions.ts';
import { attributesIn } from './tag-attributes.ts';

export interface TemplateState {
  /** Values that are not known. */
  unknown: number;
  /** Whether the document has tags of a template language: then its braces are values too. */
  isTemplate: boolean;
  omissions: Omissions;
}

/**
 * No part goes on over the beginning of another one, so that each character is read for one beginning only: the time is linear however
 * many are never closed.
 */
const CODE_OR_TAG = new RegExp(
  [
    /(?<!`)(`{1,3})(?!`)[^\n]{1,500}?(?<!`)\1(?!`)/,
    `(${[
      /\{%-?\s{0,9}comment\b[^%{]{0,100}%\}(?:(?!\{%-?\s{0,9}(?:end)?comment)[\s\S]){0,5000}\{%-?\s{0,9}endcomment\s{0,9}-?%\}/,
      /\{\{[<%-]?\s?\/\*(?:(?!\*\/|\{\{)[\s\S]){0,1000}\*\/\s?[>%-]?\}\}/,
      /\{\{!--(?:(?!--\}\}|\{\{!)[\s\S]){0,1000}--\}\}/,
      /\{::comment\}(?:(?!\{:\/|\{::comment)[\s\S]){0,5000}\{:\/(?:comment)?\}/,
      /\{::[^}{\n]{0,200}\/?\}/,
      /\{:\/[^}{\n]{0,40}\}/,
    ]
      .map(({ source }) => source)
      .join('|')})`,
    /\{%-?\s{0,9}((?:[^%{]|%(?!\})|\{(?!%)){0,1000}?)\s{0,9}-?%\}/,
    /\{\{([<%])\s{0,9}((?:[^<>%}{]|[<>%}](?!\}\})|\{(?!\{)){0,1000}?)\s{0,9}[>%]\}\}/,
    /\{\{-?\s{0,9}([^{}\n]{1,300}?)\s{0,9}-?\}\}/,
  ]
    .map((each) => (typeof each === 'string' ? each : each.source))
    .join('|'),
  'g',
);

/**
 * Reads tags of Liquid, Jinja, Nunjucks and GitBook (`{% note %}`), shortcodes of Hugo (`{{< tab "Linux" >}}`), and values (`{{ site.port }}`).
 * Notes and tabs become elements, other tags go and what they enclose stays. A value that is not known is `…`.
 */
export function readTemplates(text: string, state: TemplateState): string {
  return text.replace(
    CODE_OR_TAG,
    (
      found,
      code,
      comment,
      tag: string | undefined,
      shortcode,
      call: string | undefined,
      value: string | undefined,
      at: number,
    ) => {
      if (code !== undefined) return found;
      if (comment !== undefined) {
        state.omissions.add('comment', () => withoutTags(comment));
        return '';
      }
      if (value !== undefined) return valueIn(value, found, state);
      const source = (shortcode === undefined ? tag : call) ?? '';
      const result = tagIn(source, {
        isAlone: isAloneInLine(text, at, at + found.length),
        indent: indentAt(text, at),
        state,
        isShortcode: shortcode !== undefined,
      });
      // A definition without an address would take the next line for it.
      return result === '' && /\](?::[ \t]?|\()$/.test(text.slice(Math.max(0, at - 3), at))
        ? '#'
        : result;
    },
  );
}

const withoutTags = (comment: string): string =>
  comment
    .slice(0, 500)
    .replace(
      /^\{[%:][^}]{0,100}\}|\{%[^}]{0,100}%\}$|^\{\{[<%!/*\s-]{1,9}|[>%/*\s-]{1,9}\}\}$/g,
      '',
    )
    .trim();

function valueIn(source: string, found: string, state: TemplateState): string {
  const literal = /^(['"])([^'"]*)\1/.exec(source)?.[2];
  // A date in another form is not what is written there.
  if (literal !== undefined && !/\|\s{0,9}date\b/.test(source)) return literal;
  if (!state.isTemplate && !GENERATOR_VALUE.test(source)) return found;
  state.unknown += 1;
  return '…';
}

/** Names under which generators keep their settings: other braces may be what the article is about. */
const GENERATOR_VALUE =
  /^(?:site|page|layout|config|extra|include|jekyll|params|vars?|\$frontmatter|\$page|\$site|\.Site|\.Page|\.Params)\b\.?/;

const VALUE_TAGS = new Set([
  'data',
  'indented_data_reference',
  'var',
  'variable',
  'variables',
  't',
  'trans',
  'param',
  'get_param',
  'value',
  'config',
]);
const TAB_TAGS = new Set(['tab', 'tabitem', 'tab-item', 'tabpanel', 'codetab']);
const FOLD_TAGS = new Set([
  'details',
  'expand',
  'expander',
  'collapse',
  'collapsible',
  'accordion',
  'accordion-item',
  'spoiler',
  'stepper-item',
  'update',
]);
const IMAGE_TAGS = new Set(['figure', 'image', 'img', 'imgproc']);
const NOTE_TAGS = new Set([
  'hint',
  'callout',
  'alert',
  'admonition',
  'notice',
  'panel',
  'blocktip',
  'aside',
]);

interface TagPlace {
  isAlone: boolean;
  indent: string;
  state: TemplateState;
  /** Whether it is a shortcode, whose template shows what it is given; other tags may only set values. */
  isShortcode: boolean;
}

/** What a tag stands for: its name and arguments, without the marks around them. */
export function tagIn(source: string, { isAlone, indent, state, isShortcode }: TagPlace): string {
  const [, slash = '', name = '', rest = ''] =
    /^(\/?)\s*([\w./-]{0,80})\s*([\s\S]*)$/.exec(source) ?? [];
  const plain = name.toLowerCase();
  const closes = slash !== '' || plain.startsWith('end');
  const base = closes ? plain.replace(/^end[-_]?/, '') : plain;
  const around = (html: string): string => `\n\n${indent}${html}\n\n${indent}`;
  if (isNote(base) && !rest.trim().endsWith('/'))
    return closes ? around('</div>') : around(openTag(base, rest));
  if (TAB_TAGS.has(base) || FOLD_TAGS.has(base)) {
    const title = closes
      ? ''
      : argument(rest, ['title', 'name', 'label', 'header', 'summary', 'heading', 'date']);
    return title === '' ? '' : around(labelHtml(title, TAB_TAGS.has(base) ? ':' : ''));
  }
  if (base === 'embed' && !closes) {
    const url = argument(rest, ['url']);
    if (/^https?:\/\/[^\s<>]+$/.test(url)) return around(`<${url}>`);
  }
  if (base === 'code' && !closes) {
    const title = argument(rest, ['title']);
    return title === '' ? '' : around(labelHtml(title, ':'));
  }
  if (/^include/.test(base)) {
    const content = argument(rest, ['content', 'text'], { hasReferences: false });
    const file = /([\w-]+)\.\w+/.exec(rest)?.[1] ?? '';
    if (content !== '')
      return around(
        `${openTag(isNoteName(file) ? file : '', '')}\n\n${indent}${content}\n\n${indent}</div>`,
      );
  }
  if (IMAGE_TAGS.has(base) && !closes) {
    const caption = argument(rest, ['caption', 'title', 'alt']);
    if (caption === '' || (/^[\w./:-]+$/.test(caption) && !/^\p{L}+$/u.test(caption))) return '';
    return isAlone ? around(`<p>${escapeHtml(caption)}</p>`) : `${escapeHtml(caption)} `;
  }
  if ((VALUE_TAGS.has(base) || /param$/.test(base)) && !isAlone && !closes) {
    state.unknown += 1;
    return '…';
  }
  const shown = isShortcode && !closes ? shownArgument(rest) : '';
  if (shown !== '') return isAlone ? around(labelHtml(shown, '')) : escapeHtml(shown);
  if (!closes) state.omissions.add('template', () => source);
  return '';
}

/** What a shortcode of an unknown template shows of its arguments: a title, or several words, a version or a key without a name. */
function shownArgument(rest: string): string {
  const shown = argument(rest, [
    'title',
    'text',
    'label',
    'caption',
    'heading',
    'header',
    'summary',
    'question',
  ]);
  const isShown = /^[\w-]+\s*=/.test(rest)
    ? /\p{L}{2}/u.test(shown) && !/^(?:true|false|\S*[/.:_]\S*)$/.test(shown)
    : /^(?:.|v?\d+(?:\.\d+)+\+?|.*\p{L}.*\s.*)$/u.test(shown);
  return isShown ? shown : '';
}

const isNote = (name: string): boolean =>
  NOTE_TAGS.has(name) ||
  (isNoteName(name) &&
    !FOLD_TAGS.has(name) &&
    !/^(?:quote|check|example|question|summary)$/.test(name));

/** The element of a note that a tag opens. */
function openTag(name: string, rest: string): string {
  const [first = ''] = /^[\w-]{1,40}(?=\s|$)/.exec(rest.trim()) ?? [];
  const kind =
    isNoteName(name) && !NOTE_TAGS.has(name)
      ? name
      : argument(rest, ['style', 'type', 'kind', 'color', 'variant', 'level']) ||
        (isNoteName(first) ? first : 'note');
  const title = argument(isNoteName(first) ? rest.trim().slice(first.length).trim() : rest, [
    'title',
    'header',
    'heading',
  ]);
  return `<div data-note-kind="${escapeHtml(kind === 'primary' || kind === 'secondary' ? 'note' : kind)}" data-note-title="${escapeHtml(title === kind ? '' : title)}">`;
}

/** A named argument, else the first in quotation marks or alone. */
function argument(
  rest: string,
  names: readonly string[],
  options?: { hasReferences: boolean },
): string {
  const { named, unnamed } = attributesIn(rest.slice(0, MAX_ARGUMENTS), options);
  const name = names.find((each) => named.has(each));
  if (name !== undefined) return named.get(name) ?? '';
  return /^["']/.test(rest) ? (unnamed[0] ?? '') : '';
}

const MAX_ARGUMENTS = 4000;
