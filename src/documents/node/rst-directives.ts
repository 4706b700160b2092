import type { Element, ElementContent } from 'hast';
import { element, labelOf, words } from '../hast.ts';
import { isNoteName } from '../notes.ts';
import { parseHtml } from '../parse-html.ts';
import { readCsv } from './csv-rows.ts';
import { count, type RstDocument } from './rst-document.ts';
import { GENERATOR_VALUE } from './rst-inline.ts';
import {
  codeBlock,
  indentedFrom,
  indentOf,
  inlineOf,
  paragraph,
  trimmedLines,
} from './rst-lines.ts';

interface Directive {
  name: string;
  argument: string;
  /** Lines below, without their indentation. */
  body: readonly string[];
  document: RstDocument;
  depth: number;
}

/** A directive whose arguments and options are read. */
interface ReadDirective {
  kind: string;
  name: string;
  argument: string;
  options: ReadonlyMap<string, string>;
  content: string[];
  /** First line and all below: of directives without an argument. */
  whole: string[];
  document: RstDocument;
  depth: number;
}

/** The elements of a directive, as a reader of the published page sees it. */
export function readDirective(given: Directive): Element[] {
  const directive = partsOf(given);
  const { kind, name } = directive;
  // In docutils it names a style, in Sphinx a class of code.
  if (kind === 'class')
    return /^[A-Z]|[(.]/.test(directive.argument) ? readObject(directive) : blocksOf(directive);
  if (!/^(?:rst|std|js|http):/.test(name) && UNSEEN.test(kind))
    return /module|namespace/.test(kind) ? blocksOf(directive) : [];
  if (/^versionadded|^versionchanged|^deprecated|^versionremoved/.test(kind))
    return readVersion(directive);
  if (isNoteName(kind) && !/^(?:details|summary|quote|example|question|aside)$/.test(kind))
    return readNote(directive);
  const reader = READERS[kind];
  if (reader !== undefined) return reader(directive);
  if (CODE.test(kind)) return readCode(directive);
  if (DIAGRAM.test(kind)) {
    count(directive.document, 'diagram');
    return [];
  }
  if (
    /^auto|^(?:click|argparse|program-output|command-output|jinja|exec|runblock|pydantic|openapi|swaggerv2doc|apidoc|doxygen\w*|sphinx-toolbox)$/.test(
      kind,
    )
  ) {
    count(directive.document, 'generated');
    return blocksOf(directive);
  }
  if (name.includes(':') || OBJECT.test(kind)) return readObject(directive);
  return readOther(directive);
}

const OPTION = /^:([\w-]{1,60}):(?:\s+(.*))?$/;

function partsOf({ name, argument, body, document, depth }: Directive): ReadDirective {
  const lines = [...body];
  const more: string[] = [];
  while (lines[0] !== undefined && lines[0] !== '' && !OPTION.test(lines[0]))
    more.push(lines.shift() ?? '');
  const options = new Map<string, string>();
  let last: string | undefined;
  while (lines[0] !== undefined && lines[0] !== '') {
    const [, key, value = ''] = OPTION.exec(lines[0]) ?? [];
    if (key !== undefined) options.set(key, value.trim());
    else if (last !== undefined)
      options.set(last, `${options.get(last) ?? ''} ${lines[0].trim()}`.trim());
    last = key ?? last;
    lines.shift();
  }
  const hasOptions = options.size > 0;
  const kind = name.toLowerCase().split(':').at(-1) ?? '';
  return {
    kind,
    name: name.toLowerCase(),
    argument: [argument, ...more]
      .map((line) => line.trim())
      .join('\n')
      .trim(),
    options,
    content: trimmedLines(lines),
    whole: trimmedLines(hasOptions ? [argument, ...more, '', ...lines] : [argument, ...body]),
    document,
    depth,
  };
}

const UNSEEN =
  /^(?:toctree|contents|index|meta|highlight|highlightlang|default-role|default-domain|role|sectionauthor|codeauthor|moduleauthor|currentmodule|currentlibrary|module|namespace|sectnum|section-numbering|header|footer|tabularcolumns|bibliography|program|rst-class|target-notes|restructuredtext-test-directive|testsetup|testcleanup|youtube|vimeo|video|audio|iframe|raw-latex|disqus|update|post|postlist|todolist|only-latex|genindex|modindex|localtoc|minitoc|cssclass|ogp|include-once|nbinput|nboutput|nbinfo|figlist|container-end|thumbnail|gallery|title)$/;
const CODE =
  /^(?:code|code-block|sourcecode|parsed-literal|prompt|doctest|testcode|testoutput|ipython|ipython3|productionlist|terminal|console|code-cell|highlight-code|cli|bash|shell|tab-code)$/;
const DIAGRAM =
  /^(?:graphviz|digraph|graph|inheritance-diagram|mermaid|uml|plantuml|blockdiag|seqdiag|actdiag|nwdiag|packetdiag|rackdiag|aafig|ditaa|tikz|drawio-\w+|plot|plotly|kroki|d2|bokeh-plot|altair-plot)$/;
const OBJECT =
  /^(?:function|method|class|attribute|exception|data|object|option|cmdoption|envvar|confval|describe|decorator|decoratormethod|property|staticmethod|classmethod|coroutinefunction|macro|type|member|var|enum|enumerator|enum-class|struct|union|concept|setting|django-admin|django-admin-option|templatetag|templatefilter|fieldlookup|signature|cfunction|cmember|cmacro|ctype|cvar|opcode|pdbcommand|2to3fixer|monitoring-event|directive|configprop|conf|config|command|variable|event|signal|api|endpoint|method-signature)$/;

const blocksOf = ({ content, document, depth }: ReadDirective): Element[] =>
  document.readBlocks(content, depth + 1);
const wholeOf = ({ whole, document, depth }: ReadDirective): Element[] =>
  document.readBlocks(whole, depth + 1);

function readNote(directive: ReadDirective): Element[] {
  const { kind, argument, options, document } = directive;
  const isTitled =
    /^(?:admonition|callout|alert|hint-box)$/.test(kind) ||
    (options.has('title') && argument === '');
  if (kind === 'seealso') return [note('', document.labels.seealso, wholeOf(directive))];
  if (!isTitled) return [note(kind, '', wholeOf(directive))];
  const title = options.get('title') ?? argument;
  const named =
    options
      .get('class')
      ?.split(' ')
      .find((each) => isNoteName(each)) ?? '';
  return [note(named, textOfTitle(title), blocksOf(directive))];
}

const note = (kind: string, title: string, children: ElementContent[]): Element =>
  element('div', children, { dataNoteKind: kind, dataNoteTitle: title });

/** A title is one line of text. */
const textOfTitle = (title: string): string =>
  title
    .replace(/:[\w:+-]{1,60}:(?=`)/g, '')
    .replace(/`{1,2}([^`]{1,200}?)(?:\s<[^<>`]{1,300}>)?`{1,2}_{0,2}/g, '$1')
    .replace(/\*{1,2}([^*]{1,200})\*{1,2}/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();

/** `.. versionadded:: 2.1 The option.` */
function readVersion(directive: ReadDirective): Element[] {
  const { kind, argument, document, content } = directive;
  const isRemoved = kind === 'deprecated-removed';
  const [, first = '', removed = '', text = ''] =
    (isRemoved ? /^(\S+)\s+(\S+)\s*([\s\S]*)$/ : /^(\S+)()\s*([\s\S]*)$/).exec(argument) ?? [];
  const { labels } = document;
  const version = removed === '' ? first : `${first}, ${labels.versionremoved} ${removed}`;
  const label = isRemoved
    ? labels.deprecated
    : (labels[kind as 'versionadded'] ?? labels.versionchanged);
  const [opening, ...others] = document.readBlocks(
    trimmedLines([...text.split('\n'), ...(content.length === 0 ? [] : ['', ...content])]),
    directive.depth + 1,
  );
  const head = element('strong', [
    words(`${label} `),
    ...inlineOf(version, document),
    words(opening === undefined ? '.' : ':'),
  ]);
  if (opening?.tagName !== 'p')
    return [element('p', [head]), ...(opening === undefined ? [] : [opening]), ...others];
  return [element('p', [head, words(' '), ...opening.children]), ...others];
}

function readCode({ kind, argument, options, content, whole, document }: ReadDirective): Element[] {
  const caption = options.get('caption') ?? options.get('name-caption') ?? '';
  const label = caption === '' ? [] : [labelOf(`${textOfTitle(caption).replace(/:$/, '')}:`)];
  const language = /^(?:code|code-block|sourcecode|prompt|terminal|code-cell|tab-code)$/.test(kind)
    ? (argument.split(/\s/)[0] ?? '')
    : ({
        doctest: 'python',
        testcode: 'python',
        ipython: 'python',
        ipython3: 'python',
        bash: 'bash',
        shell: 'sh',
      }[kind] ?? '');
  const isBare = /^(?:parsed-literal|productionlist|testoutput|doctest|testcode|console|cli)$/.test(
    kind,
  );
  const lines = isBare ? whole : content;
  if (kind === 'parsed-literal')
    return [...label, codeBlock(lines.map((line) => textOfLiteral(line, document)))];
  // Without an option or a blank line, all below is the code.
  const code = lines.length > 0 ? lines : argument.split('\n').slice(1);
  const shown = kind === 'prompt' ? code.map((line) => line) : code;
  return shown.length === 0
    ? label
    : [...label, codeBlock(shown, cleanLanguage(language.split('\n')[0] ?? ''))];
}

const cleanLanguage = (language: string): string =>
  /^(?:none|default|guess)$/i.test(language) ? '' : (/^[\w+#.-]{1,40}/.exec(language)?.[0] ?? '');

/** Marks within a literal block that is parsed: their text. */
function textOfLiteral(line: string, document: RstDocument): string {
  return line
    .replace(/\|([\w-]{1,60})\|/g, (all, name: string) => {
      const value = document.substitutions.get(name.toLowerCase());
      if (value !== undefined || !GENERATOR_VALUE.test(name)) return value ?? all;
      document.unknown += 1;
      return '…';
    })
    .replace(/:[\w:+-]{1,60}:(?=`)/g, '')
    .replace(/`([^`]{1,300}?)(?:\s<[^<>`]{1,300}>)?`_{0,2}/g, '$1')
    .replace(/\*{1,2}([^*\s][^*]{0,200})\*{1,2}/g, '$1')
    .replace(/\\(.)/g, (_, each: string) => each.trim());
}

/** A function, an option, a setting: each of its signatures in bold, then what is said of it. */
function readObject(directive: ReadDirective): Element[] {
  const { kind, name, argument, content } = directive;
  if (argument === '' && content.length === 0) return [];
  const isHttp = /^http:(?:get|post|put|patch|delete|head|options|any)$/.test(name);
  const signatures = argument
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((each) => each.trim() !== '');
  const terms = signatures.map((each) => {
    const isRst = (name === 'rst:directive' || name === 'rst:role') && !/^(?:\.\.|:)/.test(each);
    const plain = isHttp
      ? `${kind.toUpperCase()} ${each}`
      : isRst
        ? kind === 'role'
          ? `:${each}:`
          : `.. ${each}${each.includes('::') ? '' : '::'}`
        : each.replaceAll('\\', kind === 'describe' ? '\\' : '');
    return element('dt', [element('code', [words(plain.trim().replace(/\s+/g, ' '))])]);
  });
  const facts = factsOf(directive);
  return [element('dl', [...terms, element('dd', [...facts, ...blocksOf(directive)])])];
}

/** What the options of an object say to a reader: its type, its default. */
function factsOf({ options, document }: ReadDirective): Element[] {
  const facts = ['type', 'value', 'default', 'synopsis', 'platform', 'required'].flatMap((key) => {
    const value = options.get(key);
    return value
      ? [
          element('p', [
            element('strong', [words(`${key.charAt(0).toUpperCase()}${key.slice(1)}:`)]),
            words(' '),
            ...inlineOf(value, document),
          ]),
        ]
      : [];
  });
  return facts;
}

/** One that is not known: its content stays, its title in bold. */
function readOther(directive: ReadDirective): Element[] {
  const { argument, content, document, name } = directive;
  const title = textOfTitle(argument);
  const blocks = content.length === 0 ? [] : blocksOf(directive);
  if (blocks.length > 0) return title === '' ? blocks : [labelOf(title), ...blocks];
  document.unknownDirectives.add(name);
  return title !== '' && /\s/.test(title) ? [paragraph(argument, document)] : [];
}

const titled = (directive: ReadDirective, mark = ''): Element[] => {
  const title = textOfTitle(directive.argument);
  return [...(title === '' ? [] : [labelOf(`${title}${mark}`)]), ...blocksOf(directive)];
};

function imageOf({ options, document }: ReadDirective): Element[] {
  const alternative = options.get('alt') ?? '';
  return /\s/.test(alternative.trim()) ? [paragraph(alternative, document)] : [];
}

const readFigure = (directive: ReadDirective): Element[] => [
  ...imageOf(directive),
  ...blocksOf(directive),
];

/** Content for pages; what is for other outputs or for builds with a tag of their own is left out. */
function readOnly(directive: ReadDirective): Element[] {
  if (isForPages(directive.argument)) return blocksOf(directive);
  if (!OUTPUTS.test(directive.argument)) count(directive.document, 'other');
  return [];
}

/** Outputs of Sphinx, whose parts every reader of pages expects elsewhere. */
const OUTPUTS =
  /^(?:[\s()]|\b(?:and|or|not|html|latex|latexpdf|pdf|epub|man|text|texinfo|gettext|builder_\w+)\b)*$/i;

/** `html and not draft`: tags that only a build sets are not set. */
const isForPages = (expression: string): boolean =>
  expression
    .toLowerCase()
    .split(/\bor\b/)
    .some((each) =>
      each
        .split(/\band\b/)
        .every(
          (term) =>
            /^[\s(]*(?:not\s+)?(?:html|builder_(?:dir|single)?html)?[\s)]*$/.test(term) !==
            /\bnot\b/.test(term),
        ),
    );

/** Marks that part a card into head, body and foot are not shown. */
const readCard = (directive: ReadDirective): Element[] =>
  readOther({
    ...directive,
    content: directive.content.map((line) => (/^(?:\+{3,}|\^{3,})\s*$/.test(line) ? '' : line)),
  });

/** `.. button-link:: address`, with its text below. */
function readButtonLink(directive: ReadDirective): Element[] {
  const { argument, content, document, kind } = directive;
  const label =
    content.length === 0
      ? inlineOf(textOfTitle(argument), document)
      : inlineOf(content.join(' '), document);
  return [
    element('p', kind === 'button-link' ? [element('a', label, { href: argument.trim() })] : label),
  ];
}

function readRaw({ argument, content, options, document }: ReadDirective): Element[] {
  if (!/^html?$/i.test(argument.trim()) || options.has('file') || options.has('url')) return [];
  const root = parseHtml(content.join('\n'), { isFragment: true });
  if (root === undefined)
    return [paragraph(content.join(' ').replace(/<[^<>]{0,500}>/g, ' '), document)];
  return [element('div', root.children as ElementContent[])];
}

function readListTable(directive: ReadDirective): Element[] {
  const { options, content, document, depth } = directive;
  const heads = Number(options.get('header-rows') ?? 0);
  const list = document.readBlocks(content, depth + 1).find(({ tagName }) => tagName === 'ul');
  if (list === undefined) return captionOf(directive);
  const rows = (list.children as Element[]).map((row, at) => {
    const cells =
      (row.children as Element[]).find(({ tagName }) => tagName === 'ul')?.children ?? [];
    return element(
      'tr',
      (cells as Element[]).map((item) => element(at < heads ? 'th' : 'td', inlineCell(item))),
    );
  });
  return [...captionOf(directive), element('table', rows)];
}

const inlineCell = ({ children }: Element): ElementContent[] => {
  const [only, other] = children;
  return other === undefined && only?.type === 'element' && only.tagName === 'p'
    ? only.children
    : children;
};

const captionOf = ({ argument }: ReadDirective): Element[] => {
  const title = textOfTitle(argument);
  return title === '' ? [] : [labelOf(`${title.replace(/:$/, '')}:`)];
};

function readCsvTable(directive: ReadDirective): Element[] {
  const { options, content, document } = directive;
  const file = options.get('file') ?? options.get('url');
  if (file !== undefined) {
    document.included.add(file);
    return captionOf(directive);
  }
  const delimiter =
    { tab: '\t', space: ' ' }[options.get('delim') ?? ''] ?? options.get('delim') ?? ',';
  const parse = (text: string, separator = delimiter.slice(0, 1) || ','): string[][] =>
    readCsv(text, { separator }).rows.filter((row) => row.some((cell) => cell !== ''));
  const header = options.get('header');
  const heads = Number(options.get('header-rows') ?? 0);
  const rows = parse(content.join('\n')).map((cells, at) => rowOf(cells, at < heads, document));
  // The header has commas, whatever parts the rows.
  const head =
    header === undefined ? [] : parse(header, ',').map((cells) => rowOf(cells, true, document));
  return [...captionOf(directive), element('table', [...head, ...rows])];
}

const rowOf = (cells: readonly string[], isHead: boolean, document: RstDocument): Element =>
  element(
    'tr',
    cells.map((each) => element(isHead ? 'th' : 'td', inlineOf(each.trim(), document))),
  );

function readIncluded({ argument, document }: ReadDirective): Element[] {
  if (argument !== '') document.included.add(argument.split('\n')[0] ?? '');
  return [];
}

/** `.. code-tab:: py The name` */
function readCodeTab(directive: ReadDirective): Element[] {
  const [language = '', ...rest] = directive.argument.split(/\s+/);
  const label = rest.join(' ') || language;
  return [labelOf(`${label}:`), codeBlock(directive.content, cleanLanguage(language))];
}

/** Terms without indentation, several of which may share what is said of them. */
function readGlossary({ content, document, depth }: ReadDirective): Element[] {
  const children: Element[] = [];
  for (let at = 0; at < content.length; ) {
    const line = content[at] ?? '';
    if (indentOf(line) > 0) {
      const { body, next } = indentedFrom(content, at);
      children.push(element('dd', document.readBlocks(body, depth + 1)));
      at = next;
      continue;
    }
    if (line !== '' && !/^\.\.(?:\s|$)/.test(line))
      children.push(element('dt', inlineOf(line.replace(/\s+:\s+\S+$/, ''), document)));
    at += 1;
  }
  return [element('dl', children)];
}

const READERS: Readonly<Record<string, (directive: ReadDirective) => Element[]>> = {
  include: readIncluded,
  literalinclude: readIncluded,
  image: imageOf,
  figure: readFigure,
  raw: readRaw,
  only: readOnly,
  card: readCard,
  'grid-item-card': readCard,
  'button-link': readButtonLink,
  'button-ref': readButtonLink,
  ifconfig: blocksOf,
  math: ({ whole }) => (whole.length === 0 ? [] : [codeBlock(whole, 'math')]),
  table: (directive) => [...captionOf(directive), ...blocksOf(directive)],
  'list-table': readListTable,
  'flat-table': readListTable,
  'csv-table': readCsvTable,
  tab: (directive) => titled(directive, ':'),
  'group-tab': (directive) => titled(directive, ':'),
  'tab-item': (directive) => titled(directive, ':'),
  'code-tab': readCodeTab,
  'group-code-tab': readCodeTab,
  tabs: blocksOf,
  'tab-set': blocksOf,
  'tab-set-code': blocksOf,
  'content-tabs': blocksOf,
  grid: blocksOf,
  'grid-item': blocksOf,
  'card-carousel': blocksOf,
  container: blocksOf,
  compound: wholeOf,
  epigraph: wholeOf,
  highlights: wholeOf,
  'pull-quote': wholeOf,
  hlist: blocksOf,
  rubric: (directive) =>
    directive.argument === ''
      ? []
      : [
          element('p', [element('strong', inlineOf(directive.argument, directive.document))]),
          ...blocksOf(directive),
        ],
  centered: (directive) => [
    element('p', [element('strong', inlineOf(directive.argument, directive.document))]),
  ],
  glossary: readGlossary,
  todo: ({ document }) => {
    count(document, 'todo');
    return [];
  },
};
