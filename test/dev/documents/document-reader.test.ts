import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import JSZip from 'jszip';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DocumentReader, documentReader } from '../../../src/dev/documents/document-reader.ts';
import { launchChromium } from '../../../src/dev/screenshots/launch-chromium.ts';
import { temporaryFolder } from '../folder-for-test.ts';
import { deflatedSpaces, MANUAL, pdfOf, wordDocument } from './documents-for-test.ts';

const MIB = 2 ** 20;
const BOUNDS = { maxBytes: 8 * MIB, maxMs: 20_000, maxGrowthBytes: 768 * MIB };

const folder = temporaryFolder();
let documents: DocumentReader;
beforeEach(() => {
  documents = documentReader(BOUNDS);
});
afterEach(() => documents.close());

let count = 0;
const put = (ending: string, bytes: Uint8Array): string => {
  const file = join(folder, `${++count}.${ending}`);
  writeFileSync(file, bytes);
  return file;
};
const read = (ending: string, bytes: Uint8Array) => documents.read(put(ending, bytes));

const MARKDOWN = `# Pump manual

The pump needs 12 V & a fuse.

## Cleaning

1. Unplug it.
2. Open the lid.

- Do not force it.

| Part | Torque |
| - | - |
| Lid | 4 Nm |`;

describe('a Word document', () => {
  it('becomes Markdown with headings, lists and tables, and the title of its properties', async () => {
    expect(await read('docx', await wordDocument(MANUAL, 'The &lt;pump&gt;'))).toEqual({
      text: MARKDOWN,
      title: 'The <pump>',
    });
  });
  it('has no hidden or moved text, and keeps fields, directions, strikes and equations', async () => {
    const run = (text: string, properties = ''): string =>
      `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
    const math =
      '<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>p = </m:t></m:r><m:f><m:num><m:r><m:t>F</m:t></m:r></m:num><m:den><m:r><m:t>A</m:t></m:r></m:den></m:f></m:oMath>';
    const body = [
      `<w:p>${run('Seen. ')}${run('Margin 40 %.', '<w:vanish/>')}${run('Shown.', '<w:vanish w:val="0"/>')}</w:p>`,
      `<w:p>${run('Old 70 ', '<w:dstrike/>')}${run('new 55, m')}${run('2', '<w:vertAlign w:val="superscript"/>')}</w:p>`,
      `<w:p><w:fldSimple w:instr="PAGE">${run('Page 3 ')}</w:fldSimple><w:bdo w:val="rtl">${run('abc ')}</w:bdo><w:moveFrom>${run('moved')}</w:moveFrom>${math}</w:p>`,
    ].join('');
    expect(await read('docx', await wordDocument(body))).toMatchObject({
      text: 'Seen. Shown.\n\n~~Old 70~~ new 55, m²\n\nPage 3 abc p = (F)/(A)',
    });
  });
  it('repeats merged cells', async () => {
    const cell = (text: string, merge = ''): string =>
      `<w:tc><w:tcPr>${merge}</w:tcPr><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`;
    const rows = [
      cell('Zone') + cell('Fee'),
      cell('North', '<w:vMerge w:val="restart"/>') + cell('4'),
      cell('', '<w:vMerge/>') + cell('6'),
    ];
    const table = `<w:tbl>${rows.map((each) => `<w:tr>${each}</w:tr>`).join('')}</w:tbl>`;
    expect(await read('docx', await wordDocument(table))).toMatchObject({
      text: '| Zone | Fee |\n| - | - |\n| North | 4 |\n| North | 6 |',
    });
  });
  it('is read again only when it has changed', async () => {
    const ducks = await wordDocument('<w:p><w:r><w:t>Ducks</w:t></w:r></w:p>');
    const file = put('docx', ducks);
    const time = new Date('2026-01-02');
    utimesSync(file, time, time);
    expect(await documents.read(file)).toMatchObject({ text: 'Ducks' });
    writeFileSync(file, new Uint8Array(ducks.length));
    utimesSync(file, time, time);
    expect(await documents.read(file)).toMatchObject({ text: 'Ducks' });
    writeFileSync(file, await wordDocument('<w:p><w:r><w:t>Geese</w:t></w:r></w:p>'));
    expect(await documents.read(file)).toMatchObject({ text: 'Geese' });
  });
});

const HTML = `<!doctype html><html lang="en"><head><title>Pump manual</title></head><body>
  <h1>Pump manual</h1><p>The pump needs 12 V &amp; a fuse.</p><h2>Cleaning</h2>
  <ol><li>Unplug it.</li><li>Open the lid.</li></ol><ul><li>Do not force it.</li></ul>
  <table><tr><th>Part</th><th>Torque</th></tr><tr><td>Lid</td><td>4 Nm</td></tr></table></body></html>`;

const page = (number: number): string => `<section style="break-after: page; position: relative; height: 900px">
  <div>Handbook of pumps</div><h2>Step ${number}</h2>
  <p style="width: 300px; text-align: justify">The valve is opened slowly by a quarter of a turn, until the water runs clear again.</p>
  <p>1. Close it.</p><p>2. Dry it.</p><div style="position: absolute; bottom: 0">Page ${number} of 4</div></section>`;
const step = (number: number): string =>
  `# Step ${number}\n\nThe valve is opened slowly by a quarter of a turn, until the water runs clear again.\n\n1. Close it.\n2. Dry it.`;

describe('a PDF', () => {
  let tagged: Buffer;
  let untagged: Buffer;
  beforeAll(async () => {
    const browser = await launchChromium();
    try {
      const tab = await browser.newPage();
      await tab.setContent(HTML);
      tagged = await tab.pdf({ tagged: true });
      await tab.setContent(`<!doctype html><body>${[1, 2, 3, 4].map(page).join('')}</body>`);
      untagged = await tab.pdf({ tagged: false });
    } finally {
      await browser.close();
    }
  });
  it('becomes Markdown by its tags', async () => {
    expect(await read('pdf', tagged)).toEqual({ text: MARKDOWN, title: 'Pump manual' });
  });
  it('without tags becomes Markdown by its layout, without header and page numbers', async () => {
    expect(await read('pdf', untagged)).toMatchObject({ text: [1, 2, 3, 4].map(step).join('\n\n') });
  });
});

describe('a document that cannot be read', () => {
  const encrypted = `/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >>`;
  const large = () => wordDocument(`${MANUAL}${' '.repeat(40 * MIB)}`);
  /** Sizes stand in the directory at the end, and before each part (APPNOTE 4.3.7 and 4.3.12). */
  const understated = async () => {
    const bytes = await large();
    for (let at = 0; at < bytes.length - 28; at += 1) {
      const mark = bytes.readUInt32LE(at);
      if (mark === 0x04034b50 && bytes.readUInt32LE(at + 22) > MIB) bytes.writeUInt32LE(1000, at + 22);
      if (mark === 0x02014b50 && bytes.readUInt32LE(at + 24) > MIB) bytes.writeUInt32LE(1000, at + 24);
    }
    return bytes;
  };
  const nested = () =>
    wordDocument(`${'<w:sdt><w:sdtContent>'.repeat(20_000)}${'</w:sdtContent></w:sdt>'.repeat(20_000)}`);
  const zip = () => new JSZip().file('a.txt', 'a').generateAsync({ type: 'nodebuffer' });
  it.each<[string, string, () => Promise<Uint8Array> | Uint8Array, RegExp]>([
    ['an encrypted PDF', 'pdf', () => pdfOf(Buffer.from('BT ET'), { trailer: encrypted }), /^it is encrypted$/],
    ['an encrypted Word document', 'docx', () => Buffer.from('d0cf11e0a1b11ae1', 'hex'), /^it is encrypted, or no/],
    ['a scan', 'pdf', () => pdfOf(Buffer.from('0 0 100 100 re f')), /^it has no text, like scanned pages/],
    ['a document without text', 'docx', () => wordDocument(''), /^it has no text$/],
    ['a PDF that is not one', 'pdf', () => Buffer.from('hello'), /^it is damaged or no PDF$/],
    ['an empty file', 'docx', () => new Uint8Array(), /^it is damaged or no Word document$/],
    ['another zip file', 'docx', zip, /no Word/],
    ['a large file', 'pdf', () => new Uint8Array(8 * MIB + 1), /^it is larger than 8 MiB$/],
    ['a document with 40 MiB of text', 'docx', large, /^its text unpacks to more than 32 MiB$/],
    ['a document that declares less than it unpacks to', 'docx', understated, /^its text unpacks to more than 32 MiB$/],
    [
      'a PDF whose text unpacks to gigabytes',
      'pdf',
      () => pdfOf(deflatedSpaces(4000), { filter: '/Filter /FlateDecode' }),
      /^a part of it unpacks to more than 32 MiB$/,
    ],
    ['a deeply nested document', 'docx', nested, /^its XML is nested more than 300 levels deep$/],
  ])('%s is reported, and the next document is read', async (_, ending, bytes, problem) => {
    expect(await read(ending, await bytes())).toEqual({ problem: expect.stringMatching(problem) });
    expect(await read('docx', await wordDocument())).toMatchObject({ text: MARKDOWN });
  });

  // Streams of images are not unpacked beforehand.
  const spaces = () => pdfOf(deflatedSpaces(4000), { filter: '/Subtype /Image /Filter /FlateDecode' });
  it.each<[string, string, object, () => Promise<Uint8Array> | Uint8Array]>([
    // A busy machine needs long for the memory.
    ['too much memory', 'pdf', { maxGrowthBytes: 150 * MIB, maxMs: 100_000 }, spaces],
    ['more than 0.001 s', 'docx', { maxMs: 1 }, wordDocument],
  ])(
    'is abandoned when reading it takes %s',
    async (what, ending, bounds, bytes) => {
      const bounded = documentReader({ ...BOUNDS, ...bounds });
      const result = await bounded.read(put(ending, await bytes())).finally(() => bounded.close());
      expect(result).toEqual({ problem: `reading it takes ${what}` });
    },
    120_000,
  );
});

describe('a PDF without tags', () => {
  /** A page that shows texts at places, line by line. */
  const page = (...texts: [x: number, y: number, text: string][]): Buffer =>
    pdfOf(Buffer.from(`BT /F 10 Tf ${texts.map(([x, y, text]) => `1 0 0 1 ${x} ${y} Tm (${text}) Tj`).join(' ')} ET`));
  const rows = (...lines: [string, string][]): Buffer =>
    page(
      ...lines.flatMap(([left, right], at): [number, number, string][] => [
        [50, 700 - 14 * at, left],
        [320, 700 - 14 * at, right],
      ]),
    );

  it('is read column by column', async () => {
    const bytes = rows(
      ['The fan must be dusted', 'The pump must be oiled'],
      ['every two weeks with a', 'every six months with'],
      ['soft and dry brush.', 'four drops of thin oil.'],
    );
    expect(await read('pdf', bytes)).toMatchObject({
      text: 'The fan must be dusted every two weeks with a soft and dry brush.\n\nThe pump must be oiled every six months with four drops of thin oil.',
    });
  });
  it('has tables where short texts stand in columns', async () => {
    const bytes = rows(['Size', 'Price'], ['M8', '4 EUR'], ['M10', '6 EUR']);
    expect(await read('pdf', bytes)).toMatchObject({
      text: '| Size | Price |\n| - | - |\n| M8 | 4 EUR |\n| M10 | 6 EUR |',
    });
  });
});
