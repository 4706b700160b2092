import type { HealthFinding } from '../../contract/knowledge-health.ts';
import { overlapOf, SAME_PATTERN, type Statement, statementsOf } from '../../grounding/compare-statements.ts';
import { numbersIn } from '../../grounding/literals.ts';
import type { Section } from '../../grounding/sections.ts';
import type { EditionArticle } from '../../search/open-edition.ts';
import { placeOf } from './place-of.ts';

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
export const likeStatements = (
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
      const elsewhere = placeOf(other.article, { path: other.section.path, text: other.statement.text });
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
    if (count < MIN_COMMON || share(copy) < DUPLICATE_SHARE || article === undefined || other === undefined) return [];
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
    const rarest = [...one.statement.words].toSorted((a, b) => sharing(a).length - sharing(b).length);
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
      if (overlapOf(one.statement.words, candidate.statement.words) >= SAME_PATTERN) yield [one, candidate];
    }
  }
}

/** About different products, by their labels or by what their headings name: a difference is no contradiction. */
const areSiblings = (one: Placed, other: Placed): boolean => {
  const devices = new Set([...one.article.devices, ...other.article.devices]);
  const [own, others] = [one, other].map(({ article, section }) => namedIn(section, devices) ?? article.devices);
  if (own === undefined || others === undefined || own.length === 0 || others.length === 0) return false;
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
  if (at < 0 || one.some((quantity, place) => unitIn(quantity) !== unitIn(other[place] ?? ''))) return '';
  return `${other[at]} instead of ${one[at]}`;
};

/** Numbers with the canonical name of their unit, in order: `24 month`. Other numbers are mostly parts of names, such as versions. */
const quantitiesIn = ({ text }: Statement): string[] =>
  numbersIn(text.replaceAll(LINK_TARGET, ']')).flatMap(({ key, unit }) => (unit === undefined ? [] : `${key} ${unit}`));

const LINK_TARGET = /\]\([^()\s]{0,2000}\)/g;
const unitIn = (quantity: string): string => quantity.slice(quantity.indexOf(' '));
