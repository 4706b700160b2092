import { expect, it } from 'vitest';
import { linesOfPage, readLines } from '../../../src/documents/node/pdf-lines.ts';
import { regionsOf } from '../../../src/documents/node/pdf-regions.ts';
import { addDrawn, type PdfItem } from '../../../src/documents/node/pdf-text.ts';
import { readBytes } from '../../../src/documents/node/read-bytes.ts';
import { readTaggedPage } from '../../../src/documents/node/tagged-pdf.ts';
import { markdownOfHtml } from '../../../src/documents/read-html.ts';

const at = (str: string, x: number, y = 100, width = 10 * str.length): PdfItem => ({
  str,
  width,
  height: 10,
  transform: [10, 0, 0, 10, x, y],
});
const drawn = (...all: PdfItem[]): string => {
  const items: PdfItem[] = [];
  for (const item of all) addDrawn(items, item);
  return items.map(({ str }) => str).join('|');
};

it('shows text once that is drawn again at its place, the longer of two', () => {
  expect(drawn(at('Title', 10), at('Title', 10.4, 100.3))).toBe('Title');
  expect(drawn(at('Tit', 10), at('Title', 10.2))).toBe('|Title');
  expect(drawn(at('Title', 10), at('tle', 30.2))).toBe('Title');
});
it('shows equal text at other places, and a number in what a long text runs into', () => {
  expect(drawn(at('Title', 10), at('Title', 10, 88), at('Title', 70))).toBe('Title|Title|Title');
  expect(drawn(at('100, 200', 10), at('0', 20))).toBe('100, 200|0');
});

it.each([
  ['a word', ['Keep the han-', 'dle dry.'], 'Keep the handle dry.'],
  [
    'a word that stands elsewhere',
    ['The time-', 'stamp. A time and a stamp make a timestamp.'],
    'timestamp',
  ],
  ['two words', ['It is blight-', 'tainted. The blight, a tainted land.'], 'blight-tainted'],
  ['what has a hyphen elsewhere', ['A dry-', 'run. Every dry-run.'], 'A dry-run'],
])('puts together at the end of a line: %s', (_, texts, words) => {
  const lines = texts.map((text, line) => ({ text, size: 10, x: 50, y: 700 - 12 * line }));
  expect(markdownOfHtml(readLines([lines])[0] ?? { type: 'root', children: [] })).toContain(words);
});

it('parts marked text by the gap before it, and paragraphs within one', () => {
  const mark = (id: string, item: PdfItem): PdfItem[] => [
    { type: 'beginMarkedContentProps', id },
    item,
    { type: 'endMarkedContent' },
  ];
  const items = [
    ...mark('a', at('one', 10)),
    ...mark('b', at('two', 45)),
    ...mark('c', at('s', 75)),
    ...mark('d', at('Box', 10, 50)),
  ];
  const part = (id: string) => ({ type: 'content', id });
  const paragraph = {
    role: 'P',
    children: [part('a'), part('b'), part('c'), { role: 'P', children: [part('d')] }],
  };
  expect(markdownOfHtml(readTaggedPage({ role: 'Root', children: [paragraph] }, items))).toBe(
    'one twos\n\nBox',
  );
});

/** A page with a word in Helvetica, and below it codes of a composite font. */
const compositePdf = ({
  encoding,
  ordering,
  codes,
}: {
  encoding: string;
  ordering: string;
  codes: string;
}) => {
  const content = `BT /F 10 Tf 50 700 Td (Pump) Tj ET BT /G 10 Tf 50 600 Td <${codes}> Tj ET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R/G 6 0 R>>>>>>',
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    `<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/${encoding}/DescendantFonts[7 0 R]>>`,
    `<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>>>`,
  ].map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`);
  return new TextEncoder().encode(`%PDF-1.7\n${objects.join('')}trailer\n<</Root 1 0 R>>\n%%EOF`);
};

it.each([
  { encoding: 'GBK-EUC-H', ordering: 'GB1', codes: 'B1C3', text: '泵' },
  { encoding: 'UniGB-UTF16-H', ordering: 'GB1', codes: '6CF5', text: '泵' },
  { encoding: 'ETen-B5-H', ordering: 'CNS1', codes: 'C0B5', text: '懇' },
  { encoding: '90ms-RKSJ-H', ordering: 'Japan1', codes: '837C83938376', text: 'ポンプ' },
  { encoding: 'KSCms-UHC-H', ordering: 'Korea1', codes: 'C6E3C7C1', text: '펑프' },
])('reads the encoding $encoding, which a font only names', async ({ text, ...font }) => {
  expect(await readBytes('.pdf', compositePdf(font))).toEqual({
    text: `Pump\n\n${text}`,
    title: undefined,
  });
});

it('names an encoding that there is no table for', async () => {
  const file = compositePdf({ encoding: 'Pump-EUC-H', ordering: 'GB1', codes: 'B1C3' });
  expect(await readBytes('.pdf', file)).toMatchObject({
    text: 'Pump',
    warnings: ['Left out text in fonts with an encoding that is not read: Pump-EUC-H'],
  });
});

it('names text in a font that only numbers its glyphs, and shows none of it', async () => {
  const numbers = [...'Oil it every 12 months, and dust it'].map(
    (letter) => letter.charCodeAt(0) - 29,
  );
  const codes = numbers.map((number) => number.toString(16).padStart(4, '0')).join('');
  const file = compositePdf({ encoding: 'Identity-H', ordering: 'Identity', codes });
  expect(await readBytes('.pdf', file)).toMatchObject({
    text: 'Pump',
    warnings: ['Left out text in fonts that do not say which letters they show'],
  });
});

const linesIn = (items: readonly PdfItem[]): string[] => linesOfPage(items).map(({ text }) => text);
/** Lines of prose below each other, from this height. */
const column = (name: string, x: number, y: number, lines = 6): PdfItem[] =>
  Array.from({ length: lines }, (_, line) =>
    at(`${name} ${'abcdef'[line]} has five words`, x, y - 12 * line, 150),
  );

it('reads columns whose lines stand at different heights, below a title, with turned text last', () => {
  const turned: PdfItem = {
    str: 'Copy',
    width: 40,
    height: 10,
    transform: [0, 10, -10, 0, 20, 650],
  };
  const items = [
    turned,
    ...column('left', 50, 700).reverse(),
    ...column('middle', 220, 704),
    at('Title', 50, 740, 320),
  ];
  const words = linesIn([...items, ...column('right', 390, 697)]).map(
    (text) => text.split(' has')[0],
  );
  const all = (name: string): string[] => [...'abcdef'].map((letter) => `${name} ${letter}`);
  expect(words).toEqual(['Title', ...all('left'), ...all('middle'), ...all('right'), 'Copy']);
});
it('keeps rows of short cells together, however many there are', () => {
  const rows = Array.from({ length: 8 }, (_, row) => [
    at('Lid', 50, 700 - 12 * row),
    at('4 Nm', 220, 700 - 12 * row),
  ]);
  expect(linesIn(rows.flat())).toEqual(Array(8).fill('Lid 4 Nm'));
});
/** A row of a table: texts at these places. */
const row = (y: number, ...cells: [text: string, x: number][]): PdfItem[] =>
  cells.map(([text, x]) => at(text, x, y, 5 * text.length));
const rtl = (item: PdfItem): PdfItem => ({ ...item, dir: 'rtl' });
const cellsIn = (items: readonly PdfItem[]) =>
  linesOfPage(items).map(({ text, cells }) => cells ?? text);

it('keeps a row with a single cell in its table, and a text that no other row has a place for in the cell before it', () => {
  const items = [
    ...row(700, ['Lid', 50], ['4 Nm', 220]),
    ...row(688, ['Rim', 50], ['5 Nm', 220], ['dry', 300]),
    ...row(676, ['Cap', 50], ['6 Nm', 220]),
    ...row(664, ['7 Nm', 220]),
  ];
  expect(cellsIn(items)).toEqual([
    ['Lid', '4 Nm'],
    ['Rim', '5 Nm dry'],
    ['Cap', '6 Nm'],
    ['', '7 Nm'],
  ]);
});
it('parts narrow cells by the rows beside them alone, not by others further below', () => {
  const near = [700, 688, 676].flatMap((y) => row(y, ['Lid of A', 50], ['4 Nm', 102]));
  expect(cellsIn([...near, ...row(600, ['Lids of all', 50], ['5 Nm', 117])])).toEqual([
    ['Lid of A', '4 Nm'],
    ['Lid of A', '4 Nm'],
    ['Lid of A', '4 Nm'],
    'Lids of all 5 Nm',
  ]);
});
it('reads columns and cells from the right where the words are', () => {
  const cells = [700, 688, 676].flatMap((y) => row(y, ['שתיים', 50], ['אחת', 220]).map(rtl));
  expect(cellsIn(cells)).toEqual(Array(3).fill(['אחת', 'שתיים']));
  const lines = (word: string, x: number) =>
    Array.from({ length: 6 }, (_, line) =>
      rtl(at(`${word} אחת שתיים שלוש ארבע`, x, 700 - 12 * line - x / 100, 150)),
    );
  const words = linesIn([...lines('שמאל', 50), ...lines('ימין', 220)]).map(
    (text) => text.split(' ')[0],
  );
  expect(words).toEqual([...Array(6).fill('ימין'), ...Array(6).fill('שמאל')]);
});
it('takes text that begins at any place beside prose for no column', () => {
  const beside = Array.from({ length: 18 }, (_, line) =>
    at('a note that begins anywhere', line < 5 ? 220 : 220 + 3 * line, 700 - 12 * line, 120),
  );
  const prose = Array.from({ length: 18 }, (_, line) =>
    at('prose of five words here', 50, 700 - 12 * line, 150),
  );
  expect(regionsOf([...prose, ...beside])).toHaveLength(1);
});
it('reads the columns above a line that goes over both before those below it', () => {
  const items = [
    ...column('one', 50, 700),
    ...column('two', 220, 697),
    at('A title over both of these columns', 50, 610, 320),
    ...column('three', 50, 590),
    ...column('four', 220, 587),
  ];
  const words = linesIn(items).map((text) => text.split(' ')[0] ?? '');
  expect(words.filter((word, place) => word !== words[place - 1])).toEqual([
    'one',
    'two',
    'A',
    'three',
    'four',
  ]);
});

it('joins a sign of a font without letters to the item that it stands before', () => {
  const items = ['Oil it', 'Dust it', 'Keep it'].flatMap((text, line) => [
    at('\u0001', 50, 700 - 12 * line, 5),
    at(' ', 55, 700 - 12 * line, 20),
    at(text, 75, 700 - 12 * line),
  ]);
  expect(markdownOfPages([linesOfPage(items)])).toEqual(['- Oil it\n- Dust it\n- Keep it']);
});

const line = (text: string, y: number, size = 10) => ({ text, size, x: 50, y });
const markdownOfPages = (pages: Parameters<typeof readLines>[0]): string[] =>
  readLines(pages).map((page) => markdownOfHtml(page));

it('leaves out headers and footers of left and of right pages, and keeps a title with their words', () => {
  const pages = Array.from({ length: 8 }, (_, page) => [
    page === 0
      ? line('The pump', 780, 18)
      : line(page % 2 === 0 ? 'The pump' : `${page} Care`, 780, 9),
    line(`Text ${'abcdefgh'[page]}.`, 700),
    line(`Edition ${page}`, 40),
  ]);
  expect(markdownOfPages(pages)).toEqual([
    '# The pump\n\nText a.',
    ...[...'bcdefgh'].map((each) => `Text ${each}.`),
  ]);
});
it('leaves out a table of contents, and keeps a list of prices', () => {
  const list = (...numbers: (number | string)[]) =>
    numbers.map((number, at) => line(`${'ABCDEF'[at]} lid … ${number}`, 700 - 14 * at));
  expect(markdownOfPages([[...list('iv', 1, 3, 3, 9), line('Chapter 12', 600)]])).toEqual(['']);
  expect(markdownOfPages([list(4, 12, 3, 8, 9)])[0]).toContain('C lid … 3');
});
it('takes the numbers and bullets of items from their texts where tags have no labels', () => {
  const item = (id: string) => ({
    role: 'LI',
    children: [{ role: 'LBody', children: [{ type: 'content', id }] }],
  });
  const textOf = (...texts: string[]): string => {
    const items = texts.flatMap((text, id): PdfItem[] => [
      { type: 'beginMarkedContentProps', id: String(id) },
      at(text, 50, 700 - 12 * id),
      { type: 'endMarkedContent' },
    ]);
    return markdownOfHtml(
      readTaggedPage(
        { children: [{ role: 'L', children: texts.map((_, id) => item(String(id))) }] },
        items,
      ),
    );
  };
  expect(textOf('3. Open it', '4. Close it')).toBe('3. Open it\n4. Close it');
  expect(textOf('o Open it', 'o Close it')).toBe('- Open it\n- Close it');
  expect(textOf('o Open it', '• Close it')).toBe('- o Open it\n- • Close it');
});

it('has lines in a font of one width as code, with their spaces, unless all lines are', () => {
  const code = (text: string, x: number, y: number): PdfItem => ({
    ...at(text, x, y, 5 * text.length),
    isFixed: true,
  });
  const text = [
    at('Write this listing:', 50, 700),
    at('Then close it with the', 50, 600),
    code('stop', 50, 588),
  ];
  const inLine = [
    at('Run it with ', 50, 540, 60),
    code('pump', 112, 540),
    code('lid', 50, 528),
    at(' and stop.', 65, 528),
  ];
  const listing = [
    code('install:', 70, 676),
    code('./pump', 90, 664),
    code('$(BIN)', 125, 664),
    code('end', 70, 640),
  ];
  const all = [text[0] ?? {}, ...listing, ...text.slice(1), ...inLine];
  expect(markdownOfPages([linesOfPage(all)])).toEqual([
    'Write this listing:\n\n```\ninstall:\n    ./pump $(BIN)\n\nend\n```\n\nThen close it with the stop\n\nRun it with pump lid and stop.',
  ]);
  expect(markdownOfPages([linesOfPage(listing)])[0]).not.toContain('```');
});
