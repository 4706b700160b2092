import { Context, Drop, Liquid, Tag } from 'liquidjs';
import { type Fields, memberOf } from './sites/site.ts';

interface LoopData {
  /** Front matter of the page. */
  fields: Fields;
  /** What the site keeps under a name: `site.data.plans`. */
  dataOf: (name: string) => unknown;
}

/** Tags that decide where a loop begins and ends, and those that give a value to a name. */
const TAG =
  /\{%-?\s{0,9}(for|endfor|raw|endraw|verbatim|endverbatim|assign)\b((?:[^%]|%(?!\})){0,500}?)-?%\}/g;
const LIST = /^\s*\w{1,60}\s+in\s+([\w-]{1,60})((?:\.[\w-]{1,60})*)/;
const VALUE = /^\s*([\w-]{1,60})\s*=\s*([\w-]{1,60})((?:\.[\w-]{1,60})*)/;
/** Values that a page gives to names before its loops. */
const MAX_ASSIGNED = 100;
/** Work on all loops of a page, in characters that are parsed, made, or shown at most by a step. */
const MAX_WORK = 10_000_000;
/** Tags of plugins in the loops of a page, which stay as they are written. */
const MAX_UNKNOWN = 20;

/**
 * Spells out the loops of Liquid over the data of a site, `{% for each in site.data.plans %}`, as the table or list that readers see. Loops
 * over what is not known, or with a filter that the library does not have, stay as they are written, as does everything else.
 */
export function withLoops(text: string, { fields, dataOf }: LoopData): string {
  if (!/\{%-?\s*for\s/.test(text)) return text;
  const names = new Set<string>();
  const engine = createEngine();
  const page: LoopPage = {
    engine,
    scope: { page: fields, site: new SiteData(dataOf) },
    work: new Context({}, engine.options).memoryLimit,
  };
  const isKnown = (root: string, path: string): boolean =>
    names.has(root) ||
    (root === 'page' ? memberOf(fields, path.split('.').slice(1)) : dataOf(root + path)) !==
      undefined;
  let assigned = '';
  let out = '';
  let from = 0;
  let start = 0;
  let depth = 0;
  let isRaw = false;
  for (const { 0: tag, 1: name = '', 2: rest = '', index } of text.matchAll(TAG)) {
    if (/raw|verbatim/.test(name)) isRaw = !name.startsWith('end');
    else if (isRaw) continue;
    else if (name === 'assign') {
      const [, given = '', root = '', path = ''] = VALUE.exec(rest) ?? [];
      if (depth > 0 || names.size >= MAX_ASSIGNED || !isKnown(root, path)) continue;
      assigned += tag;
      names.add(given);
    } else if (name === 'for') {
      const [, root = '', path = ''] = LIST.exec(rest) ?? [];
      if (depth > 0) depth += 1;
      else if (isKnown(root, path)) {
        start = index;
        depth = 1;
      }
    } else if (depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      const end = index + tag.length;
      out +=
        text.slice(from, start) +
        (spelledOut(assigned + text.slice(start, end), page) ?? text.slice(start, end));
      from = end;
    }
  }
  return out + text.slice(from);
}

/** What templates name `site.data.plans`, `site.email`: read when it is asked for. */
class SiteData extends Drop {
  readonly #dataOf: (name: string) => unknown;
  readonly #path: string;

  constructor(dataOf: (name: string) => unknown, path = 'site') {
    super();
    this.#dataOf = dataOf;
    this.#path = path;
  }

  override liquidMethodMissing(key: string | number): unknown {
    const name = `${this.#path}.${key}`;
    return name === 'site.data' ? new SiteData(this.#dataOf, name) : this.#dataOf(name);
  }
}

interface LoopPage {
  engine: Liquid;
  scope: object;
  /** Counts to `MAX_WORK`, then throws. */
  work: Context['memoryLimit'];
}

/** Undefined for what cannot be read, or takes too much. */
function spelledOut(template: string, page: LoopPage): string | undefined {
  const { engine, scope, work } = page;
  const stepLength = template
    .split(/[%}]\}/)
    .reduce((longest, { length }) => Math.max(longest, length), 1);
  // The library looks at the clock before each step. Work is counted instead: it is the same on every machine.
  work.check = () => work.use(stepLength);
  for (let unknown = 0; unknown <= MAX_UNKNOWN; unknown += 1) {
    try {
      work.use(template.length);
      const limits = { memoryLimit: work, renderLimit: work, liquid: engine };
      const context = new Context(scope, engine.options, { sync: true }, limits);
      return String(engine.renderSync(engine.parse(template), context));
    } catch (error) {
      const [, name] = /^tag "(\w+)" not found/.exec((error as Error).message) ?? [];
      if (name === undefined) break;
      engine.registerTag(name, AsWritten);
    }
  }
  return undefined;
}

/** Has no files, sees no members but those of the data, and ends what takes too long or makes too much. */
function createEngine(): Liquid {
  const engine = new Liquid({
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    parseLimit: 500_000,
    memoryLimit: MAX_WORK,
    outputEscape: asText,
  });
  for (const name of ['include', 'include_relative', 'render', 'layout', 'link', 'post_url'])
    engine.registerTag(name, AsWritten);
  // What changes no words that readers see.
  for (const name of ['markdownify', 'smartify', 'relative_url', 'absolute_url'])
    engine.registerFilter(name, (value: unknown) => value);
  return engine;
}

/**
 * Braces in data are no template.
 *
 * @throws {TypeError} For a mapping, which has no text: its loop stays as it is written.
 */
function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join('');
  if (typeof value === 'object' && value !== null && !(value instanceof Date))
    throw new TypeError('a mapping');
  const text = String(value ?? '');
  return text.includes('{') ? `{% raw %}${text}{% endraw %}` : text;
}

/** A tag that only the generator knows. */
class AsWritten extends Tag {
  override render(): string {
    return this.token.getText();
  }
}
