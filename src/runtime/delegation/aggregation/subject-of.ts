/** What a statement speaks about beyond its words. */
export interface Subject {
  /** Numbered or lettered things: `iphone 17`, `apollo ii`, `step 3`, `8-pin`. */
  labels: readonly string[];
  /** Other names: capitalised words that do not begin the sentence. */
  names: readonly string[];
  /** Under what it holds: `in 2024`, `when`, `if`. */
  scopes: readonly string[];
}

/**
 * Reads what a statement speaks about.
 *
 * @param rest The statement without its quantities, which are none of its names.
 */
export const subjectOf = (statement: string, rest: string): Subject => ({
  labels: labelsOf(rest),
  names: namesOf(rest),
  scopes: scopesOf(statement),
});

/** Names with a number or numeral, and kinds (`8-pin`); what counts something is not among them. */
const labelsOf = (text: string): string[] =>
  [...text.matchAll(LABEL)].map(([label]) => label.toLowerCase().replace(/[\s#.-]+/g, ' '));

const LABEL =
  /\b(?:[Ss]tep|[Ss]ection|[Cc]hapter|[Pp]age|[Ff]igure|[Tt]able|[Aa]rticle|[Oo]rder|[Tt]icket|[Ii]nvoice|[Cc]ase|[Pp]hase|[Ll]evel|[Tt]ier|[Rr]oom|[Gg]ate|[Qq]uestion|[Pp]art|[Nn]o\.?|[Nn]r\.?)\s#?\d+\b|\b\p{L}*\p{Lu}\p{L}*\s(?:\d{1,4}(?![\d.,:]*\d)|[IVX]{1,4})\b|\b\p{Lu}{1,5}-?\d+\p{L}*\b|\b\d{1,4}-\p{L}+/gu;

const namesOf = (text: string): string[] =>
  [...text.matchAll(/(?<=[\p{L}\p{N},;:"“(]\s["“(]?)\p{Lu}[\p{L}\p{M}-]+/gu)]
    .map(([name]) => name.toLowerCase())
    .filter((name) => !COMMON_CAPITALS.has(name));

const COMMON_CAPITALS = new Set(
  'eur usd gbp chf gb mb kb tb january february march april may june july august september october november december yes no'.split(
    ' ',
  ),
);

const scopesOf = (text: string): string[] =>
  [...text.matchAll(SCOPE)].map(([scope]) => scope.toLowerCase().replace(/\s+/g, ' '));

const SCOPE =
  /\b(?:if|unless|when|while|until|except|during|only|alone|before|after|without|last|next|previous|old|new|today|tomorrow|yesterday|weekends?|weekdays|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\b(?:in|for|during|since)\s(?:19|20)\d{2}\b/gi;
