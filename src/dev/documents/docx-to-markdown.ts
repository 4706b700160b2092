import mammoth from 'mammoth';
import { readHtml } from '../../documents/read-html.ts';
import { type DocumentText, NotReadable } from './document-text.ts';
import { openOffice, titleOf } from './office-file.ts';
import { repairWord } from './repair-word.ts';

/**
 * Markdown of a Word document (Office Open XML): headings by their styles, lists, tables, links, footnotes and the alternative text of
 * images. Deleted and hidden text, comments, headers and footers are left out.
 *
 * @throws {NotReadable} When it is encrypted, no such document, or unpacks to too much.
 */
export const docxToMarkdown = async (bytes: Uint8Array): Promise<DocumentText> => {
  const zip = await openOffice(bytes, { kind: 'Word document', ending: '.docx', main: 'word/document.xml' });
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml({ buffer: await repairWord(zip) }, { convertImage });
  const html = value.replaceAll(/\s*<a href="#footnote-ref-\d+">↑<\/a>/g, '');
  const sections = sectionsOf(html).map((section) => readHtml(section, { isPage: false }).text);
  const text = sections.filter((each) => each !== '').join('\n\n');
  if (text === '') throw new NotReadable('it has no text');
  return { text, title: await titleOf(zip) };
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
