import { loadAll } from 'js-yaml';

/** What the front matter of an article may say about it. Keys are read in singular and plural. */
export interface FrontMatter {
  title?: string | undefined;
  url?: string | undefined;
  author?: string | undefined;
  lastUpdated?: string | undefined;
  intents?: string[] | undefined;
  devices?: string[] | undefined;
  /** As it is written there, unread; undefined when it names none. */
  audience?: unknown;
}

export interface SplitArticle {
  front: FrontMatter;
  /** The text after the front matter. */
  body: string;
  warnings: string[];
}

/**
 * Splits YAML front matter off a text: from a first line `---` to the next line `---` or `...`, at most 16,384
 * characters. Front matter that is no YAML mapping is read line by line for `key: value`, and stays in the body as a
 * code block, so that nothing is lost. Without a closing line, all is body.
 */
export const splitFrontMatter = (text: string): SplitArticle => {
  const opening = /^---[ \t]*\n/.exec(text)?.[0];
  if (opening === undefined) return { front: {}, body: text, warnings: [] };
  const closing = /^(?:---|\.\.\.)[ \t]*$/m.exec(text.slice(opening.length, opening.length + MAX_FRONT_MATTER));
  if (!closing) return withoutClosing(text, opening.length);
  const source = text.slice(opening.length, opening.length + closing.index);
  const body = text.slice(opening.length + closing.index + closing[0].length).replace(/^\n+/, '');
  // Between two rules may stand a paragraph as well: front matter begins with a key.
  if (!/^\s*(?:#.*\n\s*)*["']?[\w-]+["']?[ \t]*:/.test(source) && source.trim() !== '')
    return { front: {}, body: text, warnings: [] };
  const fields = readMapping(source);
  if (fields) return { front: frontMatterOf(fields), body, warnings: [] };
  return {
    front: frontMatterOf(salvage(source)),
    body: `\`\`\`\`\`yaml\n${source.replaceAll('`````', "'''''")}\`\`\`\`\`\n\n${body}`,
    warnings: ['Kept the front matter as text: it is not a YAML mapping'],
  };
};

const MAX_FRONT_MATTER = 16_384;

const DRAFT = /^---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*?(?:draft:[ \t]*true|published:[ \t]*false)\b/i;

/** Whether front matter says `draft: true` or `published: false`, as the generators of sites write it. */
export const isDraft = (text: string): boolean => DRAFT.test(text.slice(0, MAX_FRONT_MATTER));

/**
 * Reads a YAML mapping (YAML 1.2, core schema: dates stay text). Aliases and tags outside of that schema are refused.
 *
 * @returns Undefined when the text is not a single mapping; empty for a text without any node.
 */
const readMapping = (source: string): Record<string, unknown> | undefined => {
  try {
    const documents = loadAll(source, { maxDepth: 20, maxAliases: 0 });
    const value = documents[0] ?? {};
    return documents.length <= 1 && isMapping(value) ? value : undefined;
  } catch {
    // The library documents that it may throw other errors than its own on hostile input.
    return undefined;
  }
};

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Only the audience counts in what looks like front matter. */
const withoutClosing = (text: string, length: number): SplitArticle => {
  const rest = text.slice(length);
  const [head = ''] = rest.slice(0, MAX_FRONT_MATTER).split(/\n[ \t]*\n/);
  const audience = audienceOf(salvage(head));
  const front = audience === undefined ? {} : { audience };
  return /^[\w-]+:/.test(rest)
    ? { front, body: rest, warnings: ['Kept the front matter as text: it has no closing line'] }
    : { front: {}, body: text, warnings: [] };
};

const salvage = (source: string): Record<string, unknown> =>
  Object.fromEntries(
    source.split('\n').flatMap((line) => {
      const pair = /^([\w-]{1,40}):[ \t]*(.*)$/.exec(line);
      return pair?.[1] && (pair[2] || AUDIENCE_KEY.test(pair[1]))
        ? [[pair[1], (pair[2] ?? '').replace(/^(["'])(.*)\1$/, '$2')]]
        : [];
    }),
  );

const frontMatterOf = (fields: Record<string, unknown>): FrontMatter => ({
  title: textOf(fields.title, 500),
  url: textOf(fields.url, 2048),
  author: textOf(fields.author, 200),
  lastUpdated: textOf(fields.last_updated ?? fields.lastUpdated ?? fields.updated ?? fields.date, 40),
  intents: listOf(fields.intent ?? fields.intents),
  devices: listOf(fields.device ?? fields.devices),
  audience: audienceOf(fields),
});

/** In any case: who forgets a capital letter must not publish to everybody. An empty value is one that names no one. */
const audienceOf = (fields: Record<string, unknown>): unknown => {
  const [named] = Object.entries(fields).filter(([key]) => AUDIENCE_KEY.test(key));
  return named === undefined ? undefined : (named[1] ?? []);
};

const AUDIENCE_KEY = /^audiences?$/i;

const textOf = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.replace(/\s+/g, ' ').trim().slice(0, maxLength) : undefined;

const listOf = (value: unknown): string[] | undefined =>
  value === undefined || value === null
    ? undefined
    : (Array.isArray(value) ? value : [value]).flatMap((item) => textOf(item, 100) ?? []).slice(0, 100);
