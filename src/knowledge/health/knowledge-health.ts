import { type HealthFinding, HealthKind, type KnowledgeHealth, MAX_FINDINGS } from '../../contract/knowledge-health.ts';
import { cachedSection, type Section, sectionRanges, visibleSize } from '../../grounding/sections.ts';
import { oncePer } from '../../runtime/once-per.ts';
import type { Edition, EditionArticle } from '../../search/open-edition.ts';
import { searchEdition } from '../../search/search-edition.ts';
import { deadLinks } from './dead-links.ts';
import { likeStatements } from './like-statements.ts';
import { placeOf } from './place-of.ts';

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
export const knowledgeHealth: (edition: Edition) => KnowledgeHealth = oncePer((edition: Edition) => {
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
    findings: HealthKind.options.flatMap((kind) => (byKind.get(kind) ?? []).slice(0, MAX_FINDINGS)),
    ...(unchecked.length === 0 ? {} : { unchecked }),
  };
});

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
      if (known === undefined || article.lastUpdated > known.lastUpdated) newest.set(device, article);
    }
  }
  const oldestFirst = articles.toSorted((one, other) => (one.lastUpdated < other.lastUpdated ? -1 : 1));
  return oldestFirst.flatMap((article) => {
    const newer = article.devices.flatMap((device) => newest.get(device) ?? []);
    const other = newer.toSorted((one, two) => (one.lastUpdated < two.lastUpdated ? 1 : -1))[0];
    const days = other ? (Date.parse(other.lastUpdated) - Date.parse(article.lastUpdated)) / DAY_MS : 0;
    if (other === undefined || days <= OUTDATED_AFTER_DAYS) return [];
    const device = article.devices.find((each) => newest.get(each) === other);
    const day = ({ lastUpdated }: EditionArticle) => lastUpdated.slice(0, 10);
    const detail = `changed on ${day(article)}, the newest article about ${device} on ${day(other)}`;
    return [{ kind: 'outdated', place: placeOf(article), other: placeOf(other), detail } satisfies HealthFinding];
  });
};

const notFoundByTitle = (edition: Edition, articles: readonly EditionArticle[]): HealthFinding[] =>
  articles.flatMap((article) => {
    const found = [...new Set(searchEdition(edition, article.title, { limit: 20 }).hits.map((hit) => hit.article))];
    const rank = found.indexOf(article.index);
    if (rank >= 0 && rank < FOUND_AMONG) return [];
    const first = found[0];
    const other = first === undefined ? {} : { other: placeOf(edition.article(first)) };
    const detail = rank < 0 ? 'not found' : `found as number ${rank + 1}`;
    return [{ kind: 'not_found_by_title', place: placeOf(article), ...other, detail } satisfies HealthFinding];
  });
