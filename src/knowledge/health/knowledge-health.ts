import {
  type HealthFinding,
  HealthKind,
  type HealthPlace,
  type KnowledgeHealth,
  MAX_FINDINGS,
} from '../../contract/wire/knowledge.ts';
import { decodeUri } from '../../language/decode-uri.ts';
import { numbersIn } from '../../language/number-values.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { Edition, EditionArticle } from '../edition/open-edition.ts';
import { cachedSection, type Section, sectionRanges, visibleSize } from '../edition/sections.ts';
import { searchEdition } from '../search/search-edition.ts';
import { overlapOf, SAME_PATTERN, type Statement, statementsOf } from './compare-statements.ts';

/** Titles that are searched; a search takes about a millisecond. */
const MAX_TITLES = 2000;
/** An article has to be among the first of a search for its title. */
const FOUND_AMONG = 3;
const DAY_MS = 86_400_000;
const OUTDATED_AFTER_DAYS = 365;
/** Visible characters below a heading that promises more. */
const MIN_SECTION_SIZE = 20;

/**
 * What writers should look at in an edition, computed once for each. The work is bounded by counts rather than by time, since the clock of
 * a function stands still while it computes; some 500 articles take a second.
 *
 * @throws {PagesMissing} Outside of `readPages`, when texts are not in memory.
 */
export const knowledgeHealth: (edition: Edition) => KnowledgeHealth = oncePer(
  (edition: Edition) => {
    const articles = Array.from({ length: edition.articleCount }, (_, at) => edition.article(at));
    const sections = articles.map((article) =>
      sectionRanges(edition, article.index).map((range) => cachedSection(edition, range)),
    );
    const { findings: compared, isComplete } = likeStatements(articles, sections);
    const findings = [
      ...compared,
      ...articles.flatMap((article, at) => emptySections(article, sections[at] ?? [])),
      ...deadLinks(articles, sections),
      ...outdated(articles),
      ...notFoundByTitle(edition, articles.slice(0, MAX_TITLES)),
    ];
    const byKind = Map.groupBy(findings, ({ kind }) => kind);
    const unchecked = [
      ...(isComplete ? [] : (['statements'] as const)),
      ...(articles.length > MAX_TITLES ? (['titles'] as const) : []),
    ];
    return {
      edition: edition.id,
      created_at: edition.createdAt,
      articles: articles.length,
      // Every kind has a number.
      counts: Object.fromEntries(
        HealthKind.options.map((kind) => [kind, byKind.get(kind)?.length ?? 0]),
      ) as KnowledgeHealth['counts'],
      findings: HealthKind.options.flatMap((kind) =>
        (byKind.get(kind) ?? []).slice(0, MAX_FINDINGS),
      ),
      ...(unchecked.length === 0 ? {} : { unchecked }),
    };
  },
);

const emptySections = (article: EditionArticle, sections: readonly Section[]): HealthFinding[] =>
  sections
    .filter(({ path, text }) => path.length > 0 && visibleSize(text) < MIN_SECTION_SIZE)
    .map((section) => ({
      kind: 'empty_section',
      place: placeOf(article, section),
      detail: `${visibleSize(section.text)} characters below the heading`,
    }));

/** Articles that are much older than the newest one about the same product, oldest first. */
const outdated = (articles: readonly EditionArticle[]): HealthFinding[] => {
  const newest = new Map<string, EditionArticle>();
  for (const article of articles) {
    for (const device of article.devices) {
      const known = newest.get(device);
      if (known === undefined || article.lastUpdated > known.lastUpdated)
        newest.set(device, article);
    }
  }
  const oldestFirst = articles.toSorted((one, other) =>
    one.lastUpdated < other.lastUpdated ? -1 : 1,
  );
  return oldestFirst.flatMap((article) => {
    const newer = article.devices.flatMap((device) => newest.get(device) ?? []);
    const other = newer.toSorted((one, two) => (one.lastUpdated < two.lastUpdated ? 1 : -1))[0];
    const days = other
      ? (Date.parse(other.lastUpdated) - Date.parse(article.lastUpdated)) / DAY_MS
      : 0;
    if (other === undefined || days <= OUTDATED_AFTER_DAYS) return [];
    const device = article.devices.find((each) => newest.get(each) === other);
    const day = ({ lastUpdated }: EditionArticle) => lastUpdated.slice(0, 10);
    const detail = `changed on ${day(article)}, the newest article about ${device} on ${day(other)}`;
    return [
      {
        kind: 'outdated',
        place: placeOf(article),
        other: placeOf(other),
        detail,
      } satisfies HealthFinding,
    ];
  });
};

const notFoundByTitle = (edition: Edition, articles: readonly EditionArticle[]): HealthFinding[] =>
  articles.flatMap((article) => {
    const found = [
      ...new Set(
        searchEdition(edition, article.title, { limit: 20 }).hits.map((hit) => hit.article),
      ),
    ];
    const rank = found.indexOf(article.index);
    if (rank >= 0 && rank < FOUND_AMONG) return [];
    const first = found[0];
    const other = first === undefined ? {} : { other: placeOf(edition.article(first)) };
    const detail = rank < 0 ? 'not found' : `found as number ${rank + 1}`;
    return [
      {
        kind: 'not_found_by_title',
        place: placeOf(article),
        ...other,
        detail,
      } satisfies HealthFinding,
    ];
  });

/** A link with more text around it is none that a writer wrote. */
const LINK = /\[[^\]\n]{0,300}\]\(\s*<?([^\s()<>]{1,500})/g;

const FILE_ENDING = /\.(?:md|mdx|markdown|html?|txt)$/i;

/**
 * Links to articles that there are not: relative ones that lead to no article by file or by address, and absolute ones into a folder of
 * the web site where other articles are.
 */
const deadLinks = (
  articles: readonly EditionArticle[],
  sections: readonly (readonly Section[])[],
): HealthFinding[] => {
  const files = new Set(articles.map(({ id }) => withoutEnding(id)));
  const addresses = new Set(articles.map(({ url }) => pageOf(url)));
  const folders = new Set([...addresses].map(folderOf));
  const isDead = ({ id, url }: EditionArticle, target: string): boolean => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) {
      if (!/^https?:/i.test(target) || !URL.canParse(target)) return false;
      return !addresses.has(pageOf(target)) && folders.has(folderOf(pageOf(target)));
    }
    if (target.startsWith('#') || target.startsWith('//')) return false;
    const file = new URL(target, `https://files.invalid/${id}`).pathname.slice(1);
    const address = URL.canParse(target, url) ? pageOf(new URL(target, url).href) : undefined;
    const isArticle =
      files.has(withoutEnding(decodeUri(file))) ||
      (address !== undefined && addresses.has(address));
    // A link to a picture or an archive is to no article.
    return !isArticle && (FILE_ENDING.test(file) || !/\.[a-z0-9]{1,8}$/i.test(file));
  };
  return articles.flatMap((article, at) =>
    (sections[at] ?? []).flatMap((section) =>
      linksIn(section)
        .filter((target) => isDead(article, target))
        .map(
          (target): HealthFinding => ({
            kind: 'dead_link',
            place: placeOf(article, { path: section.path }),
            detail: target.slice(0, 500),
          }),
        ),
    ),
  );
};

/** Addresses of the links of a section, each once; those in code are examples. */
const linksIn = ({ text, pieces }: Section): string[] => {
  const prose = pieces
    .filter(({ kind }) => kind !== 'code')
    .map(({ start, end }) => text.slice(start, end));
  const found = prose.flatMap((piece) => [...piece.replaceAll(/`[^`\n]*`/g, '').matchAll(LINK)]);
  return [...new Set(found.map(([, target = '']) => target))];
};

const pageOf = (url: string): string =>
  withoutEnding(url.replace(/[?#].*$/s, '')).replace(/\/(?:index)?$/, '');
const folderOf = (page: string): string => page.slice(0, page.lastIndexOf('/') + 1);

const withoutEnding = (path: string): string => path.replace(FILE_ENDING, '');

/** More are not compared. */
const MAX_STATEMENTS = 60_000;
/** Words that more statements have tell nothing apart. */
const MAX_SHARING = 40;

/** Share of its statements that an article has in common with another one, and how many at least, to count as its copy. */
const DUPLICATE_SHARE = 0.6;

const MIN_COMMON = 4;

interface Placed {
  article: EditionArticle;
  section: Section;
  statement: Statement;
}

interface Compared {
  findings: HealthFinding[];
  isComplete: boolean;
}

/** Compares the statements of different articles: contradicting numbers, and articles that say the same. */
const likeStatements = (
  articles: readonly EditionArticle[],
  sections: readonly (readonly Section[])[],
): Compared => {
  const all = articles.flatMap((article, at) =>
    (sections[at] ?? []).flatMap((section) =>
      statementsOf(section).map((statement) => ({ article, section, statement })),
    ),
  );
  const placed = all.slice(0, MAX_STATEMENTS);
  const contradictions: HealthFinding[] = [];
  /** Statements that two articles have in common, by the pair of their indexes. */
  const common = new Map<string, number>();
  for (const [one, other] of likePairs(placed)) {
    if (one.article === other.article || areSiblings(one, other)) continue;
    const difference = quantitiesDiffer(quantitiesIn(one.statement), quantitiesIn(other.statement));
    if (difference !== '') {
      const place = placeOf(one.article, { path: one.section.path, text: one.statement.text });
      const elsewhere = placeOf(other.article, {
        path: other.section.path,
        text: other.statement.text,
      });
      contradictions.push({ kind: 'contradiction', place, other: elsewhere, detail: difference });
    } else if (one.statement.text === other.statement.text) {
      const pair = `${one.article.index} ${other.article.index}`;
      common.set(pair, (common.get(pair) ?? 0) + 1);
    }
  }
  const sizes = Map.groupBy(placed, ({ article }) => article.index);
  const duplicates = [...common].flatMap(([pair, count]): HealthFinding[] => {
    const [first = 0, second = 0] = pair.split(' ').map(Number);
    const share = (at: number): number => count / (sizes.get(at)?.length ?? 1);
    const [copy, whole] = share(first) >= share(second) ? [first, second] : [second, first];
    const [article, other] = [articles[copy], articles[whole]];
    if (
      count < MIN_COMMON ||
      share(copy) < DUPLICATE_SHARE ||
      article === undefined ||
      other === undefined
    )
      return [];
    const detail = `${Math.round(share(copy) * 100)} % of its sentences`;
    return [{ kind: 'duplicate', place: placeOf(article), other: placeOf(other), detail }];
  });
  return { findings: [...contradictions, ...duplicates], isComplete: all.length <= MAX_STATEMENTS };
};

/** Pairs of statements whose words are nearly the same, each once. Only those that share a rare word are looked at. */
function* likePairs(placed: readonly Placed[]): Generator<[Placed, Placed]> {
  const byWord = new Map<string, number[]>();
  for (const [at, { statement }] of placed.entries()) {
    for (const word of statement.words) {
      const known = byWord.get(word);
      if (known === undefined) byWord.set(word, [at]);
      else known.push(at);
    }
  }
  const sharing = (word: string): number[] => byWord.get(word) ?? [];
  for (const [at, one] of placed.entries()) {
    const rarest = [...one.statement.words].toSorted(
      (a, b) => sharing(a).length - sharing(b).length,
    );
    // Nearly the same words: two statements that agree in three quarters share one of a quarter and one more.
    const telling = rarest.slice(0, Math.ceil(rarest.length * (1 - SAME_PATTERN)) + 1);
    const near = new Set(
      telling
        .map(sharing)
        .filter((list) => list.length <= MAX_SHARING)
        .flat(),
    );
    for (const other of near) {
      const candidate = placed[other];
      if (other <= at || candidate === undefined) continue;
      if (overlapOf(one.statement.words, candidate.statement.words) >= SAME_PATTERN)
        yield [one, candidate];
    }
  }
}

/** About different products, by their labels or by what their headings name: a difference is no contradiction. */
const areSiblings = (one: Placed, other: Placed): boolean => {
  const devices = new Set([...one.article.devices, ...other.article.devices]);
  const [own, others] = [one, other].map(
    ({ article, section }) => namedIn(section, devices) ?? article.devices,
  );
  if (own === undefined || others === undefined || own.length === 0 || others.length === 0)
    return false;
  return !own.some((device) => others.includes(device));
};

const namedIn = ({ path }: Section, devices: ReadonlySet<string>): string[] | undefined => {
  const heading = path.join(' ').toLowerCase();
  const named = [...devices].filter((device) => heading.includes(device.toLowerCase()));
  return named.length === 0 ? undefined : named;
};

/** `24 month instead of 12 month`; empty unless both name quantities of the same units and one of them differs. */
const quantitiesDiffer = (one: readonly string[], other: readonly string[]): string => {
  if (one.length !== other.length) return '';
  const at = one.findIndex((quantity, place) => quantity !== other[place]);
  if (at < 0 || one.some((quantity, place) => unitIn(quantity) !== unitIn(other[place] ?? '')))
    return '';
  return `${other[at]} instead of ${one[at]}`;
};

/** Numbers with the canonical name of their unit, in order: `24 month`. Other numbers are mostly parts of names, such as versions. */
const quantitiesIn = ({ text }: Statement): string[] =>
  numbersIn(text.replaceAll(LINK_TARGET, ']')).flatMap(({ values: [value], unit }) =>
    unit === undefined ? [] : `${value} ${unit}`,
  );

const LINK_TARGET = /\]\([^()\s]{0,2000}\)/g;

const unitIn = (quantity: string): string => quantity.slice(quantity.indexOf(' '));

/** A place in an article as it is reported. */
const placeOf = (
  { id, title, url }: Pick<EditionArticle, 'id' | 'title' | 'url'>,
  { path, text }: { path?: readonly string[]; text?: string } = {},
): HealthPlace => ({
  article_id: id,
  title,
  url,
  ...(path === undefined ? {} : { heading: path.join(' > ').slice(0, 2000) }),
  ...(text === undefined ? {} : { text: text.trim().slice(0, 1000) }),
});
