import { deflateRawSync, constants as zlib } from 'node:zlib';
import JSZip from 'jszip';

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

const paragraph = (text: string, properties = ''): string =>
  `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;
const style = (name: string): string => `<w:pStyle w:val="${name}"/>`;
const numbered = (list: number): string =>
  `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="${list}"/></w:numPr>`;
const row = (...cells: string[]): string =>
  `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`;

/** The body of a document with headings, lists and a table. */
export const MANUAL = [
  paragraph('Pump manual', style('Heading1')),
  paragraph('The pump needs 12 V &amp; a fuse.'),
  paragraph('Cleaning', style('Heading2')),
  paragraph('Unplug it.', numbered(1)),
  paragraph('Open the lid.', numbered(1)),
  paragraph('Do not force it.', numbered(2)),
  `<w:tbl>${row('Part', 'Torque')}${row('Lid', '4 Nm')}</w:tbl>`,
].join('');

/** A Word document with this body, and further styles, lists and footnotes. */
export async function wordDocument(
  body = MANUAL,
  title = '',
  more: { styles?: string; numbering?: string; notes?: string; fonts?: string } = {},
): Promise<Buffer> {
  const zip = new JSZip();
  const list = (id: number, format: string): string =>
    `<w:abstractNum w:abstractNumId="${id}"><w:lvl w:ilvl="0"><w:numFmt w:val="${format}"/></w:lvl></w:abstractNum>`;
  const types = [
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>',
  ];
  zip.file(
    '[Content_Types].xml',
    `<Types xmlns="${PACKAGE}/content-types">${types.join('')}</Types>`,
  );
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const relations = (...each: string[]): string =>
    `<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`;
  zip.file('_rels/.rels', relations(relation('r1', 'officeDocument', 'word/document.xml')));
  zip.file(
    'word/_rels/document.xml.rels',
    relations(
      relation('s', 'styles', 'styles.xml'),
      relation('n', 'numbering', 'numbering.xml'),
      relation('f', 'footnotes', 'footnotes.xml'),
    ),
  );
  zip.file(
    'word/document.xml',
    `<w:document xmlns:w="${WORD}"><w:body>${body}</w:body></w:document>`,
  );
  const styles = [1, 2].map(
    (level) =>
      `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`,
  );
  zip.file(
    'word/styles.xml',
    `<w:styles xmlns:w="${WORD}">${styles.join('')}${more.styles ?? ''}</w:styles>`,
  );
  if (more.fonts !== undefined)
    zip.file('word/fontTable.xml', `<w:fonts xmlns:w="${WORD}">${more.fonts}</w:fonts>`);
  const numbers = [1, 2].map(
    (id) => `<w:num w:numId="${id}"><w:abstractNumId w:val="${id}"/></w:num>`,
  );
  zip.file(
    'word/numbering.xml',
    `<w:numbering xmlns:w="${WORD}">${more.numbering ?? ''}${list(1, 'decimal')}${list(2, 'bullet')}${numbers.join('')}</w:numbering>`,
  );
  if (more.notes !== undefined)
    zip.file('word/footnotes.xml', `<w:footnotes xmlns:w="${WORD}">${more.notes}</w:footnotes>`);
  const dc = 'xmlns:dc="http://purl.org/dc/elements/1.1/"';
  const core = `<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" ${dc}><dc:title>${title}</dc:title></cp:coreProperties>`;
  zip.file('docProps/core.xml', core);
  return zip.generateAsync({
    type: 'nodebuffer',
    compression: 'DEFLATE',
    compressionOptions: { level: 1 },
  });
}

/** A PDF of one page with this content stream and trailer. */
export function pdfOf(content: Buffer, { filter = '', trailer = '' } = {}): Buffer {
  const page =
    '/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >>';
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< ${page} >>`,
    Buffer.concat([
      Buffer.from(`<< /Length ${content.length} ${filter} >>\nstream\n`),
      content,
      Buffer.from('\nendstream'),
    ]),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let file = Buffer.from('%PDF-1.7\n');
  const add = (...parts: (string | Buffer)[]): void => {
    file = Buffer.concat([
      file,
      ...parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
    ]);
  };
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    add(`${at + 1} 0 obj\n`, object, '\nendobj\n');
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const start = file.length;
  const count = objects.length + 1;
  add(`xref\n0 ${count}\n0000000000 65535 f \n${offsets.join('')}`);
  add(`trailer\n<< /Size ${count} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`);
  return file;
}

/** Deflated spaces, made without ever holding them unpacked. */
export function deflatedSpaces(megabytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(2 ** 20, ' '), { finishFlush: zlib.Z_FULL_FLUSH });
  const end = deflateRawSync(Buffer.alloc(0));
  return Buffer.concat([
    Buffer.from([0x78, 0x9c]),
    ...Array.from({ length: megabytes }, () => block),
    end,
  ]);
}
