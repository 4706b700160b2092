import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hostileDocuments } from '../../../research/bench/hostile-documents.ts';
import {
  type DocumentReader,
  documentReader,
} from '../../../src/documents/node/document-reader.ts';
import { temporaryFolder } from '../../tools/folder-for-test.ts';

const MIB = 2 ** 20;
const folder = temporaryFolder();
let documents: DocumentReader;
beforeAll(() => {
  // Memory alone decides, however busy the machine is.
  documents = documentReader({ maxBytes: 50 * MIB, maxMs: 600_000, maxGrowthBytes: 300 * MIB });
});
afterAll(() => documents.close());

let count = 0;
const read = async (ending: string, name: string) => {
  const document = hostileDocuments.find((each) => each.ending === ending && each.name === name);
  if (document === undefined) throw new Error(`There is no ${ending} with ${name}`);
  const file = join(folder, `${++count}.${ending}`);
  writeFileSync(file, document.content());
  return documents.read(file);
};

const CUT_WORD = /^Cut after 40000 elements and attributes of the text/;
const CUT_SHEET = /^Cut after 20000 rows/;

it.each<[string, string, RegExp]>([
  ['docx', 'empty paragraphs', CUT_WORD],
  ['xlsx', 'a million hidden rows', CUT_SHEET],
  ['xlsx', 'merged cells', CUT_SHEET],
  ['ipynb', 'outputs of a cell', /^Cut after 10000 cells, 100 outputs of a cell/],
  ['json', 'parts that hold many parts', /^Cut after 200000 schemas/],
  [
    'json',
    'a long description in many places',
    /^Left out descriptions and examples after 4000000 characters/,
  ],
  ['json', 'a long text', /^Cut descriptions after 100000 characters/],
  ['pdf', 'a million lines', /^Cut after 1 of 1 pages/],
  [
    'pdf',
    'the same long content on 2,000 pages',
    /^Cut after \d{2} of 2000 pages: reading more takes too long/,
  ],
  [
    'adoc',
    'one long attribute in many places',
    /^Cut values of attributes after \d+ characters: \d+ places show one/,
  ],
  [
    'adoc',
    'attributes that hold each other',
    /^Cut values of attributes after \d+ characters: \d+ places show one/,
  ],
  [
    'csv',
    'open fields',
    /^Read lines as written, as a quotation mark in them ends no cell: 1, 2, 3 and 97 more/,
  ],
])('cuts a .%s with %s, and says so', async (ending, name, warning) => {
  const { warnings } = (await read(ending, name)) as { warnings?: string[] };
  expect(warnings).toContainEqual(expect.stringMatching(warning));
});

it('reads the pages of a .pdf around one that takes too much', async () => {
  expect(await read('pdf', 'a million states on the second of three pages')).toEqual({
    text: 'before\n\nbehind',
    title: undefined,
    warnings: [
      expect.stringMatching(
        /^Left out what follows on page 2: reading it takes (?:more than|too much)/,
      ),
    ],
  });
});

it.each<[string, string, string | RegExp]>([
  ['docx', 'an image that unpacks to a gigabyte', 'a'],
  ['docx', 'entities in the properties', 'a'],
  ['docx', 'a cell that covers a million columns', /a/],
  ['xlsx', 'a million empty cells', /\| a \| b \|/],
  ['xlsx', 'cells below each other', /a/],
  ['xlsx', 'hidden columns', /\| a \| b \|/],
  ['yaml', 'aliases of aliases in an example', /GET \/a/],
  ['json', 'a deep example', /GET \/a/],
  ['ipynb', 'depth in an output', /a/],
  ['pdf', 'a billion pages', 'a'],
  ['pdf', 'metadata of 16 MB', 'a'],
  ['pdf', 'no table of objects', 'a'],
  ['pdf', 'a huge image', 'a'],
  ['pdf', 'a deep tree of pages', 'a'],
  ['pdf', 'tags that hold each other', 'a'],
])('reads the text of a .%s with %s', async (ending, name, text) => {
  expect(await read(ending, name)).toMatchObject({
    text: typeof text === 'string' ? text : expect.stringMatching(text),
  });
});

it.each<[string, string, RegExp]>([
  ['docx', 'a part that unpacks to a gigabyte', /^its text unpacks to more than 32 MiB$/],
  ['docx', '60,000 parts', /^it has more than 5000 parts$/],
  ['docx', 'depth', /^its XML is nested more than 300 levels deep$/],
  ['docx', 'attributes of an element', /^it has no text before 40000 elements$/],
  ['docx', 'entities in the text', /^it is damaged$/],
  ['docx', 'styles that are not closed', /^its XML is nested more than 300 levels deep$/],
  ['xlsx', 'entities', /^it is damaged$/],
  ['xlsx', 'depth', /^its XML is nested more than 300 levels deep$/],
  ['pdf', 'a content that unpacks to a gigabyte', /^a part of it unpacks to more than 32 MiB$/],
  ['pdf', 'filters on filters', /^a part of it unpacks to more than 32 MiB$/],
  ['pdf', 'a million states', /^reading it takes (?:more than 0.7 s|too much memory)$/],
  ['pdf', 'widths of a font', /^reading it takes (?:more than 0.7 s|too much memory)$/],
  ['pdf', '10,000 pages', /^reading it takes (?:more than 0.7 s|too long)$/],
  ['pdf', 'a million references to one content', /^a page of it has too many parts$/],
  ['yaml', 'depth', /^it is damaged or no OpenAPI file$/],
])('names a .%s with %s', async (ending, name, problem) => {
  expect(await read(ending, name)).toEqual({ problem: expect.stringMatching(problem) });
});
