import type { Omission, OmissionKind } from '../../../../contract/wire/host-article.ts';

/** A line of the source of an article, and what became of it. */
export interface SourceLine {
  text: string;
  /** `read`: its words are in the article; `fields`: front matter; `blank`: it has no words. Else why it was left out, or `unread`. */
  fate: 'read' | 'fields' | 'blank' | 'unread' | OmissionKind;
}

/** From this share of its pairs of words on, a line is in a text. */
const SHARE = 0.5;

/** Compares the source of an article with what was read of it, line by line. Independent of what its reader says of itself. */
export function sourceLines(
  source: string,
  { title, text, leftOut }: { title: string; text: string; leftOut: readonly Omission[] },
): SourceLine[] {
  const isInArticle = finder(`${title}\n${text}`);
  const omissions = leftOut.map(({ kind, samples }) => ({
    kind,
    finds: finder(samples.join('\n')),
  }));
  const fieldLines = frontMatterLines(source);
  let last: SourceLine['fate'] = 'read';
  return source.split('\n').map((line, at): SourceLine => {
    if (at < fieldLines) return { text: line, fate: 'fields' };
    const words = wordsOf(line);
    if (words.length === 0) return { text: line, fate: 'blank' };
    if (isInArticle(words)) {
      last = 'read';
      return { text: line, fate: 'read' };
    }
    const reason = omissions.find(({ finds }) => finds(words))?.kind;
    // Only the beginning of what was left out is known.
    const fate =
      reason ?? (last === 'read' || last === 'fields' || last === 'blank' ? 'unread' : last);
    last = fate;
    return { text: line, fate };
  });
}

/** Lines of front matter in YAML, TOML or JSON, with its delimiters. */
const frontMatterLines = (source: string): number => {
  const match =
    /^\uFEFF?(---|\+\+\+)[ \t]*\r?\n[\s\S]{0,16384}?\n\1[ \t]*(?:\r?\n|$)/.exec(source) ??
    /^\uFEFF?\{\r?\n[\s\S]{0,16384}?\n\}[ \t]*(?:\r?\n|$)/.exec(source);
  return match === null ? 0 : match[0].split('\n').length - 1;
};

/** A run of letters and digits: the console compares texts of one article with each other, in any language. */
export const WORD = /[\p{L}\p{N}]+/gu;

/** Words as they are read: without tags, targets of links and character references. */
export function wordsOf(markdown: string): string[] {
  return (
    markdown
      .replace(/\]\((?:[^()\n]|\([^()\n]*\))*\)/g, ']')
      .replace(/<\/?[a-z][^>\n]*>/gi, ' ')
      .replace(/&#?\w{1,10};/g, ' ')
      .toLowerCase()
      .match(WORD) ?? []
  );
}

const pairsOf = (words: readonly string[]): string[] =>
  words.slice(1).map((word, at) => `${words[at]} ${word}`);

const finder = (text: string): ((words: readonly string[]) => boolean) => {
  const all = wordsOf(text);
  const words = new Set(all);
  const pairs = new Set(pairsOf(all));
  return (line) => {
    const isOneWord = line.length === 1;
    const parts = isOneWord ? line : pairsOf(line);
    const vocabulary = isOneWord ? words : pairs;
    return parts.filter((part) => vocabulary.has(part)).length >= SHARE * parts.length;
  };
};

export interface Outline {
  /** Headings of the first two levels that the article has, with their part of the text. */
  parts: { id: string; heading: string; text: string; start: number }[];
  sections: number;
  tables: number;
  codeBlocks: number;
}

/** Characters of a part, which is as much as is shown with its marks. */
const MAX_PART = 30_000;

/** The parts of an article at its headings, and what it holds. */
export function outlineOf(text: string): Outline {
  const outline: Outline = { parts: [], sections: 0, tables: 0, codeBlocks: 0 };
  let fence = '';
  let start = 0;
  let heading = '';
  let at = 0;
  const end = (to: number): void => {
    if (text.slice(start, to).trim() !== '')
      outline.parts.push({
        id: `part-${outline.parts.length + 1}`,
        heading,
        text: text.slice(start, to),
        start,
      });
    start = to;
  };
  for (const line of text.split('\n')) {
    const [, mark = ''] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== '') {
      if (mark.startsWith(fence) && line.trim() === mark) fence = '';
    } else if (mark !== '') {
      fence = mark;
      outline.codeBlocks += 1;
    } else {
      const [, level = '', words = ''] = /^(#{1,6})\s+(.+)$/.exec(line) ?? [];
      if (level !== '') {
        outline.sections += 1;
        if (level.length <= 3 || at - start > MAX_PART) {
          end(at);
          heading = wordsAsShown(words);
        }
      } else if (at - start > MAX_PART && line === '') end(at);
      if (/^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/.test(line)) outline.tables += 1;
    }
    at += line.length + 1;
  }
  end(text.length);
  return outline;
}

const wordsAsShown = (markdown: string): string =>
  markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\\(\W)/g, '$1')
    .replace(/[*`]/g, '')
    .trim();
