import EMOJI from 'markdown-it-emoji/lib/data/full.mjs';
import { aroundSpans, CODE_SPAN, outsideSpans } from '../language/outside-code.ts';
import { signOf } from './icons.ts';
import { escapeHtml, keysOf } from './jsx.ts';
import type { Omissions } from './omissions.ts';
import { attributesIn } from './tag-attributes.ts';

/** A code span, which stays, or a role: its name stands before the mark that opens one. */
const ROLE = new RegExp(
  `${CODE_SPAN.source}|\\{([a-z][\\w:+-]{0,40})\\}(\`{1,3})(?!\`)([^\`\\n]{1,500})\\3(?!\`)`,
  'g',
);

const REFERENCE = /^(?:ref|numref|doc|any|term|eq|cite(?::\w+)?|download|abbr|myst|std:\w+)$/;

/** Roles of MyST: `` {ref}`the text <target>` ``, `` {kbd}`Ctrl` ``. */
export function readRoles(line: string): string {
  return line.includes('}`')
    ? line.replace(ROLE, (all, _span, role: string | undefined, _mark, content: string) => {
        if (role === undefined) return all;
        const title = /^(.{1,400}?)[ \t]*<[^<>]{1,200}>$/.exec(content)?.[1];
        if (REFERENCE.test(role))
          return title ?? (content.split(/[/#]/).at(-1) ?? content).replace(/[-_]/g, ' ');
        if (role === 'kbd') return `<kbd>${escapeHtml(content)}</kbd>`;
        if (role === 'sub' || role === 'sup' || role === 'del')
          return `<${role}>${escapeHtml(content)}</${role}>`;
        if (role === 'guilabel' || role === 'menuselection')
          return `**${content.replaceAll('-->', '›').replace(/&(?=\w)/g, '')}**`;
        const shown = title ?? content.replace(/^!/, '');
        return `\`\` ${shown.startsWith('~') ? (shown.split('.').at(-1) ?? '') : shown} \`\``;
      })
    : line;
}

/** `**Title **:`, which only CommonMark takes for text; a single word with a space at both ends may be a power. */
export function withTightMarks(line: string): string {
  return /\*\*[ \t]|[ \t]\*\*/.test(line)
    ? aroundSpans(line, (text) =>
        text.replace(BOLD, (all, before: string, words: string, after: string) =>
          before + after === '' || (before !== '' && after !== '' && !SEVERAL_WORDS.test(words))
            ? all
            : `${before}**${words}**${after}`,
        ),
      )
    : line;
}

const SEVERAL_WORDS = /\p{L}{2}\S*\s+\p{L}/u;

const BOLD =
  /(?<![\\*\p{L}\p{N}])\*\*(?!\*)([ \t]?)([^\s*](?:[^*\n]{0,300}[^\s*])?)([ \t]?)\*\*(?!\*)/gu;

export function readMarks(
  line: string,
  { next, omissions }: { next: string; omissions: Omissions },
): string {
  if (!/[{[=+:\\?!^~]/.test(line)) return line;
  const isHeading = /^[ \t>]{0,20}#{1,6}[ \t]/.test(line) || /^(?:=+|-+)[ \t]*$/.test(next);
  let text = line;
  // `## Title {#id}`, `Title %{#id}%`, `Title {: .class }`, `## Title {/* #id */}`, `## Title \{#id}`
  if (isHeading)
    text = text.replace(
      /[ \t]{0,9}(?:\\?%?\{[ \t]{0,3}(?:[#.:]|docsify-|\/\*[ \t]*#)[^}\n]{0,200}\}%?[ \t]{0,9})+#{0,6}[ \t]*$|[ \t]{1,9}(?:\[#[\w-]{1,100}\]|:id=[\w-]{1,100})[ \t]*$/,
      '',
    );
  // The name of a block in Obsidian.
  text = text.replace(/(?<=\S)[ \t]{1,9}\^(?=[\d-]*[A-Za-z])[\w-]{4,60}[ \t]*$/, '');
  return outsideSpans(text, (part) => readInlineMarks(part, omissions)).replace(
    SPAN_WITH_ATTRIBUTES,
    (all) => all.replace(ATTRIBUTES, '$<end>').replace(LANGUAGE, ''),
  );
}

/** Attributes behind code. */
const SPAN_WITH_ATTRIBUTES = new RegExp(
  `${CODE_SPAN.source}(?:\\{:?[ \\t]?(?:[.#]|[\\w-]{1,40}=["'])[^}\\n\`]{0,200}\\})?`,
  'g',
);
const ATTRIBUTES = /(?<end>`)\{[^}`]*\}$/;
/** The language of code in it (rehype-pretty-code). */
const LANGUAGE = /(?<=[^`\s])\{:[.\w-]{1,30}\}(?=`{1,3}$)/;

function readInlineMarks(part: string, omissions: Omissions): string {
  let text = part;
  if (/\{(?:--|\+\+|~~|>>|==)/.test(text)) text = readChanges(text, omissions);
  if (text.includes('[['))
    text = text
      .replace(/!\[\[[^\]\n]{0,300}\]\]/g, '')
      .replace(/\[\[(?:[^\][|\n]{1,300})\|([^\][\n]{1,300})\]\]/g, '$1')
      .replace(/\[\[([^\][\n]{1,300})\]\]/g, (_, name: string) => name.replace(/#/g, ' › '));
  if (/:[A-Za-z][\w-]*[{[]/.test(text)) text = text.replace(INLINE_COMPONENT, shownText);
  if (text.includes('{'))
    text = text
      .replace(
        /(?<![!\\\]])\[([^\][\n]{1,300})\]\{:?[ \t]?(?:[.#][\w-]|[\w-]{1,40}=)[^{}\n]{0,300}\}/g,
        '$1',
      )
      // Attributes after a link, an image or an emphasis.
      .replace(/(?<=[)\]*_])\{:?[ \t]?(?:[.#][\w-]|[\w-]{1,40}=)[^{}\n]{0,300}\}/g, '')
      .replace(/\{:[ \t]?(?:[.#][\w-]|[\w-]{1,40}=)[^{}\n]{0,300}\}/g, '');
  if (text.includes('++'))
    text = text.replace(
      /(?<![\w+])\+\+([\w"-]{1,30}(?:\+[\w"-]{1,30}){0,5})\+\+(?![\w+])/g,
      (_, keys: string) => `<kbd>${keysOf(keys)}</kbd>`,
    );
  if (/[\^~]/.test(text)) text = readCarets(text);
  if (text.includes('=='))
    text = text.replace(/(?<![=\w!<>])==(?=[^\s=])([^=\n]{1,300}?)(?<=[^\s=])==(?![=\w])/g, '$1');
  if (text.includes(':'))
    text = text
      .replace(
        /:(?:material|fontawesome|octicons|simple)-([\w-]{1,80}):(?:\{[^}\n]{0,200}\})?/g,
        (_, name: string) => signOf(name) ?? '',
      )
      .replace(EMOJI_NAMES, (names) =>
        names.replace(/:([\w+-]+):/g, (name, key) => emojiOf(key) ?? name),
      );
  return text;
}

/** `:kbd{value="K"}`, `:u-button[Start]{to="/"}`: a component, or a directive, within a line. */
const INLINE_COMPONENT =
  /(?<![^\s(])(?<!\\):([A-Za-z][\w-]{0,60})(?:\[([^\]\n]{1,300})\]\{([^{}\n]{0,300})\}|\{((?:[.#][\w-]|[^\n{}"'=]{1,200}=["'])[^\n{}]{0,1000})\})(?!\()/g;

function shownText(_: string, name: string, text?: string, given?: string, only = ''): string {
  const { named } = attributesIn(given ?? only);
  const shown = text ?? named.get('value') ?? named.get('label') ?? '';
  return name === 'kbd' && shown !== '' ? `<kbd>${escapeHtml(shown)}</kbd>` : shown;
}

/** `:tada:`, alone or in a row; in `urn:key:5` and `10:30:45` nothing is one. */
const EMOJI_NAMES = /(?<![\p{L}\p{N}_:/])(?::[a-z+-][\w+-]{0,50}:){1,20}(?![\p{L}\p{N}_:])/gu;

const emojiOf = (name: string): string | undefined =>
  Object.hasOwn(EMOJI, name) ? EMOJI[name] : undefined;

/** Changes and remarks of authors (CriticMarkup): what is deleted is struck, remarks are dropped. */
const readChanges = (text: string, omissions: Omissions): string =>
  text
    .replace(/\{>>([^{}\n]{0,500}?)<<\}/g, (_, remark: string) => {
      omissions.add('comment', () => remark);
      return '';
    })
    .replace(/\{--([^{}\n]{1,500}?)--\}/g, '<del>$1</del>')
    .replace(/\{~~([^{}\n~]{1,300})~>([^{}\n]{0,300}?)~~\}/g, '<del>$1</del>$2')
    .replace(/\{(\+\+|==)([^{}\n]{1,500}?)\1\}/g, '$2');

/** `10^6^`, `H~2~O`; a tilde at each end of words strikes them, `^^` marks what was added. */
const readCarets = (text: string): string =>
  text
    .replace(/(?<![\w^])\^\^(?=[^\s^])([^^\n]{1,300}?)(?<=[^\s^])\^\^(?![\w^])/g, '$1')
    .replace(/(?<=[\p{L}\p{N})])\^([^\s^$\\{}]{1,20})\^(?![\p{L}\p{N}^])/gu, '<sup>$1</sup>')
    .replace(/(?<=[\p{L})])~(\d{1,4})~(?!~)/gu, '<sub>$1</sub>')
    .replace(
      /(?<![\p{L}\p{N}~/\\])~(?=[^\s~/\\])([^~\n]{1,200}?)(?<=[^\s~/\\])~(?![\p{L}\p{N}~/\\])/gu,
      '<del>$1</del>',
    );
