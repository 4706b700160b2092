import type { Element, ElementContent } from 'hast';

/** What the library gives of the text of a page: text with its place, or the border of a marked part. */
export interface PdfItem {
  /** Kind of a border. */
  type?: string;
  id?: string;
  str?: string;
  /** The last two are x and y from the lower left corner, in points. */
  transform?: number[];
  height?: number;
  width?: number;
  hasEOL?: boolean;
}

export const element = (
  tagName: string,
  children: ElementContent[],
  properties: Element['properties'] = {},
): Element => ({ type: 'element', tagName, properties, children });

/** On one line, without the dots that lead to a page number. */
export const plainText = (text: string): string =>
  text
    .replaceAll(/(?:\s*\.){5,}\s*/g, ' … ')
    .replaceAll(/\s+/g, ' ')
    .trim();
