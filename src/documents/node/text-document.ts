import { decodeText } from '../../language/decode-text.ts';
import { type FrontMatter, frontMatterOf, splitFrontMatter } from '../front-matter.ts';
import { type DocumentText, NotReadable } from './document-text.ts';

export const NO_TEXT = 'it is no text, or its encoding is in doubt. Save it as UTF-8';

/** How a document that is text is read from its bytes. */
export function textReader(read: (text: string) => DocumentText | Promise<DocumentText>) {
  return async (bytes: Uint8Array): Promise<DocumentText> => {
    const text = decodeText(bytes);
    if (text === undefined) throw new NotReadable(NO_TEXT);
    return read(plainLines(text));
  };
}

/** The same, of one that may begin with front matter, or with fields of its own. */
export function pageReader(read: (text: string) => DocumentText | Promise<DocumentText>) {
  return textReader(async (text) => {
    const { body, warnings } = splitFrontMatter(text);
    const document = await read(body);
    if (document.text === '') throw new NotReadable('it has no text');
    return {
      ...document,
      front: headerOf(text),
      warnings: [...warnings, ...(document.warnings ?? [])],
    };
  });
}

/** Line ends as `\n`, without control characters that no text holds. */
const plainLines = (text: string): string =>
  text
    .toWellFormed()
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to drop
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '');

const MAX_HEADER = 16_384;
/** `:modified: 2025-01-02` of reStructuredText and AsciiDoc, and what Nikola writes into comments. */
const FIELD = /^(?:\.\. )?:?([A-Za-z][\w-]{0,40}): +(\S.{0,500})$/gm;
const FIELD_LINE = /^(?:\.\. [a-z]+: |:[A-Za-z][\w-]{0,40}:)/;

/** What a page in reStructuredText or AsciiDoc says of itself: its front matter, or the fields near its beginning. */
export function headerOf(text: string): FrontMatter {
  const beginning = plainLines(text.slice(0, MAX_HEADER));
  const { front, body } = splitFrontMatter(beginning);
  const fields: Record<string, unknown> = {};
  // Fields stand before the first paragraph: titles, comments and blank lines may come between.
  const header = body
    .split('\n')
    .slice(0, 60)
    .filter((line) => FIELD_LINE.test(line));
  for (const [, name = '', value = ''] of header.join('\n').matchAll(FIELD)) {
    const key = name.replace(/^page-/, '').replace(/^revdate$/, 'modified');
    if (READ.has(key)) fields[key] ??= value.trim();
    if (/^(?:status|jbake-status)$/.test(name) && value.trim() === 'draft') fields.draft = true;
  }
  const own = frontMatterOf(fields);
  return {
    ...own,
    ...Object.fromEntries(Object.entries(front).filter(([, value]) => value !== undefined)),
  };
}

/** Fields that say something of the document, in either language. */
const READ = new Set(
  'author lang language date modified updated lastmod last_updated last-updated draft published url audience audiences intent intents device devices'.split(
    ' ',
  ),
);
