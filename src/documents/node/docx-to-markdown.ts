import JSZip from 'jszip';
import mammoth from 'mammoth';
import { readHtml } from '../read-html.ts';
import { type DocumentText, NotReadable } from './document-text.ts';
import { type OfficeParts, openOffice, PROPERTIES, titleOf } from './office-file.ts';
import { withLetters } from './pdf-text.ts';
import { boundXml, type IsRead, type XmlBudget } from './read-xml.ts';
import { CODE_STYLE, repairWord, withNumbers } from './repair-word.ts';
import { readWordStyles, type WordStyles } from './word-styles.ts';

/** Text, notes, styles and lists; neither what other programs add nor what is embedded. */
const READ =
  /^(?!(?:customXml|docProps|word\/(?:theme|media|embeddings|charts|diagrams|glossary))\/).*\.(?:xml|rels)$/i;
const MAIN = /(?:^|\/)document\d*\.xml$/i;

/** Elements and attributes of the text; those of styles, lists and notes together. The libraries take 25 µs and two kilobytes for each. */
const MAX_NODES = 40_000;
const MAX_OTHER_NODES = 40_000;

/**
 * Markdown of a Word document (Office Open XML): headings by their styles, lists, tables, links, footnotes and the alternative text of
 * images. Deleted and hidden text, comments, headers and footers are left out.
 *
 * @throws {NotReadable} When it is encrypted, no such document, or unpacks to too much.
 */
export async function docxToMarkdown(bytes: Uint8Array): Promise<DocumentText> {
  const parts = await openOffice(bytes, {
    kind: 'Word document',
    ending: '.docx',
    main: 'word/document.xml',
    read: READ,
  });
  const title = titleOf(parts);
  parts.delete(PROPERTIES);
  const { isCut, styles } = bound(parts);
  repairWord(parts, styles);
  const styleMap = [`p.${CODE_STYLE} => pre:separator('\\n')`];
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml(
    { buffer: await packed(parts) },
    { convertImage, styleMap, ignoreEmptyParagraphs: false },
  );
  const html = withLetters(withNumbers(value))
    .replaceAll(/<pre>\s*<\/pre>/g, '')
    .replaceAll(/\s*<a href="#footnote-ref-\d+">↑<\/a>/g, '')
    .replaceAll(/<input type="checkbox"( checked="checked")? ?\/>/g, (_, checked) =>
      checked ? '☒' : '☐',
    );
  const sections = sectionsOf(html).map((section) => readHtml(section, { isPage: false }).text);
  const text = sections.filter((each) => each !== '').join('\n\n');
  if (text === '')
    throw new NotReadable(isCut ? `it has no text before ${MAX_NODES} elements` : 'it has no text');
  return { text, title, ...(isCut ? { warnings: [CUT] } : {}) };
}

const CUT = `Cut after ${MAX_NODES} elements and attributes of the text, or ${MAX_OTHER_NODES} of its styles and notes: the document has more`;

/** @returns Whether something was cut. */
function bound(parts: OfficeParts): { isCut: boolean; styles: WordStyles } {
  const main = { nodes: MAX_NODES, isCut: false };
  const others = { nodes: MAX_OTHER_NODES, isCut: false };
  const boundAll = (budget: XmlBudget, isHere: (part: string) => boolean, isRead: IsRead): void => {
    for (const [name, xml] of parts)
      if (isHere(name)) parts.set(name, boundXml(xml, budget, { isRead, unread: OWN_ATTRIBUTES }));
  };
  boundAll(
    others,
    (part) => part === STYLES,
    (name, parent) => name === 'w:rFonts' || isReadInWord(name, parent),
  );
  boundAll(others, (part) => part !== STYLES && !MAIN.test(part), isReadInWord);
  const styles = readWordStyles(parts.get(STYLES) ?? '', parts.get('word/fontTable.xml') ?? '');
  boundAll(
    main,
    (part) => MAIN.test(part),
    (name, parent, attributes) => {
      if (name === 'w:rFonts') return styles.isFixedFont(attributes['w:ascii'] ?? '');
      // The converter fails on the mark of a note that is not there.
      return isReadInWord(name, parent) && !(others.isCut && NOTE_MARKS.test(name));
    },
  );
  return { isCut: main.isCut || others.isCut, styles };
}

const STYLES = 'word/styles.xml';

/** Settings of runs, paragraphs, tables and sections, most of which say how they look. */
const SETTINGS = /^w:(?:r|p|tbl|tc|tr|sect)Pr$/;
const READ_SETTINGS = new Set(
  'b i u strike dstrike vertAlign caps smallCaps vanish specVanish rStyle pStyle numPr outlineLvl rPr ins del tblStyle gridSpan vMerge tblHeader hidden gridBefore'.split(
    ' ',
  ),
);
/** What programs leave in the text for themselves. */
const OWN_MARKS = /^w:(?:proofErr|bookmarkStart|bookmarkEnd|lastRenderedPageBreak|tblGrid)$/;
/** Who wrote what when, which space is one, and fonts of other scripts: more than half of what programs write beside the text. */
const OWN_ATTRIBUTES = /^(?:w:(?:rsid\w*|hAnsi|cs|eastAsia)|w14:(?:paraId|textId)|xml:space)$/;

const NOTE_MARKS = /^w:(?:foot|end)noteReference$/;

const isReadInWord = (name: string, parent: string): boolean =>
  SETTINGS.test(parent) ? READ_SETTINGS.has(name.slice(2)) : !OWN_MARKS.test(name);

/** What the converter reads, so that it unpacks nothing else. */
const packed = (parts: OfficeParts): Promise<Buffer> => {
  const zip = new JSZip();
  for (const [name, xml] of parts) zip.file(name, xml);
  return zip.generateAsync({ type: 'nodebuffer', compression: 'STORE' });
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
