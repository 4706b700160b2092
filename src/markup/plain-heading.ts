import { decodeEntities } from './decode-entities.ts';

/**
 * The words of a heading as a reader sees them: without marks, links' targets, tags and runs of white space. Of CommonMark's
 * inline structure (section 6) this reads code spans, escapes, character references, links with their target in place, images,
 * tags, and emphasis as far as its marks come in pairs.
 *
 * @param source A whole heading as written, with its number signs or its underline; read up to 1000 characters.
 */
export const plainHeading = (source: string): string => {
  const bare = source
    .slice(0, MAX_CHARACTERS)
    .replace(/^\s*#{1,6}(?=\s|$)|[ \t]+#+[ \t]*$|\n[ \t]*(?:=+|-+)[ \t]*$/g, '')
    .trim();
  return (HAS_MARKS.test(bare) ? withoutMarks(bare) : bare).replace(/\s+/g, ' ').trim();
};

const MAX_CHARACTERS = 1000;
const HAS_MARKS = /[\\`*_[\]<&]/;

/** What is taken literally steps aside for a character of private use while marks are read. */
const withoutMarks = (text: string): string => {
  const literals: string[] = [];
  const setAside = (literal: string): string => String.fromCharCode(PRIVATE + literals.push(literal) - 1);
  let words = text.replace(LITERAL, (match, _, code?: string, escaped?: string, address?: string) => {
    if (code !== undefined) return setAside(code.replace(/^ (.*[^ ].*) $/s, '$1'));
    const isTag = match.startsWith('<') && address === undefined;
    return setAside(isTag ? '' : (escaped ?? address ?? decodeEntities(match)));
  });
  for (const pattern of [STARS, STARS, STARS, LINES, LINES, LINES, LINK, LINK]) words = words.replace(pattern, '$2');
  return words.replace(/[\ue000-\uf8ff]/g, (character) => literals[character.charCodeAt(0) - PRIVATE] ?? '');
};

const PRIVATE = 0xe000;
const LITERAL =
  /(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)|\\([!-/:-@[-`{-~])|<([a-z][a-z\d+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]+)>|<(?:\/?[a-z][^<>]*|!--[\s\S]*?--)>|&[#\w]{2,32};|[\ue000-\uf8ff]/gi;
const LINK =
  /(!?)\[([^[\]]*)\]\(\s*(?:<[^<>\n]*>|[^\s()<]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/g;
const STARS = /(\*{1,3})(?=[^\s*])([^*]*[^\s*])\1/g;
const LINES = /(?<![\p{L}\p{N}_])(_{1,3})(?=[^\s_])([^_]*[^\s_]|[^_]+_[^_]*[^\s_])\1(?![\p{L}\p{N}_])/gu;
