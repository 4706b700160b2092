import { Readable } from 'node:stream';
import { XMLParser } from 'fast-xml-parser';
import JSZip from 'jszip';
import mammoth from 'mammoth';
import { readHtml } from '../../documents/read-html.ts';
import { type DocumentText, NotReadable } from './document-text.ts';
import { repairWord } from './repair-word.ts';

/** All parts of text together, unpacked: a document of 500,000 characters has a tenth of it. */
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;
const MAX_PARTS = 5000;
/** How a file in the container of older Office formats begins; an encrypted document is one too. */
const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0];

/**
 * Markdown of a Word document (Office Open XML): headings by their styles, lists, tables, links, footnotes and the alternative text of
 * images. Deleted and hidden text, comments, headers and footers are left out.
 *
 * @throws {NotReadable} When it is encrypted, no such document, or unpacks to too much.
 */
export const docxToMarkdown = async (bytes: Uint8Array): Promise<DocumentText> => {
  if (COMPOUND_FILE.every((byte, index) => bytes[index] === byte))
    throw new NotReadable('it is encrypted, or no .docx file');
  const zip = await JSZip.loadAsync(bytes).catch(() => undefined);
  if (zip?.file('word/document.xml') == null && zip?.file('[Content_Types].xml') == null)
    throw new NotReadable('it is damaged or no Word document');
  await checkUnpackedSize(zip);
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml({ buffer: await repairWord(zip) }, { convertImage });
  const html = value.replaceAll(/\s*<a href="#footnote-ref-\d+">↑<\/a>/g, '');
  const sections = sectionsOf(html).map((section) => readHtml(section, { isPage: false }).text);
  const text = sections.filter((each) => each !== '').join('\n\n');
  if (text === '') throw new NotReadable('it has no text');
  return { text, title: await titleOf(zip) };
};

/** What the parts say of their own size may be wrong, so they are unpacked; images are not, they are never read. */
const checkUnpackedSize = async (zip: JSZip): Promise<void> => {
  const parts = Object.values(zip.files).filter(({ dir, name }) => !dir && /\.(?:xml|rels)$/i.test(name));
  if (Object.keys(zip.files).length > MAX_PARTS) throw new NotReadable(`it has more than ${MAX_PARTS} parts`);
  let unpacked = 0;
  for (const part of parts) {
    // The library's streams are of a Node before iteration.
    for await (const chunk of new Readable().wrap(part.nodeStream())) {
      unpacked += (chunk as Buffer).length;
      if (unpacked > MAX_UNPACKED_BYTES)
        throw new NotReadable(`its text unpacks to more than ${MAX_UNPACKED_BYTES / 1024 / 1024} MiB`);
    }
  }
};

/** Cut before headings that stand in no table: the converter of HTML reduces what has very many tags to its words. */
const sectionsOf = (html: string): string[] => {
  const sections: string[] = [];
  let open = 0;
  for (const piece of html.split(/(?=<h[1-6]>)/)) {
    if (open > 0) sections.push((sections.pop() ?? '') + piece);
    else sections.push(piece);
    open += piece.split('<table').length - piece.split('</table>').length;
  }
  return sections;
};

/** The title among the properties of the document. */
const titleOf = async (zip: JSZip): Promise<string | undefined> => {
  const xml = await zip.file('docProps/core.xml')?.async('string');
  if (xml === undefined) return undefined;
  const parser = new XMLParser({ removeNSPrefix: true, parseTagValue: false, processEntities: true });
  const { coreProperties } = parser.parse(xml) as { coreProperties?: { title?: unknown } }; // any XML: looked at below
  return typeof coreProperties?.title === 'string' ? coreProperties.title : undefined;
};
