import { expect, it } from 'vitest';
import { cellSpansIn } from '../../../src/documents/node/pdf-cell-spans.ts';
import { readTaggedPage, type TagNode } from '../../../src/documents/node/tagged-pdf.ts';
import { markdownOfHtml } from '../../../src/documents/read-html.ts';

const FILE = Buffer.from(
  [
    '7 0 obj\n<</Type/StructElem/S/TH/Pg 3 0 R/A<</O/Table/RowSpan 2>>/K[0]>>\nendobj',
    '8 0 obj\n<</Type/StructElem/S/TH/Pg 3 0 R/A [20 0 R 21 0 R]/K[9 0 R]>>\nendobj',
    '9 0 obj\n<</Type/StructElem/S/P/K <</Type/MCR/Pg 3 0 R/MCID 1>>>>\nendobj',
    '21 0 obj\n<</O/Table/ColSpan 2>>\nendobj',
    '10 0 obj\n<</Type/StructElem/S/TD/Pg 3 0 R/A<</O/Table/ColSpan 1>>/K 5>>\nendobj',
  ].join('\n'),
);

it('finds cells that cover several rows or columns, with attributes of their own or by reference', () => {
  expect([...cellSpansIn(FILE, [])]).toEqual([
    ['p3R_mc0', { colSpan: 1, rowSpan: 2 }],
    ['p3R_mc1', { colSpan: 2, rowSpan: 1 }],
  ]);
});

it('finds them among packed objects', () => {
  const first = '<</S/TD/Pg 3 0 R/A<</ColSpan 2/O/Table>>/K 31 0 R>>';
  const numbers = `30 0 31 ${first.length} `;
  const packed = {
    dictionary: `<</Type/ObjStm/N 2/First ${numbers.length}>>`,
    text: `${numbers}${first}<</S/P/K[8]>>`,
  };
  expect([...cellSpansIn(Buffer.from('%PDF'), [packed])]).toEqual([
    ['p3R_mc8', { colSpan: 2, rowSpan: 1 }],
  ]);
});

it('ends where an element holds itself', () => {
  expect([...cellSpansIn(Buffer.from('5 0 obj <</A<</RowSpan 2>>/K 5 0 R>> endobj'), [])]).toEqual(
    [],
  );
});

it('spells merged cells of a tagged page out', () => {
  const cell = (role: string, id: number): TagNode => ({
    role,
    children: [{ type: 'content', id: `p3R_mc${id}` }],
  });
  const rows = [
    [cell('TH', 0), cell('TH', 1)],
    [cell('TH', 2), cell('TH', 3)],
    [cell('TD', 4), cell('TD', 5), cell('TD', 6)],
  ].map((children) => ({ role: 'TR', children }));
  const items = ['Tariff', 'Fee', 'Month', 'Year', 'Basic', '3', '30'].flatMap((str, at) => [
    { type: 'beginMarkedContentProps', id: `p3R_mc${at}` },
    { str },
    { type: 'endMarkedContent' },
  ]);
  const page = readTaggedPage(
    { role: 'Root', children: [{ role: 'Table', children: rows }] },
    items,
    cellSpansIn(FILE, []),
  );
  expect(markdownOfHtml(page)).toBe(
    '| Tariff | Fee Month | Fee Year |\n| - | - | - |\n| Basic | 3 | 30 |',
  );
});
