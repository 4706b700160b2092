/** Something in an answer that is true only if a source has it literally (seed 004, hallucination patterns). */
export interface Claim {
  kind: ClaimKind;
  text: string;
}

export type ClaimKind = 'url' | 'arn' | 'code' | 'command' | 'path' | 'identifier' | 'number';

/**
 * Finds what an answer states literally: URLs, ARNs, code spans and blocks, shell commands, file paths, identifiers and
 * numbers. What one kind has taken is not read again as another, so that the digits of a URL are not numbers too.
 *
 * @returns Each claim once, at most 500.
 */
export const extractClaims = (answer: string): Claim[] => {
  const claims = new Map<string, Claim>();
  let rest = answer;
  for (const { kind, pattern, textOf, blanks = true } of EXTRACTORS) {
    rest = rest.replace(pattern, (whole: string, ...groups: unknown[]) => {
      const text = textOf ? textOf(whole, groups) : whole;
      if (text === undefined) return whole;
      for (const part of text.split('\n')) addClaim(claims, kind, part);
      return blanks ? ' '.repeat(whole.length) : whole;
    });
  }
  return [...claims.values()].slice(0, MAX_CLAIMS);
};

const MAX_CLAIMS = 500;

const addClaim = (claims: Map<string, Claim>, kind: ClaimKind, raw: string) => {
  const text = raw.trim();
  if (text !== '') claims.set(`${kind} ${text}`, { kind, text });
};

interface Extractor {
  kind: ClaimKind;
  pattern: RegExp;
  /** The claim within the match; undefined when it is none after all. */
  textOf?: (whole: string, groups: unknown[]) => string | undefined;
  /** Whether the match is taken out of what later kinds read. */
  blanks?: boolean;
}

const PROGRAMS =
  'kubectl|helm|docker|podman|aws|gcloud|az|git|npm|npx|yarn|pnpm|pip3?|curl|wget|terraform|ansible|ssh|scp|rsync|sudo|systemctl|' +
  'journalctl|apt|apt-get|yum|dnf|brew|psql|mysql|sqlite3|redis-cli|wrangler|chmod|chown|mkdir|grep|openssl|ping|nslookup|' +
  'ipconfig|ifconfig|netsh|regedit|powershell|msiexec';

// A word after a program's name that makes it a sentence about the program, not a command.
const PROSE_WORDS = new Set(
  'is are was were has have had can could will would may might must should does do did and or but to for from in on at of as by with the a an command commands cli client server image images container containers user users'.split(
    ' ',
  ),
);

const commandOf = (_whole: string, [program, first]: unknown[]): string | undefined =>
  PROSE_WORDS.has(String(first).toLowerCase()) ? undefined : `${program} ${first}`;

const EXTENSIONS =
  'md|mdx|html?|ya?ml|json|toml|ini|conf|cfg|env|txt|csv|xml|log|sh|bash|ps1|bat|ts|tsx|js|mjs|py|rb|go|rs|java|tf|sql|exe|dll|msi|pem|crt|key|zip|pdf|bin|img';

const EXTRACTORS: Extractor[] = [
  {
    kind: 'url',
    pattern: /\b(?:https?|ftp|wss?):\/\/[^\s<>"'`)\]}]{1,500}/gi,
    textOf: (whole) => whole.replace(/[.,;:!?]+$/, ''),
  },
  {
    kind: 'arn',
    pattern: /\barn:[\w-]*:[\w-]*:[^\s<>"'`)\]}]{1,300}/gi,
    textOf: (whole) => whole.replace(/[.,;:!?]+$/, ''),
  },
  {
    kind: 'code',
    pattern: /(?:^|\n)[ \t]*(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n([\s\S]*?)(?:\n[ \t]*\1|$)/g,
    textOf: (_whole, groups) => String(groups[1]),
  },
  { kind: 'code', pattern: /(`{1,2})([^`]{1,500}?)\1/g, textOf: (_whole, groups) => String(groups[1]) },
  // A command set in quotes is taken whole; in running text its first two words and its flags have to be there.
  {
    kind: 'command',
    pattern: new RegExp(`(['"‘“])((?:${PROGRAMS})\\s[^'"’”\\n]{1,300})['"’”]`, 'g'),
    textOf: (_whole, groups) => String(groups[1]),
  },
  {
    kind: 'command',
    pattern: new RegExp(`(?<![\\w/.-])(${PROGRAMS})[ \\t]+([\\w./<{$-][\\w./<>{}$=:-]{0,100})`, 'g'),
    textOf: commandOf,
  },
  { kind: 'path', pattern: /\b(?:HKEY_[A-Z_]+|HKLM|HKCU|[A-Z]:)(?:\\[^\\\s"'`<>|,;]{1,100})+/g },
  {
    kind: 'path',
    pattern: new RegExp(
      `(?<![\\w/.@-])(?:~?\\/)?(?:[\\w.@-]{1,100}\\/){0,12}[\\w.@-]{0,100}\\.(?:${EXTENSIONS})\\b(?![\\w/])`,
      'gi',
    ),
  },
  {
    kind: 'path',
    pattern:
      /(?<![\w/.<])~?\/(?:[\w.@-]{1,100}\/){1,12}[\w.@-]{0,100}|(?<![\w/.<])\/(?:etc|usr|var|opt|home|tmp|dev|api|v\d)\b/g,
  },
  {
    kind: 'identifier',
    pattern: /(?<![\w-])--?[a-zA-Z][\w-]{1,60}(?=[\s=,.;)]|$)/g,
    textOf: (whole) => (whole.startsWith('--') ? whole : undefined),
  },
  { kind: 'identifier', pattern: /\b\w*[A-Za-z]_\w+\b/g },
  { kind: 'identifier', pattern: /\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b/g },
  // Bounded: otherwise a run of dots or dashes is read to its end from each of its places.
  {
    kind: 'identifier',
    pattern: /\b(?=[\w.-]{0,200}\d)(?=[\w.-]{0,200}[A-Za-z])[A-Za-z0-9][\w.-]{1,60}\b/g,
    textOf: identifierOf,
  },
  // The mark of a list item says nothing of its own.
  {
    kind: 'number',
    pattern: /(?!(?<=^[ \t]{0,8})\d{1,3}[.)][ \t])(?<![\p{L}\p{N}_.])\d(?:[\d.,:]*\d)?(?:(?:st|nd|rd|th|s)\b)?/gmu,
  },
];

/** "3rd", "1990s" and "30s" are numbers with an ending. */
function identifierOf(whole: string): string | undefined {
  return /^\d+(?:st|nd|rd|th|s)$/i.test(whole) ? undefined : whole;
}
