import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import JSZip from 'jszip';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DocumentReader,
  documentReader,
} from '../../../src/documents/node/document-reader.ts';
import { temporaryFolder } from '../../tools/folder-for-test.ts';
import cases from './formats.json' with { type: 'json' };

const folder = temporaryFolder();
let documents: DocumentReader;
beforeAll(() => {
  documents = documentReader();
});
afterAll(() => documents.close());

let count = 0;
const read = (ending: string, content: string | Uint8Array) => {
  const file = join(folder, `${++count}.${ending}`);
  writeFileSync(file, content);
  return documents.read(file);
};

describe.each(Object.entries(cases))('a .%s file', (ending, each) => {
  it.each(each as [string, string, string, string[]][])(
    'has %s',
    async (_, source, text, warnings) => {
      expect(await read(ending, source)).toMatchObject({ text, warnings });
    },
  );
});

describe('a page in reStructuredText or AsciiDoc', () => {
  it('says its author, language and date in fields of its own', async () => {
    const rst = 'Pump\n====\n\n:author: Jo\n:date: 2024-05-06\n:lang: de\n\nText.\n';
    const adoc = '= Pump\n:author: Jo\n:revdate: 2024-05-06\n:lang: de\n\nText.\n';
    const front = { author: 'Jo', lastUpdated: '2024-05-06', language: 'de' };
    expect(await read('rst', rst)).toMatchObject({ title: 'Pump', front });
    expect(await read('adoc', adoc)).toMatchObject({ title: 'Pump', front });
  });
  it('has no text when it only includes other files', async () => {
    expect(await read('rst', '.. include:: ../README.rst\n')).toEqual({
      problem: 'it has no text',
    });
  });
  it('bounds substitutions that hold each other, and paragraphs that never end', async () => {
    const names = 'abcdefg'.split('');
    const rst = `${names.map((name, at) => `.. |${name}| replace:: ${`|${names[at + 1] ?? 'x'}| `.repeat(10)}\n`).join('')}\n${'|a| '.repeat(50_000)}`;
    const { text } = (await read('rst', rst)) as { text: string };
    expect(text.length).toBeLessThan(1_000_000);
    const adoc = (await read('adoc', '*a '.repeat(100_000))) as { text: string };
    expect(adoc.text.length).toBeGreaterThan(300_000);
  });
  it.each([
    ['adoc', '== a\n\nb\n\n'],
    ['adoc', '|===\n|c |d\n|===\n\n'],
    ['rst', ':a: `b` c\n\n'],
  ])('with too many marks goes on as plain text (.%s, %j)', async (ending, piece) => {
    const found = await read(ending, piece.repeat(20_000));
    expect(found).toMatchObject({
      warnings: expect.arrayContaining([
        expect.stringMatching(/^Reduced the last \d+ characters to plain text/),
      ]),
    });
    const letter = piece.includes('d') ? /d/g : /b/g;
    expect((found as { text: string }).text.match(letter)).toHaveLength(20_000);
  });
  it('reads no file that an attribute, an image or a style sheet names', async () => {
    mkdirSync(join(folder, 'in'), { recursive: true });
    writeFileSync(join(folder, 'secret.svg'), '<svg><text>secret</text></svg>');
    const adoc = `= A\n:docinfo: shared\n:stylesheet: ${folder}/secret.svg\n:data-uri:\n:allow-uri-read:\n\nimage::${folder}/secret.svg[opts=inline]\n\n:x: {include:${folder}/secret.svg}\n\nSeen {x}.\n\n,===\ninclude::${folder}/secret.svg[]\n,===\n`;
    const found = JSON.stringify(await read('adoc', adoc));
    expect(found).toContain('Seen');
    expect(found).not.toContain('<text>');
    expect(found).not.toContain('svg>');
  });
});

const notebook = (...cells: unknown[]): string =>
  JSON.stringify({ nbformat: 4, metadata: { language_info: { name: 'python' } }, cells });

describe('a notebook', () => {
  it('has its text, its code, and what the code printed', async () => {
    const outputs = [
      { output_type: 'stream', name: 'stdout', text: ['\u001b[31m3\u001b[0m\n', '10 %\r100 %\n'] },
      { output_type: 'stream', name: 'stderr', text: 'FutureWarning' },
      {
        output_type: 'display_data',
        data: { 'image/png': 'iVBOR', 'text/plain': '<Figure size>' },
      },
      {
        output_type: 'execute_result',
        data: {
          'text/html': '<table><tr><th>a<tr><td>1</table>'
            .replace('<th>a', '<th>a<th>b')
            .replace('<td>1', '<td>1<td>2'),
          'text/plain': 'a b',
        },
      },
      { output_type: 'execute_result', data: { 'text/plain': ['[1,\n', ' 2]'] } },
      { output_type: 'error', ename: 'KeyError', evalue: "'x'", traceback: ['…'] },
    ];
    const text = notebook(
      { cell_type: 'markdown', source: ['# Pump\n', '\n', 'See <b>it</b>.'] },
      { cell_type: 'code', source: 'print(1 + 2)\n', outputs },
      { cell_type: 'code', source: ['%%bash\n', 'ls'], outputs: [] },
      { cell_type: 'code', source: 'secret()', metadata: { tags: ['remove_cell'] } },
      { cell_type: 'raw', source: '\\newpage' },
    );
    expect(await read('ipynb', text)).toEqual({
      title: 'Pump',
      text: "# Pump\n\nSee **it**.\n\n```python\nprint(1 + 2)\n```\n\n```\n3\n100 %\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```\n[1,\n 2]\n```\n\n```\nKeyError: 'x'\n```\n\n```bash\n%%bash\nls\n```",
      warnings: ['Left out 1 output that is no text'],
    });
  });
  it('joins what was printed in pieces', async () => {
    const piece = (text: string) => ({ output_type: 'stream', name: 'stdout', text });
    const text = notebook({
      cell_type: 'code',
      source: 'x',
      outputs: [piece('one\n'), piece('two\n')],
    });
    expect(await read('ipynb', text)).toMatchObject({
      text: '```python\nx\n```\n\n```\none\ntwo\n```',
    });
  });
  it('may be of version 3 of the format', async () => {
    const cells = [
      { cell_type: 'heading', level: 2, source: 'Start' },
      { cell_type: 'code', input: 'x', outputs: [{ output_type: 'pyout', text: '4' }] },
    ];
    const text = JSON.stringify({ nbformat: 3, metadata: {}, worksheets: [{ cells }] });
    expect(await read('ipynb', text)).toMatchObject({
      text: '## Start\n\n```\nx\n```\n\n```\n4\n```',
    });
  });
  it.each(['{', '{"cells": 1}', '[]'])('that is damaged is named: %s', async (text) => {
    expect(await read('ipynb', text)).toEqual({ problem: 'it is damaged or no notebook' });
  });
});

describe('a table in a text', () => {
  it.each([
    ['comma', 'a,b\n"x, y","say ""hi"""\n', '| a | b |\n| - | - |\n| x, y | say "hi" |'],
    ['semicolon', 'Ort;Preis\nKöln;12,50\n', '| Ort | Preis |\n| - | - |\n| Köln | 12,50 |'],
    ['separator that it names', 'sep=|\na|b\n1|2\n', '| a | b |\n| - | - |\n| 1 | 2 |'],
    ['no header', '1,2\n3,4\n', '| A | B |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |'],
    [
      'titles and several tables',
      'Prices 2026,\n,\nPart,EUR\nLid,4\n,\nTimes,\nDay,Hour\nMon,9\n',
      '**Prices 2026**\n\n| Part | EUR |\n| - | - |\n| Lid | 4 |\n\n**Times**\n\n| Day | Hour |\n| - | - |\n| Mon | 9 |',
    ],
    [
      'mark of inches',
      'Part,EUR\n5" pipe,3\n3/4" hose,4\n',
      '| Part | EUR |\n| - | - |\n| 5" pipe | 3 |\n| 3/4" hose | 4 |',
    ],
    [
      'word in quotation marks',
      'Part,Kind\n"Best" pump,"other"\n',
      '| Part | Kind |\n| - | - |\n| "Best" pump | other |',
    ],
    [
      'quotation marks that are not doubled',
      'a,b\n"Say "no" today",x\n',
      '| a | b |\n| - | - |\n| Say "no" today | x |',
    ],
    ['blanks before quotation marks', 'a,b\n1, "x, y"\n', '| a | b |\n| - | - |\n| 1 | x, y |'],
    ['line ends in a cell', 'a;b\r\n"x\r\ny";"2,5"\r\n', '| a | b |\n| - | - |\n| x y | 2,5 |'],
    [
      'byte order mark',
      '\ufeffOrt;Preis\n"Köln";1,5\n',
      '| Ort | Preis |\n| - | - |\n| Köln | 1,5 |',
    ],
    [
      'decimal commas alone',
      '1,5;2,5\n3,5;4,5\n',
      '| A | B |\n| - | - |\n| 1,5 | 2,5 |\n| 3,5 | 4,5 |',
    ],
    [
      'title with a comma',
      'Preise, 2026\nOrt;EUR;km\nKöln;3;4\n',
      '**Preise, 2026**\n\n| Ort | EUR | km |\n| - | - | - |\n| Köln | 3 | 4 |',
    ],
    [
      'rows of unequal length',
      'a\tb\tc\nx\ty\nu\tv\tw\n',
      '| a | b | c |\n| - | - | - |\n| x | y | |\n| u | v | w |',
    ],
  ])('is read with its %s', async (_, csv, text) =>
    expect(await read('csv', csv)).toMatchObject({ text, warnings: [] }),
  );
  it.each([
    ['and none ends it', 'Part,EUR\n"5 pipe,3\nLid,4\n', '| "5 pipe | 3 |\n| Lid | 4 |'],
    [
      'and the next one is in a row below',
      'Part,EUR\n"5 pipe,3\nLid,6"\nBox,4\n',
      '| "5 pipe | 3 |\n| Lid | 6" |\n| Box | 4 |',
    ],
    ['and others follow', 'Part,EUR\n"5 pipe,3\n"Lid",6\n', '| "5 pipe | 3 |\n| Lid | 6 |'],
    ['and alone', 'Part,EUR\n",3\n"Lid",6\n', '| " | 3 |\n| Lid | 6 |'],
  ])(
    'with a quotation mark that opens a cell %s is read line by line, and named',
    async (_, csv, rows) => {
      expect(await read('csv', csv)).toMatchObject({
        text: `| Part | EUR |\n| - | - |\n${rows}`,
        warnings: ['Read a line as written, as a quotation mark in it ends no cell: 2'],
      });
    },
  );
  it('repeats its header every hundred rows, and is cut with a warning', async () => {
    const rows = Array.from({ length: 20_050 }, (_, at) => `E${at},text ${at}`).join('\n');
    const { text, warnings } = (await read('csv', `code,meaning\n${rows}`)) as {
      text: string;
      warnings: string[];
    };
    expect(text.match(/^\| code \| meaning \|$/gm)).toHaveLength(200);
    expect(text).toContain('| E19998 | text 19998 |');
    expect(warnings).toEqual(['Cut after 20000 rows or 500,000 characters: the table is larger']);
  });
  it('whose cells are texts has a section for each row, with the names of its columns', async () => {
    const long = 'Open the lid. '.repeat(40).trim();
    const csv = `question,answer,tags\nHow do I clean it?,"${long}\n\nThen close it.",care\nWhere?,"<p>In <b>Oslo</b>.</p><p>${long}</p>",\n`;
    expect(await read('csv', csv)).toMatchObject({
      text: `## How do I clean it?\n\n**answer:** ${long}\n\nThen close it.\n\n**tags:** care\n\n## Where?\n\n**answer:**\n\nIn **Oslo**.\n\n${long}`,
    });
  });
});

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** A workbook of these sheets; `styles` are formats of numbers by their number. */
const workbook = (
  sheets: { name: string; xml: string; state?: string }[],
  strings: string[] = [],
  prefix = '',
): Promise<Uint8Array> => {
  const zip = new JSZip();
  const p = prefix === '' ? '' : `${prefix}:`;
  const ns = prefix === '' ? `xmlns="${MAIN}"` : `xmlns:${prefix}="${MAIN}"`;
  zip.file('[Content_Types].xml', '<Types/>');
  zip.file(
    'xl/_rels/workbook.xml.rels',
    `<Relationships>${sheets.map((_, at) => `<Relationship Id="r${at}" Target="worksheets/s${at}.xml"/>`).join('')}</Relationships>`,
  );
  zip.file(
    'xl/workbook.xml',
    `<${p}workbook ${ns} xmlns:r="r"><${p}sheets>${sheets.map(({ name, state }, at) => `<${p}sheet name="${name}" r:id="r${at}"${state ? ` state="${state}"` : ''}/>`).join('')}</${p}sheets></${p}workbook>`,
  );
  zip.file(
    'xl/sharedStrings.xml',
    `<sst ${`xmlns="${MAIN}"`}>${strings.map((each) => `<si>${each}</si>`).join('')}</sst>`,
  );
  zip.file(
    'xl/styles.xml',
    `<styleSheet xmlns="${MAIN}"><numFmts><numFmt numFmtId="164" formatCode="#,##0.00 &quot;EUR&quot;"/><numFmt numFmtId="165" formatCode="0;0;0;0;0"/></numFmts><fonts><font/><font><strike/></font></fonts><cellXfs><xf numFmtId="0" fontId="0"/><xf numFmtId="9" fontId="0"/><xf numFmtId="14" fontId="0"/><xf numFmtId="164" fontId="0"/><xf numFmtId="164" fontId="1"/><xf numFmtId="165" fontId="0"/></cellXfs></styleSheet>`,
  );
  for (const [at, { xml }] of sheets.entries())
    zip.file(`xl/worksheets/s${at}.xml`, `<${p}worksheet ${ns}>${xml}</${p}worksheet>`);
  return zip.generateAsync({ type: 'uint8array', compression: 'DEFLATE' });
};

describe('a workbook', () => {
  it('has the values of its sheets as they are shown', async () => {
    const strings = [
      '<t>Part</t>',
      '<t>Price</t>',
      '<r><rPr><strike/></rPr><t>old </t></r><r><t>Lid &amp; seal</t></r>',
      '<t>Tax</t>',
      '<t>From</t><rPh><t>spoken</t></rPh>',
    ];
    const xml = `<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>3</v></c><c r="D1" t="s"><v>4</v></c></row>
      <row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2" s="3"><v>1234.5</v></c><c r="C2" s="1"><v>0.19</v></c><c r="D2" s="2"><v>46023</v></c></row>
      <row r="3"><c r="A3" t="inlineStr"><is><t>Box</t></is></c><c r="B3" s="4"><f>1+1</f><v>2</v></c><c r="C3" s="5"><v>7</v></c><c r="D3" t="e"><v>#N/A</v></c></row></sheetData>`;
    expect(await read('xlsx', await workbook([{ name: 'A', xml }], strings))).toEqual({
      title: undefined,
      text: '| Part | Price | Tax | From |\n| - | - | - | - |\n| ~~old~~ Lid & seal | 1,234.50 EUR | 19% | 2026-01-01 |\n| Box | ~~2.00 EUR~~ | 7 | |',
      warnings: [],
    });
  });
  it('leaves out what is hidden, repeats merged cells, and names its sheets', async () => {
    const cell = (at: string, text: string): string =>
      `<x:c r="${at}" t="str"><x:v>${text}</x:v></x:c>`;
    const sheet = `<x:cols><x:col min="2" max="2" hidden="1"/></x:cols><x:sheetData><x:row r="1">${cell('A1', 'Tariffs')}</x:row><x:row r="3">${cell('A3', 'Zone')}${cell('B3', 'Margin')}${cell('C3', 'Fee')}</x:row>
      <x:row r="4">${cell('A4', 'North')}${cell('B4', '41')}${cell('C4', 'low')}</x:row><x:row r="5">${cell('A5', '')}${cell('C5', 'high')}</x:row><x:row r="6" hidden="1">${cell('A6', 'secret')}</x:row></x:sheetData>
      <x:mergeCells><x:mergeCell ref="A1:C1"/><x:mergeCell ref="A4:A5"/></x:mergeCells>`;
    const other = `<x:sheetData><x:row>${'<x:c t="str"><x:v>Code</x:v></x:c><x:c t="str"><x:v>Means</x:v></x:c>'}</x:row><x:row><x:c t="str"><x:v>E1</x:v></x:c><x:c t="b"><x:v>1</x:v></x:c></x:row></x:sheetData>`;
    const book = await workbook(
      [
        { name: 'Fees', xml: sheet },
        { name: 'Old', xml: sheet, state: 'hidden' },
        { name: 'Codes', xml: other },
      ],
      [],
      'x',
    );
    expect(await read('xlsx', book)).toMatchObject({
      text: '## Fees\n\n**Tariffs**\n\n| Zone | Fee |\n| - | - |\n| North | low |\n| North | high |\n\n## Codes\n\n| Code | Means |\n| - | - |\n| E1 | TRUE |',
      warnings: ['Left out 3 hidden sheets, rows or columns'],
    });
  });
  it('that unpacks to too much, is damaged or encrypted, is named', async () => {
    const large = `<sheetData>${' '.repeat(40 * 2 ** 20)}</sheetData>`;
    expect(await read('xlsx', await workbook([{ name: 'A', xml: large }]))).toEqual({
      problem: 'its text unpacks to more than 32 MiB',
    });
    expect(await read('xlsx', await workbook([{ name: 'A', xml: '<sheetData><row>' }]))).toEqual({
      problem: 'it is damaged',
    });
    expect(await read('xlsx', new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 1]))).toEqual({
      problem: 'it is encrypted, or no .xlsx file',
    });
  });
  it('resolves no entities of its own', async () => {
    const xml =
      '<!DOCTYPE x [<!ENTITY a "bomb">]><sheetData><row><c t="str"><v>&a;</v></c></row></sheetData>';
    expect(await read('xlsx', await workbook([{ name: 'A', xml }]))).toEqual({
      problem: 'it is damaged',
    });
  });
});

const API = `openapi: 3.1.0
info: {title: Pump API, version: '2', description: "Controls *pumps*.\\n\\n# Limits\\n\\nTen a minute."}
servers: [{url: https://api.example/v2, description: Live}]
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
  parameters:
    Id: {name: id, in: path, required: true, schema: {type: integer, minimum: 1, maximum: 9}, description: Number of the pump}
  schemas:
    Pump:
      type: object
      required: [name]
      properties:
        name: {type: string, description: "Its name | label"}
        parts: {type: array, items: {$ref: '#/components/schemas/Part'}}
        next: {$ref: '#/components/schemas/Pump'}
    Part: {type: object, properties: {size: {type: string, enum: [S, M], default: S}}}
    Far: {$ref: 'other.yaml#/x'}
paths:
  /pumps/{id}:
    parameters: [{$ref: '#/components/parameters/Id'}]
    get:
      operationId: getPump
      summary: Read a pump
      responses:
        '200': {description: The pump, content: {application/json: {schema: {$ref: '#/components/schemas/Pump'}, example: {name: A}}}}
        '404': {description: No such pump}
    put:
      deprecated: true
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Far'}}}}
      responses: {default: {description: Done}}
    delete: {x-internal: true}
`;

describe('a description of an interface (OpenAPI)', () => {
  it('is an article about all of it and one about each operation', async () => {
    const found = (await read('yaml', API)) as {
      title: string;
      text: string;
      articles: { name: string; title: string; text: string }[];
    };
    expect(found).toMatchObject({
      title: 'Pump API',
      text: '# Pump API\n\nVersion: 2\n\nControls _pumps_.\n\n## Limits\n\nTen a minute.\n\n**Servers:**\n\n- `https://api.example/v2` Live\n\n**Authentication:**\n\n| Name | Type | Description |\n| - | - | - |\n| `key` | apiKey header X-Key | |\n\n**Operations:**\n\n- `GET /pumps/{id}` Read a pump\n- `PUT /pumps/{id}`',
    });
    expect(found.articles).toEqual([
      {
        name: 'getpump',
        title: 'Read a pump',
        text: '# Read a pump\n\n`GET /pumps/{id}`\n\n**Parameters:**\n\n| Name | In | Type | Required | Description |\n| - | - | - | - | - |\n| `id` | path | integer | yes | Number of the pump. 1–9. |\n\n**Responses:**\n\n| Code | Description |\n| - | - |\n| `200` | The pump |\n| `404` | No such pump |\n\n**200: Pump:**\n\n| Field | Type | Required | Description |\n| - | - | - | - |\n| `name` | string | yes | Its name \\| label |\n| `parts` | Part[] | no | |\n| `parts[].size` | string | no | Allowed: `S`, `M`. Default: `S`. |\n| `next` | Pump | no | |\n\n**Example:**\n\n```json\n{\n  "name": "A"\n}\n```',
      },
      {
        name: 'put-pumps-id',
        title: 'PUT /pumps/{id}',
        text: '# PUT /pumps/{id}\n\n`PUT /pumps/{id}`\n\n> **Deprecated:**\n\n**Parameters:**\n\n| Name | In | Type | Required | Description |\n| - | - | - | - | - |\n| `id` | path | integer | yes | Number of the pump. 1–9. |\n\n**Request body (application/json):**\n\nFar\n\n**Responses:**\n\n| Code | Description |\n| - | - |\n| `default` | Done |',
      },
    ]);
  });
  it('may be Swagger 2 in JSON', async () => {
    const api = {
      swagger: '2.0',
      info: {
        title: 'Pumpen',
        description: 'Diese Schnittstelle steuert die Pumpen und liest ihre Werte aus.',
      },
      host: 'api.example',
      basePath: '/v1',
      paths: {
        '/p': {
          post: {
            parameters: [
              {
                in: 'body',
                name: 'b',
                schema: { type: 'object', properties: { a: { type: 'string' } } },
              },
            ],
            responses: { 200: { description: 'Die Pumpe läuft' } },
          },
        },
      },
    };
    expect(await read('json', JSON.stringify(api))).toMatchObject({
      text: expect.stringContaining('- `https://api.example/v1`'),
      articles: [
        {
          text: '# POST /p\n\n`POST /p`\n\n**Inhalt der Anfrage:**\n\n| Feld | Typ | Erforderlich | Beschreibung |\n| - | - | - | - |\n| `a` | string | nein | |\n\n**Antworten:**\n\n| Code | Beschreibung |\n| - | - |\n| `200` | Die Pumpe läuft |',
        },
      ],
    });
  });
  it('says what else a reference may be, its examples, and the headers of responses', async () => {
    const Method = { type: 'string', enum: ['GET', 'POST'] };
    const properties = {
      method: { allOf: [{ $ref: '#/components/schemas/Method' }], default: 'POST' },
      kind: { const: 'outbound' },
      old: { type: 'string', maxLength: 20, deprecated: true, readOnly: true },
    };
    const operation = {
      operationId: 'call',
      parameters: [
        { name: 'sort', in: 'query', schema: { type: 'string', default: 'a' }, example: 'c' },
      ],
      requestBody: { content: { 'application/json': { schema: { properties } } } },
      responses: {
        200: { description: 'Done', headers: { 'X-Left': { description: 'Calls left' } } },
      },
    };
    const api = {
      openapi: '3.1.0',
      info: { title: 'Pump' },
      paths: { '/calls': { post: operation } },
      components: { schemas: { Method } },
    };
    const { articles } = (await read('json', JSON.stringify(api))) as {
      articles: { text: string }[];
    };
    for (const line of [
      '| `sort` | query | string | no | Default: `a`. Example: `c`. |',
      '| `method` | Method | no | Allowed: `GET`, `POST`. Default: `POST`. |',
      '| `kind` | | no | Allowed: `outbound`. |',
      '| `old` | string | no | Deprecated. `readOnly`. `maxLength: 20`. |',
      '| `200` | Done. `X-Left`: Calls left. |',
    ])
      expect(articles[0]?.text).toContain(line);
  });
  it.each([
    [
      'references that lead to themselves',
      'openapi: 3.0.0\ninfo: {title: A}\nx: {$ref: "#/x"}\npaths: {/a: {$ref: "#/paths/~1a"}}\n',
      'A',
    ],
    ['a damaged text', 'openapi: 3.0.0\ninfo: {title: A\n', undefined],
  ])('bounds %s', async (_, yaml, title) => {
    expect(await read('yaml', yaml)).toMatchObject(
      title === undefined ? { problem: 'it is damaged or no OpenAPI file' } : { title },
    );
  });
});
