import type { Element, ElementContent } from 'hast';
import { scripted } from '../../documents/script-marks.ts';

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

/** Whether smaller type stands above the line. */
export const isRaised = (item: { y: number; height: number }, line: { y: number; size: number }): boolean =>
  item.height > 0 && item.height < 0.85 * line.size && item.y > line.y + 0.15 * line.size;

/** A raised number is a power behind a number or a sign (10⁶, m²), and the mark of a note behind a word or a sentence. */
export const raised = (number: string, before: string): string =>
  /(?:\d|(?<!\p{L})\p{L}{1,2})$/u.test(before) ? scripted(number, 'sup') : ` [${number}]`;
