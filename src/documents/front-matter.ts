import { loadAll } from 'js-yaml';
import { parse as parseToml } from 'smol-toml';

/** What the front matter of an article may say about it. Keys are read in singular and plural. */
export interface FrontMatter {
  title?: string | undefined;
  url?: string | undefined;
  author?: string | undefined;
  lastUpdated?: string | undefined;
  /** `de`, `pt-BR`. */
  language?: string | undefined;
  /** Equal for all translations of an article. */
  translationKey?: string | undefined;
  /** Whether it is not to be published. */
  isDraft?: boolean | undefined;
  intents?: string[] | undefined;
  devices?: string[] | undefined;
  /** As it is written there, unread; undefined when it names none. */
  audience?: unknown;
}

interface SplitArticle {
  front: FrontMatter;
  /** Every field as it is written. */
  fields: Readonly<Record<string, unknown>>;
  /** The text after the front matter. */
  body: string;
  warnings: string[];
}

/**
 * Splits front matter off a text: YAML from a first line `---` to the next line `---` or `...`, TOML between lines `+++`, or a JSON object, alone or between lines `;;;`;
 * at most 16,384 characters. A block that is not valid is read line by line for its keys, named in the warnings, and never shown. Without a
 * closing line, all is body.
 */
export function splitFrontMatter(text: string): SplitArticle {
  if (/^\{[ \t]*\n/.test(text)) return splitJson(text);
  if (/^;;;[ \t]*\n/.test(text)) return splitMarkedJson(text);
  const [opening, mark, format] =
    /^(---|\+\+\+)[ \t]*(?:(?<=---)(toml|yaml))?[ \t]*\n/.exec(text) ?? [];
  if (opening === undefined) return { front: {}, fields: {}, body: text, warnings: [] };
  const isToml = mark === '+++' || format === 'toml';
  const ending = mark === '+++' ? /^\+\+\+[ \t]*$/m : /^(?:---|\.\.\.)[ \t]*$/m;
  const closing = ending.exec(text.slice(opening.length, opening.length + MAX_FRONT_MATTER));
  if (!closing)
    return isToml
      ? { front: {}, fields: {}, body: text, warnings: [] }
      : withoutClosing(text, opening.length);
  const source = text.slice(opening.length, opening.length + closing.index);
  const body = text.slice(opening.length + closing.index + closing[0].length).replace(/^\n+/, '');
  // Between two rules may stand a paragraph as well: front matter begins with a key, or a table of TOML.
  if (!/^\s*(?:#.*\n\s*)*(?:["']?[\w.-]+["']?[ \t]*[:=]|\[)/.test(source) && source.trim() !== '')
    return { front: {}, fields: {}, body: text, warnings: [] };
  const fields = isToml ? readToml(source) : readMapping(source);
  if (fields) return { front: frontMatterOf(fields), fields, body, warnings: [] };
  const language = isToml ? 'TOML' : 'a YAML mapping';
  const salvaged = salvage(source);
  return {
    front: frontMatterOf(salvaged),
    fields: salvaged,
    body,
    warnings: [`Left out the front matter: it is not ${language}`],
  };
}

/** JSON stands from the first brace to a line with the last one alone. */
const splitJson = (text: string): SplitArticle => {
  const closing = /^\}[ \t]*$/m.exec(text.slice(0, MAX_FRONT_MATTER));
  const fields = closing === null ? undefined : readJson(text.slice(0, closing.index + 1));
  if (closing === null || fields === undefined)
    return { front: {}, fields: {}, body: text, warnings: [] };
  return {
    front: frontMatterOf(fields),
    fields,
    body: text.slice(closing.index + closing[0].length).replace(/^\n+/, ''),
    warnings: [],
  };
};

/** The braces may be absent. */
const splitMarkedJson = (text: string): SplitArticle => {
  const [all, source = ''] =
    /^;;;[ \t]*\n([\s\S]*?)\n;;;[ \t]*(?:\n|$)/.exec(text.slice(0, MAX_FRONT_MATTER)) ?? [];
  const fields = readJson(source) ?? readJson(`{${source}}`);
  if (all === undefined || fields === undefined)
    return { front: {}, fields: {}, body: text, warnings: [] };
  return {
    front: frontMatterOf(fields),
    fields,
    body: text.slice(all.length).replace(/^\n+/, ''),
    warnings: [],
  };
};

/** What a parser makes of a text; undefined for what is no mapping or not valid. Libraries may throw any error on hostile input. */
export function mappingOf(parse: () => unknown): Record<string, unknown> | undefined {
  try {
    const value = parse();
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const readJson = (source: string) => mappingOf(() => JSON.parse(source));
const readToml = (source: string) => mappingOf(() => parseToml(source, { maxDepth: 20 }));

export const MAX_FRONT_MATTER = 16_384;

/** Whether front matter says `draft: true` or `published: false`, as the generators of sites write it. */
export function isDraft(text: string): boolean {
  const beginning = text
    .slice(0, 2 * MAX_FRONT_MATTER)
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n');
  return splitFrontMatter(beginning).front.isDraft === true;
}

/**
 * Reads a YAML mapping (YAML 1.2, core schema: dates stay text). Aliases and tags outside of that schema are refused.
 *
 * @returns Undefined when the text is not a single mapping; empty for a text without any node.
 */
const readMapping = (source: string) =>
  mappingOf(() => {
    const documents = loadAll(source, { maxDepth: 20, maxAliases: 0 });
    return documents.length > 1 ? undefined : (documents[0] ?? {});
  });

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Only the audience counts in what looks like front matter. */
const withoutClosing = (text: string, length: number): SplitArticle => {
  const rest = text.slice(length);
  const [head = ''] = rest.slice(0, MAX_FRONT_MATTER).split(/\n[ \t]*\n/);
  const audience = audienceOf(salvage(head));
  const front = audience === undefined ? {} : { audience };
  return /^[\w-]+:/.test(rest)
    ? {
        front,
        fields: {},
        body: rest,
        warnings: ['Kept the front matter as text: it has no closing line'],
      }
    : { front: {}, fields: {}, body: text, warnings: [] };
};

const salvage = (source: string): Record<string, unknown> =>
  Object.fromEntries(
    source.split('\n').flatMap((line) => {
      const pair = /^([\w-]{1,40})[ \t]*[:=][ \t]*(.*)$/.exec(line);
      return pair?.[1] && (pair[2] || AUDIENCE_KEY.test(pair[1]))
        ? [[pair[1], (pair[2] ?? '').replace(/^(["'])(.*)\1$/, '$2')]]
        : [];
    }),
  );

export function frontMatterOf(fields: Record<string, unknown>): FrontMatter {
  return {
    title: textOf(fields.title, 500)?.replace(ESCAPED_MARK, '$1'),
    url: textOf(fields.url, 2048),
    author: authorOf(fields),
    lastUpdated: dateIn(fields),
    translationKey: textOf(
      fields.translation_key ?? fields.translationKey ?? fields.translationkey,
      300,
    ),
    language: textOf(fields.lang ?? fields.language ?? fields.locale, 35),
    isDraft: isTrue(fields.draft) || isFalse(fields.published) ? true : undefined,
    intents: listOf(fields.intent ?? fields.intents),
    devices: listOf(fields.device ?? fields.devices),
    audience: audienceOf(fields),
  };
}

/** A mark of Markdown with a backslash, as editors write it into titles too. */
const ESCAPED_MARK = /\\([()[\]{}*_~`#!&<>|.-])/g;

/** The moment of the last change by the names that generators give it; the day of publication where there is none. */
const dateIn = (fields: Record<string, unknown>): string | undefined => {
  const names = [
    'last_updated',
    'lastUpdated',
    'updated',
    'lastmod',
    'last_modified_at',
    'last-modified',
    'last_modified',
    'modified',
    'modified_time',
    'dateModified',
    'updated_at',
    'revision_date',
    'git_revision_date',
    'ms.date',
    'date',
  ];
  const update = fields.last_update;
  const given = isMapping(update) ? update.date : undefined;
  const value = [given, ...names.map((name) => fields[name])].find(
    (each) => typeof each === 'string' || each instanceof Date || isUnixTime(each),
  );
  return textOf(isUnixTime(value) ? new Date(value * 1000) : value, 40);
};

/** Seconds since 1970, from 1990 to 2100. */
const isUnixTime = (value: unknown): value is number =>
  typeof value === 'number' && value > 631_152_000 && value < 4_102_444_800;

const authorOf = ({ author, last_update: update }: Record<string, unknown>): string | undefined =>
  textOf(author, 200) ?? (isMapping(update) ? textOf(update.author, 200) : undefined);

const isTrue = (value: unknown): boolean => value === true || value === 'true';
const isFalse = (value: unknown): boolean => value === false || value === 'false';

/** In any case: who forgets a capital letter must not publish to everybody. An empty value is one that names no one. */
const audienceOf = (fields: Record<string, unknown>): unknown => {
  const [named] = Object.entries(fields).filter(([key]) => AUDIENCE_KEY.test(key));
  return named === undefined ? undefined : (named[1] ?? []);
};

const AUDIENCE_KEY = /^audiences?$/i;

const textOf = (value: unknown, maxLength: number): string | undefined => {
  const text =
    value instanceof Date ? value.toISOString() : typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== ''
    ? text.replace(/\s+/g, ' ').trim().slice(0, maxLength)
    : undefined;
};

const listOf = (value: unknown): string[] | undefined =>
  value === undefined || value === null
    ? undefined
    : (Array.isArray(value) ? value : [value])
        .flatMap((item) => (typeof item === 'string' ? (textOf(item, 100) ?? []) : []))
        .slice(0, 100);
