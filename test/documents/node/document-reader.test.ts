import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import JSZip from 'jszip';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../../../research/screenshots/launch-chromium.ts';
import {
  type DocumentReader,
  documentReader,
} from '../../../src/documents/node/document-reader.ts';
import { plainText } from '../../../src/documents/node/pdf-text.ts';
import { temporaryFolder } from '../../tools/folder-for-test.ts';
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
  it('keeps the numbers of lists that go on, begin later or begin again, and of headings', async () => {
    const level = (format: string, start: number, text: string) =>
      `<w:lvl w:ilvl="0"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
    const numbering = [
      `<w:abstractNum w:abstractNumId="7">${level('decimal', 5, '%1.')}</w:abstractNum>`,
      `<w:abstractNum w:abstractNumId="8">${level('upperRoman', 1, '%1.')}</w:abstractNum>`,
      '<w:num w:numId="7"><w:abstractNumId w:val="7"/></w:num>',
      '<w:num w:numId="8"><w:abstractNumId w:val="8"/></w:num>',
      '<w:num w:numId="9"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>',
    ].join('');
    const style = (id: string, more: string): string =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/>${more}</w:style>`;
    const list = (id: number): string =>
      `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="${id}"/></w:numPr>`;
    const styles = style('Steps', `<w:pPr>${list(7)}</w:pPr>`);
    const p = (text: string, properties = '') =>
      `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const heading = `<w:pStyle w:val="Heading1"/>${list(8)}`;
    const body = [
      p('Use', heading),
      p('Fill it.', '<w:pStyle w:val="Steps"/>'),
      p('Wait.'),
      p('Close it.', list(7)),
      p('Open it.', list(9)),
      p('Care', heading),
    ].join('');
    expect(await read('docx', await wordDocument(body, '', { styles, numbering }))).toMatchObject({
      text: '# I. Use\n\n5. Fill it.\n\nWait.\n\n6. Close it.\n\n1) Open it.\n\n# II. Care',
    });
  });
  it('knows headings, code, contents and hidden text by the styles that a style is based on', async () => {
    const style = (id: string, name: string, more = ''): string =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;
    const styles = [
      style('T', 'Title'),
      style('Own', 'House heading', '<w:basedOn w:val="Heading2"/>'),
      style('Outline', 'Outlined', '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>'),
      style('Toc', 'toc 1'),
      style('Inner', 'Internal', '<w:rPr><w:vanish/></w:rPr>'),
      style('Inner2', 'Internal too', '<w:basedOn w:val="Inner"/>'),
      style('Pre', 'HTML Preformatted'),
    ].join('');
    const p = (text: string, id: string) =>
      `<w:p><w:pPr><w:pStyle w:val="${id}"/></w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
    const body = [
      p('Pump', 'T'),
      p('Care 3', 'Toc'),
      p('Care', 'Own'),
      p('Daily', 'Outline'),
      p('Margin 40 %', 'Inner2'),
      p('a:', 'Pre'),
      p('  b', 'Pre'),
    ].join('');
    expect(await read('docx', await wordDocument(body, '', { styles }))).toMatchObject({
      text: '# Pump\n\n## Care\n\n### Daily\n\n```\na:\n  b\n```',
    });
  });
  it('keeps boxes, text boxes, breaks, ruby text and empty cells before a row, and no hidden rows', async () => {
    const run = (inner: string): string => `<w:r>${inner}</w:r>`;
    const text = (value: string): string => `<w:t xml:space="preserve">${value}</w:t>`;
    const box = (isOn: number): string =>
      `<w:sdt><w:sdtPr><w14:checkbox xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"><w14:checked w14:val="${isOn}"/></w14:checkbox></w:sdtPr><w:sdtContent>${run(text('x'))}</w:sdtContent></w:sdt>`;
    const shape = `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="wps"><w:drawing><w:txbxContent><w:p>${run(text('In a box.'))}</w:p></w:txbxContent></w:drawing></mc:Choice></mc:AlternateContent>`;
    const ruby = `<w:ruby><w:rt>${run(text('kan'))}</w:rt><w:rubyBase>${run(text('漢'))}</w:rubyBase></w:ruby>`;
    const cell = (value: string): string => `<w:tc><w:p>${run(text(value))}</w:p></w:tc>`;
    const row = (properties: string, ...cells: string[]): string =>
      `<w:tr><w:trPr>${properties}</w:trPr>${cells.map(cell).join('')}</w:tr>`;
    const body = [
      `<w:p>${box(1)}${run(text(' Yes '))}${box(0)}${run(text(' No'))}</w:p>`,
      `<w:p>${run(shape)}</w:p>`,
      `<w:p>${run(`${text('A')}<w:br w:type="page"/>${text('B')}<w:cr/>${text('C')}<w:ptab/>${text('D')}`)}${run(ruby)}</w:p>`,
      `<w:tbl>${row('', 'Zone', 'Fee')}${row('<w:gridBefore w:val="1"/>', '4')}${row('<w:hidden/>', 'x', 'y')}</w:tbl>`,
    ].join('');
    expect(await read('docx', await wordDocument(body))).toMatchObject({
      text: '☒ Yes ☐ No\n\nIn a box.\n\nA\nB\nC D漢 (kan)\n\n| Zone | Fee |\n| - | - |\n| | 4 |',
    });
  });
  it('has text in a font of one width as code, unless all of it is', async () => {
    const fonts =
      '<w:font w:name="Mono"><w:pitch w:val="fixed"/></w:font><w:font w:name="Sans"><w:pitch w:val="variable"/></w:font>';
    const font = (name: string): string => `<w:rFonts w:ascii="${name}" w:hAnsi="${name}"/>`;
    const run = (text: string, name: string): string =>
      `<w:r><w:rPr>${font(name)}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
    const body = [
      `<w:p>${run('Write:', 'Sans')}</w:p>`,
      `<w:p>${run('&lt;a&gt;', 'Mono')}</w:p><w:p>${run('  b', 'Mono')}${run(' c', 'Mono')}</w:p>`,
      '<w:p><w:pPr><w:pStyle w:val="Shell"/></w:pPr><w:r><w:t>&lt;/a&gt;</w:t></w:r></w:p>',
      `<w:p>${run('Then ', 'Sans')}${run('close', 'Mono')}${run('.', 'Sans')}</w:p>`,
    ].join('');
    const shell = `<w:style w:type="paragraph" w:styleId="Shell"><w:name w:val="Shell"/><w:rPr>${font('Mono')}</w:rPr></w:style>`;
    expect(
      await read('docx', await wordDocument(body, '', { fonts, styles: shell })),
    ).toMatchObject({
      text: 'Write:\n\n```\n<a>\n  b c\n</a>\n```\n\nThen close.',
    });
    const typed = `<w:docDefaults><w:rPrDefault><w:rPr>${font('Mono')}</w:rPr></w:rPrDefault></w:docDefaults>${shell}`;
    expect(
      await read('docx', await wordDocument(body, '', { fonts, styles: typed })),
    ).toMatchObject({
      text: 'Write:\n\n<a>\n\nb c\n\n</a>\n\nThen close.',
    });
  });
  it('keeps the numbers of several levels that its paragraphs have', async () => {
    const level = (at: number, text: string): string =>
      `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="${text}"/></w:lvl>`;
    const numbering = `<w:abstractNum w:abstractNumId="7">${level(0, '%1.')}${level(1, '%1.%2.')}</w:abstractNum><w:num w:numId="7"><w:abstractNumId w:val="7"/></w:num>`;
    const item = (at: number, text: string): string =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="7"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const body = [
      item(0, 'Fees'),
      item(1, 'Monthly.'),
      item(1, 'In advance.'),
      item(0, 'End'),
    ].join('');
    expect(await read('docx', await wordDocument(body, '', { numbering }))).toMatchObject({
      text: '1. Fees\n\n1.1. Monthly.\n\n1.2. In advance.\n\n2. End',
    });
  });
  it('keeps the empty lines of code', async () => {
    const styles =
      '<w:style w:type="paragraph" w:styleId="Pre"><w:name w:val="HTML Preformatted"/></w:style>';
    const line = (text: string): string =>
      `<w:p><w:pPr><w:pStyle w:val="Pre"/></w:pPr>${text === '' ? '' : `<w:r><w:t>${text}</w:t></w:r>`}</w:p>`;
    const body = [
      line('a'),
      line(''),
      line('b'),
      '<w:p><w:r><w:t>c</w:t></w:r></w:p>',
      line(''),
    ].join('');
    expect(await read('docx', await wordDocument(body, '', { styles }))).toMatchObject({
      text: '```\na\n\nb\n```\n\nc',
    });
  });
  it('is read whole where most of its elements say how it looks', async () => {
    const look = `<w:rPr>${'<w:lang w:val="de"/><w:sz w:val="22"/>'.repeat(3)}<w:vanish w:val="0"/></w:rPr>`;
    const run = `<w:proofErr w:type="spellStart"/><w:r>${look}<w:t>a</w:t></w:r>`;
    const result = await read('docx', await wordDocument(`<w:p>${run.repeat(6000)}</w:p>`));
    expect(result).toEqual({ text: 'a'.repeat(6000), title: undefined });
  });
  it('is read whole where most of its attributes say who changed it when', async () => {
    const marks = `w:rsidR="1" w:rsidRDefault='2' w:rsidP="3" w:rsidRPr="4" w:rsidDel="5" w:rsidTr="6"`;
    const paragraph = `<w:p ${marks}><w:r ${marks}><w:t xml:space="preserve"> w:rsidR="a"</w:t></w:r></w:p>`;
    const result = await read('docx', await wordDocument(paragraph.repeat(2600)));
    expect(result).toEqual({
      text: Array(2600).fill('w:rsidR="a"').join('\n\n'),
      title: undefined,
    });
  });
  it('is read without the marks of notes when there are more than are read', async () => {
    const note = (id: number): string =>
      `<w:footnote w:id="${id}"><w:p><w:r><w:t>n</w:t></w:r></w:p></w:footnote>`;
    const notes = Array.from({ length: 12_000 }, (_, id) => note(id)).join('');
    const body = '<w:p><w:r><w:t>a</w:t></w:r><w:r><w:footnoteReference w:id="11999"/></w:r></w:p>';
    expect(await read('docx', await wordDocument(body, '', { notes }))).toEqual({
      text: 'a',
      title: undefined,
      warnings: [expect.stringMatching(/^Cut after 40000 elements/)],
    });
  });
  it('keeps sums, roots, matrices and indices of equations apart', async () => {
    const r = (value: string): string => `<m:r><m:t>${value}</m:t></m:r>`;
    const math = [
      `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup><m:e><m:sSubSup><m:e>${r('x')}</m:e><m:sub>${r('i')}</m:sub><m:sup>${r('2')}</m:sup></m:sSubSup></m:e></m:nary>`,
      r(' = '),
      `<m:rad><m:deg>${r('3')}</m:deg><m:e>${r('8')}</m:e></m:rad>`,
      `<m:m><m:mr><m:e>${r('a')}</m:e><m:e>${r('b')}</m:e></m:mr><m:mr><m:e>${r('c')}</m:e><m:e>${r('d')}</m:e></m:mr></m:m>`,
    ].join('');
    const body = `<w:p><m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">${math}</m:oMath></w:p>`;
    expect(await read('docx', await wordDocument(body))).toMatchObject({
      text: '∑_(i=1)^n x_i^2 = ^3√(8)[a b; c d]',
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

const page = (
  number: number,
): string => `<section style="break-after: page; position: relative; height: 900px">
  <div>Handbook of pumps</div><h2>Step ${number}</h2>
  <p style="width: 300px; text-align: justify">The valve is opened slowly by a quarter of a turn, until the water runs clear again.</p>
  <p>1. Close it.</p><p>2. Dry it.</p><div style="position: absolute; bottom: 0">Page ${number} of 4</div></section>`;
const step = (number: number): string =>
  `# Step ${number}\n\nThe valve is opened slowly by a quarter of a turn, until the water runs clear again.\n\n1. Close it.\n2. Dry it.`;

const NARROW = `<!doctype html><style>td, th { padding: 3px 8px; text-align: left }</style><body>
  <p>It lasts 30 days<sup>2</sup> on 5 m<sup>2</sup>.</p>
  <table><tr><th>Part<th>Number<th>Price<tr><td>Lid<td>A-100<td>4.00<tr><td>Seal ring<td>A-200<td>2.50<tr><td>Motor<td>B-1<td>89.00</table>`;

describe('a PDF', () => {
  let tagged: Buffer;
  let untagged: Buffer;
  let narrow: Buffer;
  beforeAll(async () => {
    const browser = await launchChromium();
    try {
      const tab = await browser.newPage();
      await tab.setContent(HTML);
      tagged = await tab.pdf({ tagged: true });
      await tab.setContent(`<!doctype html><body>${[1, 2, 3, 4].map(page).join('')}</body>`);
      untagged = await tab.pdf({ tagged: false });
      await tab.setContent(NARROW);
      narrow = await tab.pdf({ tagged: false });
    } finally {
      await browser.close();
    }
  });
  it('becomes Markdown by its tags', async () => {
    expect(await read('pdf', tagged)).toEqual({ text: MARKDOWN, title: 'Pump manual' });
  });
  it('without tags has the cells of narrow tables, and raised numbers apart', async () => {
    expect(await read('pdf', narrow)).toMatchObject({
      text: 'It lasts 30 days [2] on 5 m².\n\n| Part | Number | Price |\n| - | - | - |\n| Lid | A-100 | 4.00 |\n| Seal ring | A-200 | 2.50 |\n| Motor | B-1 | 89.00 |',
    });
  });
  it('without tags becomes Markdown by its layout, without header and page numbers', async () => {
    expect(await read('pdf', untagged)).toMatchObject({
      text: [1, 2, 3, 4].map(step).join('\n\n'),
    });
  });
});

describe('a PDF in a script that is read from right to left', () => {
  const HEBREW =
    '<html dir="rtl" lang="he"><body><p>המשאבה צריכה 12 וולט, ונתיך (דגם A-200) לכל 30 דקות.</p></body></html>';
  it.each([true, false])('has its words in order, tagged: %s', async (tagged) => {
    const browser = await launchChromium();
    try {
      const tab = await browser.newPage();
      await tab.setContent(HEBREW);
      expect(await read('pdf', await tab.pdf({ tagged }))).toMatchObject({
        text: 'המשאבה צריכה 12 וולט, ונתיך (דגם A-200) לכל 30 דקות.',
      });
    } finally {
      await browser.close();
    }
  });
  it('has letters in place of the forms in which Arabic ones are drawn', () => {
    const drawn = '\ufed7\ufe8e\ufe8b\ufee4\ufe94';
    expect(plainText(`${drawn} e\ufb03cient`)).toBe('قائمة efficient');
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
      if (mark === 0x04034b50 && bytes.readUInt32LE(at + 22) > MIB)
        bytes.writeUInt32LE(1000, at + 22);
      if (mark === 0x02014b50 && bytes.readUInt32LE(at + 24) > MIB)
        bytes.writeUInt32LE(1000, at + 24);
    }
    return bytes;
  };
  const nested = () =>
    wordDocument(
      `${'<w:sdt><w:sdtContent>'.repeat(20_000)}${'</w:sdtContent></w:sdt>'.repeat(20_000)}`,
    );
  const zip = () => new JSZip().file('a.txt', 'a').generateAsync({ type: 'nodebuffer' });
  it.each<[string, string, () => Promise<Uint8Array> | Uint8Array, RegExp]>([
    [
      'an encrypted PDF',
      'pdf',
      () => pdfOf(Buffer.from('BT ET'), { trailer: encrypted }),
      /^it is encrypted$/,
    ],
    [
      'an encrypted Word document',
      'docx',
      () => Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      /^it is encrypted, or no/,
    ],
    [
      'a scan',
      'pdf',
      () => pdfOf(Buffer.from('0 0 100 100 re f')),
      /^it has no text, like scanned pages/,
    ],
    ['a document without text', 'docx', () => wordDocument(''), /^it has no text$/],
    ['a PDF that is not one', 'pdf', () => Buffer.from('hello'), /^it is damaged or no PDF$/],
    ['an empty file', 'docx', () => new Uint8Array(), /^it is damaged or no Word document$/],
    ['another zip file', 'docx', zip, /no Word/],
    ['a large file', 'pdf', () => new Uint8Array(8 * MIB + 1), /^it is larger than 8 MiB$/],
    ['a document with 40 MiB of text', 'docx', large, /^its text unpacks to more than 32 MiB$/],
    [
      'a document that declares less than it unpacks to',
      'docx',
      understated,
      /^its text unpacks to more than 32 MiB$/,
    ],
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
  const spaces = () =>
    pdfOf(deflatedSpaces(4000), { filter: '/Subtype /Image /Filter /FlateDecode' });
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
    pdfOf(
      Buffer.from(
        `BT /F 10 Tf ${texts.map(([x, y, text]) => `1 0 0 1 ${x} ${y} Tm (${text}) Tj`).join(' ')} ET`,
      ),
    );
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
  it('has items in the items that they are set in under', async () => {
    const bytes = page(
      [50, 700, '1. Open the lid.'],
      [70, 686, '- Turn left.'],
      [90, 672, '- Not hard.'],
      [70, 658, '- Pull up.'],
      [50, 644, '2. Close the lid.'],
    );
    expect(await read('pdf', bytes)).toMatchObject({
      text: '1. Open the lid.\n   - Turn left.\n     - Not hard.\n   - Pull up.\n2. Close the lid.',
    });
  });
  it('has what is drawn later at its place in the line', async () => {
    const bytes = page([50, 700, 'The pump is e'], [126, 700, 'cient.'], [110.03, 700, 'ffi']);
    expect(await read('pdf', bytes)).toMatchObject({
      text: expect.stringMatching(/^The pump is e ?ffi ?cient\.$/),
    });
  });
  it('has tables where short texts stand in columns', async () => {
    const bytes = rows(['Size', 'Price'], ['M8', '4 EUR'], ['M10', '6 EUR']);
    expect(await read('pdf', bytes)).toMatchObject({
      text: '| Size | Price |\n| - | - |\n| M8 | 4 EUR |\n| M10 | 6 EUR |',
    });
  });
});
