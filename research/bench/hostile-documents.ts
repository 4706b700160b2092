import { crc32, deflateRawSync, constants as zlib } from 'node:zlib';

/** A file that a careless reader takes too long or too much memory for. */
export interface HostileDocument {
  name: string;
  /** Its ending tells the format. */
  ending: string;
  content: () => string | Uint8Array;
}

/** UTF-16 units of a text, and bytes of what a document holds as text. */
const LENGTH = 500_000;

const repeated = (piece: string, length = LENGTH): string =>
  piece.repeat(Math.ceil(length / piece.length));
const numbered = (count: number, write: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => write(n)).join('');

const text = (
  ending: string,
  texts: Readonly<Record<string, string | (() => string)>>,
): HostileDocument[] =>
  Object.entries(texts).map(([name, piece]) => ({
    name,
    ending,
    content: () => (typeof piece === 'string' ? repeated(piece) : piece()),
  }));

const MARKDOWN = text('md', {
  paragraphs: 'a\n\n',
  headings: '# a\n',
  'headings below each other': '# a\n\nb\n\n',
  items: '- a\n',
  'lines in an item': () => `- a\n${repeated('  a\n')}`,
  'rows of a table': () => `|a|b|\n|-|-|\n${repeated('|a|b|\n')}`,
  'cells of a row': () => `|a|b|\n|-|-|\n${repeated('|a')}|\n`,
  'columns of a table': () => `${repeated('|a', LENGTH / 2)}|\n${repeated('|-', LENGTH / 2)}|\n`,
  quotes: '> a\n\n',
  'deep quotes': '>',
  fences: '```\na\n```\n',
  'links to one long address': () =>
    `[a]: https://a.example/${'b'.repeat(1900)}\n\n${repeated(`${'[a] '.repeat(10)}\n`)}`,
  definitions: () => numbered(40_000, (n) => `[a${n}]: /b\n`),
  'terms and definitions': 'a\n: b\n\n',
  'attributes of a tag': () => `<p ${numbered(70_000, (n) => `a${n} `)}>b</p>\n`,
  'attributes of a tag in a line': () => `b <i ${numbered(70_000, (n) => `a${n} `)}>b</i>\n`,
  'a long attribute': () => `<p title="${repeated('a ')}">b</p>\n`,
  'a cell that covers many rows': () =>
    `<table><tr><td rowspan=1900>${repeated('a ', LENGTH - 20_000)}<td>b${'<tr><td>b'.repeat(1900)}</table>\n`,
  'one word': 'a',
  'one line': 'a ',
  emphasis: '*a* ',
  'open emphasis': '*a ',
  entities: '&amp;',
  breaks: 'a\\\n',
  notes: () => numbered(20_000, (n) => `a[^${n}]\n\n[^${n}]: b\n\n`),
  containers: ':::note\na\n:::\n',
  'containers in each other': ':::note\n',
  tabs: '=== "a"\n\n    b\n\n',
  notices: '! a\n\n',
  'tags in brackets': '[a b="c"]d[/a] ',
  'tags in brackets that another one closes': () =>
    `${repeated('[a] ', LENGTH / 2)}[/a][b]${repeated('[/b] ', LENGTH / 2)}`,
  'attributes of tags in brackets': () => `[/a]${repeated('[a b=c d=')}`,
  'code in brackets': '[code]\na\n[/code]\n',
  'code in brackets without an end': () => `[/code]\n${repeated('[code]\n')}`,
  'loose marks of emphasis': '**a ',
  'aliases in front matter': () =>
    `---\na: &a [b, b]\n${numbered(300, (n) => `a${n}: &a${n} [${`*a${n === 0 ? '' : n - 1}, `.repeat(9)}]\n`)}---\n\nText.\n`,
  'depth in front matter': () => `---\na: ${'['.repeat(8000)}${']'.repeat(8000)}\n---\n\nText.\n`,
  'keys of one letter in front matter': () => `---\n${repeated('a:\n', 16_000)}---\n\nText.\n`,
  'tables in each other in TOML': () => `+++\n[${'a.'.repeat(8000)}a]\n+++\n\nText.\n`,
  'keys in each other in TOML': () =>
    `+++\n${numbered(100, (n) => `${'a.'.repeat(70)}a${n} = 1\n`)}+++\n\nText.\n`,
  'lists in each other in TOML': () => `+++\na = ${'['.repeat(8000)}\n+++\n\nText.\n`,
  'depth in front matter of JSON': () =>
    `{\n"a": ${'['.repeat(8000)}${']'.repeat(8000)}\n}\n\nText.\n`,
});

const MDX = text('mdx', {
  components: '<A>b</A>\n',
  'components in each other': '<A>\n',
  'elements with Markdown': '<div>\n*a*\n</div>\n',
  'elements in each other': '<div>\n',
  braces: '{',
  'a long constant in many places': () =>
    `export const a = '${'b'.repeat(1000)}';\n\n${repeated('{a} ')}`,
  exports: 'export const a = 1;\n\n',
});

const HTML = text('html', {
  depth: '<div>',
  'depth of lists': '<ul><li>',
  'depth of tables': '<table><tr><td>',
  'attributes of a tag': () => `<p ${numbered(70_000, (n) => `a${n} `)}>b</p>`,
  'the same attribute': () => `<p ${repeated('a ')}>b</p>`,
  'attributes of many tags': () => numbered(9000, () => `<p ${'a b c d e f '.repeat(4)}>b`),
  'a long attribute': () => `<p title="${repeated('a ')}">b</p>`,
  'a long class': () => `<p class="${repeated('a ')}">b</p>`,
  'a long style': () => `<p style="${repeated('a:b;')}">b</p>`,
  'a cell that covers many rows': () =>
    `<table><tr><td rowspan=1900>${repeated('a ', LENGTH - 20_000)}<td>b${'<tr><td>b'.repeat(1900)}</table>`,
  'a cell of many elements that covers many rows': () =>
    `<table><tr><td rowspan=1900>${'<b>a</b> '.repeat(5000)}<td>b${'<tr><td>b'.repeat(1900)}</table>`,
  'cells that cover many columns': () => `<table>${'<tr><td colspan=1000>a'.repeat(9000)}</table>`,
  'empty elements': '<p></p>',
  entities: '&amp;',
  'one line': 'a ',
  'one word': 'a',
  'lines of code': () => `<pre>${repeated('a\n')}</pre>`,
  comments: '<!---->',
  'options of a choice': () => `<select>${'<option>a'.repeat(9900)}</select>`,
  'XML declaration': () =>
    `<?xml version="1.0"?><!DOCTYPE a [${repeated('<!ENTITY a "b">')}]><p>&a;</p>`,
});

const PLAIN = text('txt', {
  lines: 'a\n',
  paragraphs: 'a\n\n',
  items: '- a\n',
  'one line': 'a ',
  'underlined lines': 'a\n-\n\n',
  columns: 'a    b\n',
});

const ASCIIDOC = text('adoc', {
  paragraphs: 'a\n\n',
  'one line': 'a ',
  'one word': 'a',
  dots: '.',
  'dots and spaces': '. ',
  'lines of dots': '.\n',
  'titles of blocks': '.a\n',
  formulas: 'stem:[a] ',
  'formulas begun': 'stem:[',
  passes: 'pass:[a] ',
  macros: 'kbd:[a] ',
  links: 'link:a[b] ',
  addresses: 'https://a.example ',
  notes: 'footnote:[a] ',
  references: '<<a>> ',
  anchors: '[[a]] ',
  'one long attribute in many places': () =>
    `:a: ${'b'.repeat(3900)}\n\n${repeated(`${'{a} '.repeat(10)}\n`)}`,
  'attributes that hold each other': () =>
    `:a0: bbbbbbbbbb\n${numbered(9, (n) => `:a${n + 1}: ${`{a${n}}`.repeat(9)}\n`)}\n${repeated('{a9} ')}`,
  sections: '== a\n\nb\n\n',
  items: '* a\n',
  'deep items': () => numbered(400, (n) => `${'*'.repeat(n + 1)} a\n`),
  'numbered items': '. a\n',
  terms: 'a:: b\n',
  'terms in each other': 'a:: b\nc::: d\ne:::: f\n',
  'cells of a table': () => `|===\n${repeated('|a ')}\n|===\n`,
  'cells of AsciiDoc': () => `[cols="1a"]\n|===\n${repeated('|a\n')}|===\n`,
  'cells that cover rows': () => `|===\n${repeated('.9+|a\n')}|===\n`,
  blocks: '----\na\n----\n\n',
  'open blocks': '--\na\n--\n\n',
  quotes: '____\na\n____\n\n',
  notices: 'NOTE: a\n\n',
  emphasis: '*a* ',
  'open emphasis': '*a ',
  code: '`a` ',
  'open code': '`a ',
  'marks of passing': '+a+ ',
  'open marks of passing': '+a ',
  highlights: '#a# ',
  superscripts: '^a^ ',
  backslashes: '\\',
  callouts: () => `----\n${repeated('a <1>\n')}----\n`,
  conditions: 'ifdef::a[]\nb\nendif::[]\n',
  comments: '// a\n',
  entities: '&amp;',
  arrows: '-> ',
  dashes: 'a -- b ',
  ellipses: 'a...',
  apostrophes: "a'b ",
  brackets: '[',
  'attribute lists': '[a]\n',
});

const RST = text('rst', {
  paragraphs: 'a\n\n',
  'one line': 'a ',
  'one word': 'a',
  sections: 'a\n=\n\n',
  items: '- a\n',
  roles: ':a:`b` ',
  'roles begun': ':a:`b ',
  emphasis: '*a* ',
  'open emphasis': '*a ',
  code: '``a`` ',
  'open code': '``a ',
  references: 'a_ ',
  'anonymous references': '`a`__ ',
  substitutions: '|a| ',
  notes: '[#]_ ',
  directives: '.. note::\n\n   a\n\n',
  'directives in each other': () => numbered(600, (n) => `${' '.repeat(n)}.. note::\n\n`),
  targets: () => numbered(40_000, (n) => `.. _a${n}: b\n`),
  comments: '.. a\n\n',
  fields: ':a: b\n',
  options: '-a  b\n',
  'deep items': () => numbered(900, (n) => `${' '.repeat(n)}- a\n\n`),
  'deep quotes': () => numbered(900, (n) => `${' '.repeat(n)}a\n\n`),
  'rows of a table': () => `== ==\na  b\n== ==\n${repeated('a  b\n')}== ==\n`,
  'rows of a drawn table': () => `+-+-+\n${repeated('|a|b|\n+-+-+\n')}`,
  'columns of a drawn table': () => {
    const line = `+${'-+'.repeat(80_000)}\n`;
    return `${line}|${'a|'.repeat(80_000)}\n${line}`;
  },
  'a long line of a table': () => `${repeated('=')} =\na\n${repeated('=')} =\n`,
  'a long title': () => `${repeated('a')}\n${repeated('=')}\n`,
  'lines of a block': '| a\n',
  terms: 'a\n  b\n',
  backslashes: '\\',
  'lists in tables': '.. list-table::\n\n   * - a\n     - b\n\n',
  'tables of CSV': () => `.. csv-table::\n\n${repeated('   a,b\n')}`,
});

const CSV = text('csv', {
  'empty cells': ',',
  'empty rows': ',,,,,,,,,\n',
  'quotation marks': '"',
  'pairs of quotation marks': '""',
  'quotation marks after a cell': 'a"',
  'open fields': 'a,"b\n',
  'quoted cells': '"a",',
  'one line': 'a ',
  'cells of a row': 'a,',
  rows: 'a,b\n',
  'lines without a separator': () => `a;b\n${repeated('a\n')}`,
  'rows of text': () => `a,b\n${repeated(`${'a '.repeat(300)},b\n`)}`,
  'a long header above many rows': () =>
    `a,${'b'.repeat(100_000)}\n${repeated(`${'a '.repeat(10)},b\n`)}`,
  'rows of tags': () => `a,b\n${repeated(`${'<b>a</b> '.repeat(50)},b\n`)}`,
  separators: ';\t|,',
});

const lines = (source: string): string[] => source.split('\n').map((line) => `${line}\n`);
const markdownCell = (source: string): unknown => ({
  cell_type: 'markdown',
  metadata: {},
  source: lines(source),
});
const codeCell = (outputs: unknown[], source = 'a'): unknown => ({
  cell_type: 'code',
  metadata: {},
  source,
  outputs,
});
const notebook = (...cells: unknown[]): string =>
  JSON.stringify({ nbformat: 4, metadata: {}, cells });
const html = (table: string): unknown => ({
  output_type: 'display_data',
  data: { 'text/html': table },
});

const NOTEBOOKS = text('ipynb', {
  depth: () => `{"cells": ${'['.repeat(LENGTH / 2)}${']'.repeat(LENGTH / 2)}}`,
  'depth in an output': () =>
    `{"cells": [{"cell_type": "code", "source": "a", "outputs": [{"output_type": "display_data", "data": {"text/plain": ${'['.repeat(200_000)}${']'.repeat(200_000)}}}]}]}`,
  'empty cells': () => notebook(...Array.from({ length: 10_000 }, () => markdownCell(''))),
  'cells of text': () => notebook(...Array.from({ length: 8000 }, () => markdownCell('# a'))),
  'cells of code': () => notebook(...Array.from({ length: 8000 }, () => codeCell([]))),
  'a huge output': () =>
    notebook(codeCell([{ output_type: 'stream', name: 'stdout', text: repeated('a ') }])),
  'outputs of a cell': () =>
    notebook(
      codeCell(
        Array.from({ length: 8000 }, () => ({ output_type: 'stream', name: 'stdout', text: 'a' })),
      ),
    ),
  'tables of outputs': () =>
    notebook(
      ...Array.from({ length: 60 }, () =>
        codeCell([html(`<table>${'<tr><td>a<td>b'.repeat(500)}</table>`)]),
      ),
    ),
  'kinds of an output': () =>
    notebook(
      codeCell([
        {
          output_type: 'display_data',
          data: Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`a${n}`, ''])),
        },
      ]),
    ),
  'text of marks': () => notebook(markdownCell(repeated('*a '))),
});

const api = (parts: object): string =>
  JSON.stringify({ openapi: '3.1.0', info: { title: 'A' }, ...parts });
const operation = (schema: unknown): object => ({
  responses: { 200: { description: 'a', content: { 'application/json': { schema } } } },
});
const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const manyTimes = <T>(count: number, each: T): T[] => Array.from({ length: count }, () => each);
/** Each schema holds the next one several times. */
const chain = (levels: number, write: (next: object) => object): object =>
  Object.fromEntries(
    Array.from({ length: levels }, (_, n) => [`A${n}`, write(reference(`A${n + 1}`))]),
  );

const INTERFACES = [
  ...text('json', {
    operations: () =>
      api({
        paths: Object.fromEntries(
          Array.from({ length: 10_000 }, (_, n) => [`/a${n}`, { get: {} }]),
        ),
      }),
    'operations on one large body': () =>
      api({
        components: {
          schemas: {
            A: {
              properties: Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`a${n}`, {}])),
            },
          },
        },
        paths: Object.fromEntries(
          Array.from({ length: 3000 }, (_, n) => [`/a${n}`, { get: operation(reference('A')) }]),
        ),
      }),
    'references to themselves': () =>
      api({
        components: {
          schemas: {
            A: { allOf: [reference('A'), reference('B')] },
            B: { anyOf: [reference('A')] },
          },
        },
        paths: Object.fromEntries(
          Array.from({ length: 3000 }, (_, n) => [`/a${n}`, { get: operation(reference('A')) }]),
        ),
      }),
    'parts that hold many parts': () =>
      api({
        components: { schemas: chain(8, (next) => ({ allOf: manyTimes(1000, next) })) },
        paths: { '/a': { get: operation(reference('A0')) } },
      }),
    'choices that hold many choices': () =>
      api({
        components: {
          schemas: chain(8, (next) => ({ oneOf: manyTimes(1000, { oneOf: manyTimes(8, next) }) })),
        },
        paths: {
          '/a': {
            get: operation({
              properties: Object.fromEntries(
                Array.from({ length: 150 }, (_, n) => [
                  `a${n}`,
                  {
                    oneOf: manyTimes(8, {
                      oneOf: manyTimes(8, { oneOf: manyTimes(8, reference('A0')) }),
                    }),
                  },
                ]),
              ),
            }),
          },
        },
      }),
    'deep parts': () =>
      `{"openapi":"3.1.0","info":{"title":"A"},"paths":{"/a":{"get":{"responses":{"200":{"description":"a","content":{"application/json":{"schema":${'{"allOf":['.repeat(20_000)}{}${']}'.repeat(20_000)}}}}}}}}}`,
    'a deep example': () =>
      `{"openapi":"3.1.0","info":{"title":"A"},"paths":{"/a":{"get":{"responses":{"200":{"description":"a","content":{"application/json":{"example":${'['.repeat(100_000)}${']'.repeat(100_000)}}}}}}}}}`,
    'a long description in many places': () =>
      api({
        components: {
          responses: { A: { description: 'a *b* '.repeat(16_000) } },
          parameters: {
            P: { name: 'p', in: 'query', description: 'a *b* '.repeat(300), schema: {} },
          },
        },
        paths: Object.fromEntries(
          Array.from({ length: 2000 }, (_, n) => [
            `/a${n}`,
            {
              get: {
                parameters: manyTimes(5, { $ref: '#/components/parameters/P' }),
                requestBody: { $ref: '#/components/responses/A' },
                responses: { 200: { $ref: '#/components/responses/A' } },
              },
            },
          ]),
        ),
      }),
    'a long text': () => api({ info: { title: 'A', description: repeated('*a ') } }),
  }),
  ...text('yaml', {
    'aliases of aliases in an example': () =>
      `openapi: 3.1.0\ninfo: {title: A}\na0: &a0 [b, b]\n${numbered(9, (n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]\n`)}paths:\n  /a: {get: {responses: {'200': {description: a, content: {application/json: {example: *a9}}}}}}\n`,
    depth: () => `openapi: 3.1.0\ninfo: {title: A}\na: ${'['.repeat(100_000)}\n`,
    'keys of one map': () =>
      `openapi: 3.1.0\ninfo: {title: A}\n${numbered(40_000, (n) => `a${n}: b\n`)}`,
    'merged maps': () =>
      `openapi: 3.1.0\ninfo: {title: A}\na0: &a0 {${numbered(2000, (n) => `k${n}: 1, `)}}\n${numbered(3000, (n) => `b${n}: {<<: *a0}\n`)}`,
  }),
];

/** A part of a zip file: its name and what is in it. `size`: what the file says that it unpacks to. */
interface ZipPart {
  name: string;
  content: string | Uint8Array | Packed;
  size?: number;
}

/** Deflated content, which need not be held as it unpacks. */
interface Packed {
  packed: Buffer;
  length: number;
}

/** Megabytes of one character, deflated. */
const packedOf = (character: string, megabytes: number, before = '', after = ''): Packed => {
  const flush = { finishFlush: zlib.Z_FULL_FLUSH };
  const block = deflateRawSync(Buffer.alloc(2 ** 20, character), flush);
  const packed = Buffer.concat([
    deflateRawSync(Buffer.from(before), flush),
    ...manyTimes(megabytes, block),
    deflateRawSync(Buffer.from(after)),
  ]);
  return { packed, length: before.length + after.length + megabytes * 2 ** 20 };
};

const isPacked = (content: ZipPart['content']): content is Packed =>
  typeof content === 'object' && 'packed' in content;

/** A zip file (APPNOTE 4.3). */
const zipOf = (parts: readonly ZipPart[]): Buffer => {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const { name, content, size } of parts) {
    const bytes = isPacked(content) ? undefined : Buffer.from(content);
    const packed = isPacked(content) ? content.packed : deflateRawSync(bytes ?? '', { level: 1 });
    const length = size ?? (isPacked(content) ? content.length : (bytes?.length ?? 0));
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(8, 4);
    header.writeUInt32LE(bytes === undefined ? 0 : crc32(bytes), 10);
    header.writeUInt32LE(packed.length, 14);
    header.writeUInt32LE(length, 18);
    header.writeUInt16LE(Buffer.byteLength(name), 22);
    locals.push(Buffer.from('PK\x03\x04'), header, Buffer.from(name), packed);
    const place = Buffer.alloc(16);
    place.writeUInt32LE(offset, 12);
    entries.push(Buffer.from('PK\x01\x02\x14\x00'), header, place.subarray(2), Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + packed.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Math.min(parts.length, 65_535), 4);
  end.writeUInt16LE(Math.min(parts.length, 65_535), 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end]);
};

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const TYPES = (kind: string, part: string): ZipPart => ({
  name: '[Content_Types].xml',
  content: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${kind}+xml"/></Types>`,
});
const RELATIONS = (
  name: string,
  ...relations: [id: string, type: string, target: string][]
): ZipPart => ({
  name,
  content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations
    .map(
      ([id, type, target]) =>
        `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`,
});

const word = (content: ZipPart['content'], ...more: ZipPart[]): Buffer =>
  zipOf([
    TYPES('wordprocessingml.document.main', 'word/document.xml'),
    RELATIONS('_rels/.rels', ['r1', 'officeDocument', 'word/document.xml']),
    RELATIONS(
      'word/_rels/document.xml.rels',
      ['s', 'styles', 'styles.xml'],
      ['f', 'footnotes', 'footnotes.xml'],
    ),
    { name: 'word/document.xml', content },
    ...more,
  ]);
const body = (xml: string, before = ''): string =>
  `${before}<w:document ${WORD}><w:body>${xml}</w:body></w:document>`;
const paragraph = '<w:p><w:r><w:t>a</w:t></w:r></w:p>';
const entities = (most: number): string =>
  `<!DOCTYPE a [<!ENTITY e0 "bbbbbbbbbb">${numbered(most, (n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`)}]>`;
const MEGABYTE = 2 ** 20;

const DOCX = (
  [
    ['a part that unpacks to a gigabyte', () => word(packedOf(' ', 1024, body('').slice(0, -10)))],
    [
      'an image that unpacks to a gigabyte',
      () => word(body(paragraph), { name: 'word/media/a.png', content: packedOf('a', 1024) }),
    ],
    [
      'a part that says it has a kilobyte',
      () =>
        word(packedOf(' ', 1024, body('').slice(0, -10)), { name: 'a', content: '', size: 1000 }),
    ],
    [
      '60,000 parts',
      () =>
        word(
          body(paragraph),
          ...Array.from({ length: 60_000 }, (_, n) => ({ name: `a${n}.xml`, content: '' })),
        ),
    ],
    [
      'a document in a document',
      () =>
        word(body(paragraph), {
          name: 'word/embeddings/a.docx',
          content: word(packedOf(' ', 512, body('').slice(0, -10))),
        }),
    ],
    [
      'entities in the text',
      () => word(body('<w:p><w:r><w:t>&e9;</w:t></w:r></w:p>', entities(9))),
    ],
    [
      'entities in the properties',
      () =>
        word(body(paragraph), {
          name: 'docProps/core.xml',
          content: `${entities(9)}<cp:coreProperties><dc:title>&e9;</dc:title></cp:coreProperties>`,
        }),
    ],
    [
      'a tag begun many times in the properties',
      () => word(body(paragraph), { name: 'docProps/core.xml', content: '<a '.repeat(LENGTH) }),
    ],
    [
      'depth of the properties',
      () => word(body(paragraph), { name: 'docProps/core.xml', content: '<a>'.repeat(LENGTH) }),
    ],
    [
      'depth',
      () =>
        word(
          body(
            `${'<w:sdt><w:sdtContent>'.repeat(20_000)}${'</w:sdtContent></w:sdt>'.repeat(20_000)}`,
          ),
        ),
    ],
    [
      'an attribute of a megabyte',
      () => word(body(`<w:p w:a="${'a'.repeat(MEGABYTE)}"><w:r><w:t>a</w:t></w:r></w:p>`)),
    ],
    [
      'attributes of an element',
      () =>
        word(body(`<w:p ${numbered(100_000, (n) => `w:a${n}="" `)}><w:r><w:t>a</w:t></w:r></w:p>`)),
    ],
    ['empty paragraphs', () => word(body(`${paragraph}${'<w:p/>'.repeat(MEGABYTE)}`))],
    [
      'empty runs',
      () => word(body(`<w:p>${'<w:r/>'.repeat(MEGABYTE)}<w:r><w:t>a</w:t></w:r></w:p>`)),
    ],
    ['unknown elements', () => word(body(`${paragraph}${'<a/>'.repeat(MEGABYTE)}`))],
    ['tabs', () => word(body(`<w:p><w:r>${'<w:tab/>'.repeat(MEGABYTE)}<w:t>a</w:t></w:r></w:p>`))],
    ['paragraphs', () => word(body(paragraph.repeat(LENGTH / 4)))],
    [
      'runs to repair',
      () =>
        word(
          body(
            `<w:p>${'<w:r><w:rPr><w:dstrike/></w:rPr><w:t>a</w:t></w:r>'.repeat(LENGTH / 8)}</w:p>`,
          ),
        ),
    ],
    [
      'tables in each other',
      () =>
        word(
          body(
            `${'<w:tbl><w:tr><w:tc>'.repeat(300)}${paragraph}${'</w:tc></w:tr></w:tbl>'.repeat(300)}`,
          ),
        ),
    ],
    [
      'cells',
      () =>
        word(
          body(
            `<w:tbl>${`<w:tr>${`<w:tc>${paragraph}</w:tc>`.repeat(50)}</w:tr>`.repeat(2000)}</w:tbl>`,
          ),
        ),
    ],
    [
      'a cell that covers a million columns',
      () =>
        word(
          body(
            `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000"/></w:tcPr>${paragraph}</w:tc></w:tr><w:tr><w:tc>${paragraph}</w:tc></w:tr></w:tbl>`,
          ),
        ),
    ],
    [
      'styles that are not closed',
      () =>
        word(body(`<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>b</w:t></w:r></w:p>${paragraph}`), {
          name: 'word/styles.xml',
          content: `<w:styles ${WORD}>${'<w:style w:styleId="a">'.repeat(LENGTH / 25)}`,
        }),
    ],
    [
      'styles',
      () =>
        word(body(paragraph), {
          name: 'word/styles.xml',
          content: `<w:styles ${WORD}>${numbered(LENGTH / 50, (n) => `<w:style w:styleId="a${n}"><w:name w:val="b"/></w:style>`)}</w:styles>`,
        }),
    ],
    [
      'notes',
      () =>
        word(
          body(
            numbered(5000, (n) => `<w:p><w:r><w:footnoteReference w:id="${n + 2}"/></w:r></w:p>`),
          ),
          {
            name: 'word/footnotes.xml',
            content: `<w:footnotes ${WORD}>${numbered(5000, (n) => `<w:footnote w:id="${n + 2}">${paragraph}</w:footnote>`)}</w:footnotes>`,
          },
        ),
    ],
    [
      'emphasis in words',
      () =>
        word(
          body(
            `<w:p>${'<w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r><w:r><w:t>a</w:t></w:r>'.repeat(LENGTH / 10)}</w:p>`,
          ),
        ),
    ],
  ] satisfies [string, () => Buffer][]
).map(([name, content]): HostileDocument => ({ name, ending: 'docx', content }));

const SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const sheets = (
  xmls: (string | Packed)[],
  strings: string | Packed = '',
  styles = '',
  before = '',
): Buffer =>
  zipOf([
    TYPES('spreadsheetml.sheet.main', 'xl/workbook.xml'),
    RELATIONS(
      'xl/_rels/workbook.xml.rels',
      ...xmls.map((_, n): [string, string, string] => [
        `r${n}`,
        'worksheet',
        `worksheets/s${n}.xml`,
      ]),
    ),
    {
      name: 'xl/workbook.xml',
      content: `<workbook ${SHEET} xmlns:r="r"><sheets>${xmls.map((_, n) => `<sheet name="S${n}" r:id="r${n}"/>`).join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/sharedStrings.xml',
      content: typeof strings === 'string' ? `<sst ${SHEET}>${strings}</sst>` : strings,
    },
    { name: 'xl/styles.xml', content: `<styleSheet ${SHEET}>${styles}</styleSheet>` },
    ...xmls.map((xml, n) => ({
      name: `xl/worksheets/s${n}.xml`,
      content: typeof xml === 'string' ? `${before}<worksheet ${SHEET}>${xml}</worksheet>` : xml,
    })),
  ]);
const FILLED = '<row><c t="str"><v>a</v></c><c t="str"><v>b</v></c></row>';
const filled = (rows: number): string => `<sheetData>${FILLED.repeat(rows)}</sheetData>`;

const XLSX = (
  [
    [
      'a sheet that unpacks to a gigabyte',
      () => sheets([packedOf(' ', 1024, `<worksheet ${SHEET}>`)]),
    ],
    [
      'a million empty cells',
      () => sheets([`<sheetData><row>${'<c/>'.repeat(MEGABYTE)}</row>${FILLED}</sheetData>`]),
    ],
    [
      'a million empty rows',
      () => sheets([`<sheetData>${FILLED}${'<row/>'.repeat(MEGABYTE)}${FILLED}</sheetData>`]),
    ],
    [
      'a million hidden rows',
      () =>
        sheets([
          `<sheetData>${FILLED}${'<row hidden="1"/>'.repeat(MEGABYTE)}${FILLED}</sheetData>`,
        ]),
    ],
    [
      'cells below each other',
      () =>
        sheets([
          `<sheetData>${numbered(20_000, (n) => `<row r="${n * 50 + 1}"><c r="GR1" t="str"><v>a</v></c></row>`)}</sheetData>`,
        ]),
    ],
    [
      'rows far apart',
      () =>
        sheets([
          `<sheetData>${numbered(5000, (n) => `<row r="${n * 200_000 + 1}"><c t="str"><v>a</v></c></row>`)}</sheetData>`,
        ]),
    ],
    ['a million strings', () => sheets([filled(2)], '<si/>'.repeat(MEGABYTE))],
    [
      'runs of a string',
      () => sheets([filled(2)], `<si>${'<r><t>a</t></r>'.repeat(MEGABYTE / 4)}</si>`),
    ],
    [
      'a string in many cells',
      () =>
        sheets(
          [
            `<sheetData>${`<row>${'<c t="s"><v>0</v></c>'.repeat(20)}</row>`.repeat(5000)}</sheetData>`,
          ],
          `<si><t>${'a'.repeat(30_000)}</t></si>`,
        ),
    ],
    [
      'hidden columns',
      () =>
        sheets([
          `<cols>${'<col min="3" max="200" hidden="1"/>'.repeat(200_000)}</cols>${filled(2)}`,
        ]),
    ],
    [
      'merged cells',
      () =>
        sheets([
          `${filled(5000)}<mergeCells>${'<mergeCell ref="A1:AX1000"/>'.repeat(5000)}</mergeCells>`,
        ]),
    ],
    [
      'long merged cells',
      () =>
        sheets([
          `<sheetData><row><c t="str"><v>${'a'.repeat(100_000)}</v></c><c t="str"><v>b</v></c></row>${FILLED.repeat(1000)}</sheetData><mergeCells><mergeCell ref="A1:AX1000"/></mergeCells>`,
        ]),
    ],
    [
      'an attribute of a megabyte',
      () =>
        sheets([
          `<sheetData><row a="${'a'.repeat(MEGABYTE)}"><c t="str"><v>a</v></c></row></sheetData>`,
        ]),
    ],
    [
      'attributes of an element',
      () =>
        sheets([
          `<sheetData><row ${numbered(100_000, (n) => `a${n}="" `)}><c t="str"><v>a</v></c></row></sheetData>`,
        ]),
    ],
    [
      'a cell of a megabyte',
      () =>
        sheets([
          `<sheetData><row><c t="str"><v>${'a '.repeat(MEGABYTE / 2)}</v></c></row></sheetData>`,
        ]),
    ],
    [
      'pieces of a cell',
      () =>
        sheets([
          `<sheetData><row><c t="inlineStr"><is>${'<r><t>a</t></r>'.repeat(MEGABYTE / 4)}</is></c></row></sheetData>`,
        ]),
    ],
    ['depth', () => sheets([`<sheetData>${'<a>'.repeat(MEGABYTE)}`])],
    [
      'entities',
      () =>
        sheets(
          [`<sheetData><row><c t="str"><v>&e9;</v></c></row></sheetData>`],
          '',
          '',
          entities(9),
        ),
    ],
    [
      'styles',
      () =>
        sheets(
          [filled(2)],
          '',
          `<numFmts><numFmt numFmtId="164" formatCode="${'#,'.repeat(120)}"/></numFmts><cellXfs>${'<xf numFmtId="164"/>'.repeat(200_000)}</cellXfs>`,
        ),
    ],
    [
      'formats',
      () =>
        sheets(
          [
            `<sheetData>${numbered(20_000, (n) => `<row><c s="${n % 1000}"><v>${n}.5</v></c></row>`)}</sheetData>`,
          ],
          '',
          `<numFmts>${numbered(1000, (n) => `<numFmt numFmtId="${200 + n}" formatCode="${'[Red]#,##0.00;'.repeat(12)}&quot;${n}&quot;"/>`)}</numFmts><cellXfs>${numbered(1000, (n) => `<xf numFmtId="${200 + n}"/>`)}</cellXfs>`,
        ),
    ],
    ['many sheets', () => sheets(manyTimes(2000, filled(20)))],
    [
      'wide rows',
      () =>
        sheets([
          `<sheetData>${`<row>${'<c><v>1</v></c>'.repeat(200)}</row>`.repeat(3000)}</sheetData>`,
        ]),
    ],
  ] satisfies [string, () => Buffer][]
).map(([name, content]): HostileDocument => ({ name, ending: 'xlsx', content }));

/** A PDF of these objects, the first of them its catalogue. */
const pdfOfObjects = (
  objects: readonly (string | Buffer)[],
  { trailer = '', xref = true } = {},
): Buffer => {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: string[] = [];
  let length = 9;
  const add = (part: string | Buffer): void => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    parts.push(bytes);
    length += bytes.length;
  };
  for (const [at, object] of objects.entries()) {
    offsets.push(`${String(length).padStart(10, '0')} 00000 n \n`);
    add(`${at + 1} 0 obj\n`);
    add(object);
    add('\nendobj\n');
  }
  const start = length;
  if (xref) add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`);
  add(
    `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${xref ? start : 7}\n%%EOF\n`,
  );
  return Buffer.concat(parts);
};

const stream = (content: string | Buffer, dictionary = ''): Buffer => {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
  return Buffer.concat([
    Buffer.from(`<< /Length ${bytes.length} ${dictionary} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
};
const flate = ({ packed }: Packed, dictionary = ''): Buffer =>
  stream(Buffer.concat([Buffer.from([0x78, 0x9c]), packed]), `/Filter /FlateDecode ${dictionary}`);
const deflated = (content: string, dictionary = ''): Buffer =>
  stream(
    Buffer.concat([Buffer.from([0x78, 0x9c]), deflateRawSync(content, { level: 1 })]),
    `/Filter /FlateDecode ${dictionary}`,
  );

const CATALOGUE = '<< /Type /Catalog /Pages 2 0 R >>';
const PAGES = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';
const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const page = (contents = '4 0 R', resources = '', parent = '2 0 R'): string =>
  `<< /Type /Page /Parent ${parent} /MediaBox [0 0 600 800] /Contents ${contents} /Resources << /Font << /F 5 0 R >> ${resources} >> >>`;
/** One page with this content. */
const onePage = (content: string | Buffer, resources = '', ...more: (string | Buffer)[]): Buffer =>
  pdfOfObjects([
    CATALOGUE,
    PAGES,
    page('4 0 R', resources),
    typeof content === 'string' ? deflated(content) : content,
    FONT,
    ...more,
  ]);
const shown = (words: string): string => `BT /F 10 Tf 1 0 0 1 50 700 Tm (${words}) Tj ET`;

const PDF = (
  [
    ['a content that unpacks to a gigabyte', () => onePage(flate(packedOf(' ', 1024, shown('a'))))],
    [
      'a million operators',
      () => onePage(`BT /F 10 Tf 1 0 0 1 50 700 Tm ${'(a) Tj '.repeat(MEGABYTE)} ET`),
    ],
    [
      'a million lines',
      () =>
        onePage(
          `BT /F 10 Tf ${numbered(MEGABYTE / 8, (n) => `1 0 0 1 ${n % 500} ${n % 797} Tm (a) Tj `)} ET`,
        ),
    ],
    ['a million states', () => onePage(`${'q '.repeat(MEGABYTE)}${shown('a')}`)],
    [
      'a million states on the second of three pages',
      () =>
        pdfOfObjects([
          CATALOGUE,
          '<< /Type /Pages /Kids [6 0 R 7 0 R 8 0 R] /Count 3 >>',
          deflated(shown('before')),
          deflated('q '.repeat(MEGABYTE)),
          FONT,
          ...['3 0 R', '4 0 R', '9 0 R'].map((content) => page(content)),
          deflated(shown('behind')),
        ]),
    ],
    ['a million paths', () => onePage(`${'0 0 1 1 re f '.repeat(MEGABYTE)}${shown('a')}`)],
    ['a million names', () => onePage(`${'/F 10 Tf '.repeat(MEGABYTE)}${shown('a')}`)],
    ['an operand of a megabyte', () => onePage(`${'[ '.repeat(MEGABYTE)}${shown('a')}`)],
    ['one text of a megabyte', () => onePage(shown('a '.repeat(MEGABYTE / 2)))],
    [
      'a form in itself',
      () =>
        onePage(
          `${shown('a')} /X Do`,
          '/XObject << /X 6 0 R >>',
          stream(
            `${shown('b')} /X Do`,
            '/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >>',
          ),
        ),
    ],
    [
      'forms that hold each other',
      () =>
        onePage(
          '/X Do',
          '/XObject << /X 6 0 R >>',
          ...Array.from({ length: 9 }, (_, n) =>
            stream(
              n === 8 ? shown('b') : '/X Do '.repeat(10),
              `/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /Font << /F 5 0 R >> /XObject << /X ${n + 7} 0 R >> >>`,
            ),
          ),
        ),
    ],
    [
      'a deep tree of pages',
      () => {
        const levels = 5000;
        const kids = Array.from(
          { length: levels },
          (_, n) =>
            `<< /Type /Pages /Count 1 /Kids [${n + 7} 0 R] /Parent ${n === 0 ? 2 : n + 5} 0 R >>`,
        );
        return pdfOfObjects([
          CATALOGUE,
          '<< /Type /Pages /Kids [6 0 R] /Count 1 >>',
          'null',
          deflated(shown('a')),
          FONT,
          ...kids,
          page('4 0 R', '', `${levels + 5} 0 R`),
        ]);
      },
    ],
    [
      'a tree of pages that holds itself',
      () =>
        pdfOfObjects([
          CATALOGUE,
          '<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >>',
          page(),
          deflated(shown('a')),
          FONT,
        ]),
    ],
    [
      '10,000 pages',
      () =>
        pdfOfObjects([
          CATALOGUE,
          `<< /Type /Pages /Kids [${numbered(10_000, (n) => `${n + 6} 0 R `)}] /Count 10000 >>`,
          'null',
          deflated(shown('a')),
          FONT,
          ...manyTimes(10_000, page()),
        ]),
    ],
    [
      'a billion pages',
      () =>
        pdfOfObjects([
          CATALOGUE,
          '<< /Type /Pages /Kids [3 0 R] /Count 1000000000 >>',
          page(),
          deflated(shown('a')),
          FONT,
        ]),
    ],
    [
      'the same long content on 2,000 pages',
      () =>
        pdfOfObjects([
          CATALOGUE,
          `<< /Type /Pages /Kids [${numbered(2000, (n) => `${n + 6} 0 R `)}] /Count 2000 >>`,
          'null',
          deflated(`BT /F 10 Tf 1 0 0 1 50 700 Tm ${'(a) Tj 0 -1 Td '.repeat(20_000)} ET`),
          FONT,
          ...manyTimes(2000, page()),
        ]),
    ],
    [
      'a million references to one content',
      () =>
        onePage(deflated(shown('a'))).length > 0
          ? pdfOfObjects([
              CATALOGUE,
              PAGES,
              page(`[${'4 0 R '.repeat(200_000)}]`),
              deflated(shown('a')),
              FONT,
            ])
          : Buffer.alloc(0),
    ],
    [
      'no table of objects',
      () => pdfOfObjects([CATALOGUE, PAGES, page(), deflated(shown('a')), FONT], { xref: false }),
    ],
    [
      'beginnings of objects and no table',
      () =>
        pdfOfObjects(
          [CATALOGUE, PAGES, page(), deflated(shown('a')), FONT, '1 0 obj\n'.repeat(LENGTH / 8)],
          {
            xref: false,
          },
        ),
    ],
    [
      'trailers and no table',
      () =>
        pdfOfObjects(
          [
            CATALOGUE,
            PAGES,
            page(),
            deflated(shown('a')),
            FONT,
            'trailer\n<< '.repeat(LENGTH / 10),
          ],
          {
            xref: false,
          },
        ),
    ],
    [
      'tables that follow each other',
      () =>
        pdfOfObjects([CATALOGUE, PAGES, page(), deflated(shown('a')), FONT], {
          trailer: '/Prev 9',
        }),
    ],
    [
      'a table of a billion objects',
      () =>
        Buffer.from(
          `%PDF-1.7\n1 0 obj\n${CATALOGUE}\nendobj\n2 0 obj\n${PAGES}\nendobj\nxref\n0 1000000000\n0000000000 65535 f \ntrailer\n<< /Size 1000000000 /Root 1 0 R >>\nstartxref\n110\n%%EOF\n`,
        ),
    ],
    [
      'a huge image',
      () =>
        onePage(
          `${shown('a')} /X Do`,
          '/XObject << /X 6 0 R >>',
          flate(
            packedOf('a', 64),
            '/Type /XObject /Subtype /Image /Width 100000 /Height 100000 /ColorSpace /DeviceRGB /BitsPerComponent 8',
          ),
        ),
    ],
    [
      'a huge image in the content',
      () =>
        onePage(
          `${shown('a')} BI /W 100000 /H 100000 /CS /RGB /BPC 8 ID ${'a'.repeat(MEGABYTE)} EI`,
        ),
    ],
    [
      'filters on filters',
      () => {
        let inner = packedOf('(', 64).packed;
        for (let n = 0; n < 3; n += 1)
          inner = deflateRawSync(Buffer.concat([Buffer.from([0x78, 0x9c]), inner]));
        return onePage(
          stream(
            Buffer.concat([Buffer.from([0x78, 0x9c]), inner]),
            '/Filter [/FlateDecode /FlateDecode /FlateDecode /FlateDecode]',
          ),
        );
      },
    ],
    [
      'objects in a stream that unpacks to a gigabyte',
      () =>
        pdfOfObjects(
          [
            CATALOGUE,
            PAGES,
            page(),
            deflated(shown('a')),
            FONT,
            flate(packedOf(' ', 1024, '7 0 '), '/Type /ObjStm /N 1 /First 4'),
          ],
          { xref: false },
        ),
    ],
    [
      'a map of sixteen million characters',
      () =>
        pdfOfObjects([
          CATALOGUE,
          PAGES,
          page(),
          deflated(shown('a')),
          '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>',
          deflated(
            `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <000000> <FFFFFF> endcodespacerange ${'1 beginbfrange <000000> <FFFFFE> <0041> endbfrange '.repeat(4)} endcmap`,
          ),
        ]),
    ],
    [
      'widths of a font',
      () =>
        pdfOfObjects([
          CATALOGUE,
          PAGES,
          page(),
          deflated(shown('a')),
          '<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [6 0 R] >>',
          `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /W [${'0 100000000 500 '.repeat(5)}] /FontDescriptor 7 0 R >>`,
          '<< /Type /FontDescriptor /FontName /A /Flags 4 >>',
        ]),
    ],
    [
      'tags that hold each other',
      () =>
        pdfOfObjects([
          '<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 6 0 R >>',
          PAGES,
          '<< /Type /Page /Parent 2 0 R /StructParents 0 /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
          deflated(`/P << /MCID 0 >> BDC ${shown('a')} EMC`),
          FONT,
          '<< /Type /StructTreeRoot /K 7 0 R /ParentTree << /Nums [0 [8 0 R]] >> >>',
          '<< /Type /StructElem /S /Sect /P 6 0 R /K [8 0 R 7 0 R 7 0 R 7 0 R] >>',
          '<< /Type /StructElem /S /P /P 7 0 R /Pg 3 0 R /K [0 7 0 R 7 0 R 8 0 R 8 0 R] >>',
        ]),
    ],
    [
      'many tags',
      () =>
        pdfOfObjects([
          '<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 6 0 R >>',
          PAGES,
          '<< /Type /Page /Parent 2 0 R /StructParents 0 /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
          deflated(numbered(30_000, (n) => `/P << /MCID ${n} >> BDC ${shown('a')} EMC `)),
          FONT,
          '<< /Type /StructTreeRoot /K 7 0 R /ParentTree << /Nums [0 8 0 R] >> >>',
          `<< /Type /StructElem /S /Sect /P 6 0 R /K [${numbered(30_000, (n) => `${n + 9} 0 R `)}] >>`,
          `[${numbered(30_000, (n) => `${n + 9} 0 R `)}]`,
          ...Array.from(
            { length: 30_000 },
            (_, n) => `<< /Type /StructElem /S /P /P 7 0 R /Pg 3 0 R /K ${n} >>`,
          ),
        ]),
    ],
    [
      'merged cells that hold each other',
      () =>
        pdfOfObjects([
          CATALOGUE,
          PAGES,
          page(),
          deflated(shown('a')),
          FONT,
          ...Array.from(
            { length: 8000 },
            (_, n) => `<< /S /TD /A << /RowSpan 2 >> /K [${'6 0 R '.repeat(n === 0 ? 300 : 5)}] >>`,
          ),
        ]),
    ],
    [
      'metadata of 16 MB',
      () =>
        pdfOfObjects([
          '<< /Type /Catalog /Pages 2 0 R /Metadata 6 0 R >>',
          PAGES,
          page(),
          deflated(shown('a')),
          FONT,
          deflated(
            `<x:xmpmeta>${'<a>b</a>'.repeat(2 * MEGABYTE)}</x:xmpmeta>`,
            '/Type /Metadata /Subtype /XML',
          ),
        ]),
    ],
    [
      'marks that are not closed',
      () => onePage(`${'/P << /MCID 0 >> BDC '.repeat(LENGTH / 10)}${shown('a')}`),
    ],
    [
      'texts at one place',
      () => onePage(`BT /F 10 Tf ${'1 0 0 1 50 700 Tm (a) Tj '.repeat(50_000)} ET`),
    ],
    [
      'texts side by side',
      () =>
        onePage(`BT /F 10 Tf ${numbered(50_000, (n) => `1 0 0 1 ${n * 40} 700 Tm (a) Tj `)} ET`),
    ],
    [
      'texts below each other',
      () =>
        onePage(`BT /F 10 Tf ${numbered(50_000, (n) => `1 0 0 1 50 ${-14 * n} Tm (a) Tj `)} ET`),
    ],
    [
      'columns of texts',
      () =>
        onePage(
          `BT /F 10 Tf ${numbered(50_000, (n) => `1 0 0 1 ${(n % 10) * 100} ${-14 * Math.floor(n / 10)} Tm (a) Tj `)} ET`,
        ),
    ],
  ] satisfies [string, () => Buffer][]
).map(([name, content]): HostileDocument => ({ name, ending: 'pdf', content }));

export const hostileDocuments: readonly HostileDocument[] = [
  ...MARKDOWN,
  ...MDX,
  ...HTML,
  ...PLAIN,
  ...ASCIIDOC,
  ...RST,
  ...CSV,
  ...NOTEBOOKS,
  ...INTERFACES,
  ...DOCX,
  ...XLSX,
  ...PDF,
];
