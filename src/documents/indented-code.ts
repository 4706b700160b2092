import { fenceAfter, type OpenFence } from '../language/outside-code.ts';
import { columnsOf } from './indented-blocks.ts';

/** Columns that make code of a line after an empty one (CommonMark 0.31.2, 4.4). */
const CODE_INDENT = 4;

/**
 * What may hold indented text: items, terms, footnotes, blocks of dialects, template tags, HTML. What
 * follows one of these is left to whoever reads it.
 */
const CONTAINER_START =
  /^ {0,3}(?:[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$)|[:~]\s|\[\^|!!!|\?\?\?|===[+!]?[ \t]+"|:::|\/\/\/|\{[{%]|<(?!https?:|mailto:|br\b)|@|>)/;

/** Starts a block of a dialect even when indented; an indented tag within open HTML elements is not code. */
const DIALECT = /^[ \t]*(?:<|!!!|\?\?\?|===[+!]?[ \t]+")/;

/** Marks that begin and end within a line. */
const PAIRS = /<!--.*?-->|\{#.*?#\}|%%.*?%%|\[(\w{1,20})\b[^\]]*\].*?\[\/\1\]/g;
/** Marks that may begin or end something over several lines. */
const OPEN_MARK =
  /<!--|-->|%%|\{#\s|#\}|\{::|\{:\/|\{%-?\s{0,9}(?:end)?(?:comment|raw|verbatim|highlight)|\{\{[-!/]|\/\s?\*|\*\/|--\}\}|(?<![\w[])\[\/?[a-z]{3,20}\](?!\])|<\/(?:pre|script|style)/i;

/** Maximum length of a line that is taken for code, in UTF-16 units. */
const MAX_LINE_LENGTH = 500;

/** On both sides of the number of a masked line. A noncharacter, which is not for interchange (Unicode, section 23.7). */
const MASK = '\ufdd4';

interface MaskedCode {
  /** The text with a number in place of each line of indented code. */
  text: string;
  /** Puts the lines back. */
  unmask(text: string): string;
}

/**
 * Masks code that is indented by four columns, so that no reader of dialects takes its characters for marks. Only
 * below a paragraph or heading at the margin, where it is nothing else. What removes or moves lines treats
 * them as before.
 */
export function maskIndentedCode(text: string): MaskedCode {
  if (!/^(?: {4}| {0,3}\t)/m.test(text)) return { text, unmask: (each) => each };
  const maskedLines: string[] = [];
  const lines = text.replaceAll(MASK, '').split('\n');
  let fence: OpenFence | undefined;
  let isInContainer = false;
  let isInCode = false;
  let isAfterBlank = true;
  const outputLines = lines.map((line) => {
    const openFence = fence;
    fence = fenceAfter(line, openFence);
    const isBlank = line.trim() === '';
    const isFenced = openFence !== undefined || fence !== undefined;
    const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
    const isIndented = columnsOf(indent) >= CODE_INDENT;
    const isBeginning = isAfterBlank && !isInContainer && !DIALECT.test(line);
    if (!isBlank) isInCode = !isFenced && isIndented && (isInCode || isBeginning);
    if (!isBlank && !isInCode && !isFenced) {
      const isMargin = isAfterBlank && /^\S/.test(line);
      isInContainer = CONTAINER_START.test(line) || (isInContainer && !isMargin);
    }
    isAfterBlank = isBlank;
    if (isBlank || !isInCode || line.length > MAX_LINE_LENGTH) return line;
    if (OPEN_MARK.test(line.replace(PAIRS, ''))) return line;
    return `${indent}${MASK}${maskedLines.push(line.slice(indent.length)) - 1}${MASK}`;
  });
  return {
    text: outputLines.join('\n'),
    unmask: (each) => each.replace(MASK_PATTERN, (_, at: string) => maskedLines[Number(at)] ?? ''),
  };
}

const MASK_PATTERN = new RegExp(`${MASK}(\\d{1,7})${MASK}`, 'g');
