import type { Element } from 'hast';
import { elementsOf, propertyOf } from './hast.ts';
import notFoundTitles from './not-found-titles.json' with { type: 'json' };

/** What a page of HTML says of itself beside its text. */
interface PageHead {
  /** Address to which the page sends its readers at once, as it is written. */
  refresh: string | undefined;
  /** Whether the page asks not to be indexed. */
  isHidden: boolean;
  /** When it was last changed, in milliseconds since 1970. */
  modifiedAtMs: number | undefined;
}

export function readHead(all: readonly Element[]): PageHead {
  return {
    refresh: refreshOf(all) ?? scriptedRefresh(all),
    isHidden: /\b(?:noindex|none)\b/i.test(metaOf(all, 'robots') ?? ''),
    modifiedAtMs: modifiedAt(all),
  };
}

/** A page that says it is none: by its title, without the name of the site. */
export function isNotFound(title: string, text: string): boolean {
  const [name = ''] = title.toLowerCase().split(/\s+[|·–—-]\s+/);
  return text.length < MAX_NOT_FOUND && NOT_FOUND.has(name.replace(/[^\p{L}\p{N}\s]/gu, '').trim());
}
const MAX_NOT_FOUND = 2000;
const NOT_FOUND: ReadonlySet<string> = new Set(notFoundTitles);

function metaOf(all: readonly Element[], name: string): string | undefined {
  const isNamed = ({ tagName, properties }: Element): boolean =>
    tagName === 'meta' &&
    [properties.name, properties.property, properties.itemProp].some(
      (each) => String(each ?? '').toLowerCase() === name,
    );
  return propertyOf(all.find(isNamed), 'content');
}

/** `0; url=/docs/install/`, but not what only stands for readers without scripts. */
function refreshOf(all: readonly Element[]): string | undefined {
  const withoutScripts = new Set(
    all.filter(({ tagName }) => tagName === 'noscript').flatMap(elementsOf),
  );
  const refresh = all.find(
    (node) =>
      node.tagName === 'meta' &&
      !withoutScripts.has(node) &&
      String(node.properties.httpEquiv ?? '').toLowerCase() === 'refresh',
  );
  return /^\s*\d{1,2}(?:\.\d*)?\s*[;,]\s*(?:url\s*=)?\s*['"]?([^'"\s]+)/i.exec(
    propertyOf(refresh, 'content') ?? '',
  )?.[1];
}

/** Text of a page that only leads to another one. */
const MAX_REDIRECT_TEXT = 200;

/** A page without content whose script leads to another one. */
function scriptedRefresh(all: readonly Element[]): string | undefined {
  const scripts = all.filter(({ tagName }) => tagName === 'script');
  const body = all.find(({ tagName }) => tagName === 'body');
  if (
    scripts.length === 0 ||
    body === undefined ||
    textWithoutScripts(body).length > MAX_REDIRECT_TEXT
  )
    return undefined;
  for (const script of scripts) {
    const code = rawTextOf(script).trim();
    const [, assigned, called] =
      /^(?:(?:window|document|self|top)\.)?location(?:\.href)?(?:\s*=\s*["'`]([^"'`\s]{1,2000})["'`]|\.(?:replace|assign)\(\s*["'`]([^"'`\s]{1,2000})["'`])/.exec(
        code,
      ) ?? [];
    if (assigned !== undefined || called !== undefined) return assigned ?? called;
  }
  return undefined;
}

const textWithoutScripts = (node: Element): string =>
  node.children
    .map((child) =>
      child.type === 'text'
        ? child.value
        : child.type === 'element' && child.tagName !== 'script' && child.tagName !== 'style'
          ? textWithoutScripts(child)
          : '',
    )
    .join('')
    .trim();

const MODIFIED = [
  'article:modified_time',
  'og:updated_time',
  'last-modified',
  'datemodified',
  'dcterms.modified',
  'article:published_time',
];

/** When the page was last changed, as it says in its head, in its structured data (JSON-LD), or beside its text. */
function modifiedAt(all: readonly Element[]): number | undefined {
  const structured = all
    .filter(
      ({ tagName, properties }) =>
        tagName === 'script' && properties.type === 'application/ld+json',
    )
    .map((node) => /"dateModified"\s*:\s*"([^"]{8,40})"/.exec(rawTextOf(node))?.[1]);
  const time = all.find(
    ({ tagName, properties }) =>
      tagName === 'time' &&
      /\bdateModified\b|\bupdated\b/.test(
        `${properties.itemProp ?? ''} ${properties.className ?? ''}`,
      ),
  );
  const dates = [
    ...MODIFIED.map((name) => metaOf(all, name)),
    ...structured,
    propertyOf(time, 'dateTime'),
  ];
  return dates.map((date) => Date.parse(date ?? '')).find((moment) => !Number.isNaN(moment));
}

const rawTextOf = (node: Element): string =>
  node.children
    .map((child) => (child.type === 'text' ? child.value : ''))
    .join('')
    .slice(0, 100_000);
