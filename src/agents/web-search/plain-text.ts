import { decodeEntities } from '../../markup/decode-entities.ts';

/**
 * What a stranger's title or snippet says, as one line of plain text: without tags, character references, control,
 * bidirectional and invisible characters, and without anything that a reader's program might turn into a link by itself.
 *
 * @param limit In UTF-16 units; what is longer ends in `…`.
 */
export const plainText = (text: string, limit: number): string => {
  const visible = decodeEntities(withoutTags(text.slice(0, MAX_READ)))
    .normalize('NFC')
    .replace(/[\t-\r\u0085\u2028\u2029]/g, ' ')
    .replace(INVISIBLE, '');
  // Again, as a reference may have stood for a sign of a tag, or an invisible one within it.
  return shortened(withoutTags(visible).replace(ADDRESS, '…').replace(/\s+/g, ' ').trim(), limit);
};

/** Nobody shows more than this of a title or snippet. */
const MAX_READ = 2000;

const withoutTags = (text: string): string => {
  let rest = text.replace(ACTIVE, ' ');
  // A tag may appear when another is taken out of it; of those nested deeper than this the first sign goes, below.
  for (let round = 0; round < MAX_NESTED && TAG.test(rest); round++) rest = rest.replaceAll(TAGS, '');
  return rest.replace(OPEN_TAG, '').replace(OPENING, (signs, next: string) => (next === '' ? signs : next));
};

const MAX_NESTED = 4;

/** Elements whose content is no text. */
const ACTIVE = /<(script|style|template|noscript|svg|iframe)\b[^<>]*>[^<]{0,4000}<\/\1\s*>/gi;
const TAG = /<[a-z/!?][^<>]*>/i;
const TAGS = new RegExp(TAG, 'gi');
/** A tag that the provider's limit has cut. */
const OPEN_TAG = /<[a-z/!?][^<>]*$/gi;
const OPENING = /<+([a-z/!?]?)/gi;

/** Controls, bidirectional marks, what has no width or no picture, and halves of characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]/gu;

/** Addresses of any scheme, hosts with www, and mail addresses: Markdown readers link them unasked. */
const ADDRESS =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/\S*|\b(?:javascript|data|vbscript|file|mailto|tel|xmpp|blob|www(?=\.))[:.]\S+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/gi;

const shortened = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  // Not within a character.
  return `${text
    .slice(0, limit - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
};
