import { oncePer } from '../runtime/once-per.ts';
import { analyseQuery, type Turn } from '../search/analyse-query.ts';
import { articleAtHand, chunkAtHand } from '../search/chunks-at-hand.ts';
import { devicesNamedIn } from '../search/devices-named-in.ts';
import type { Edition, EditionArticle } from '../search/open-edition.ts';
import { rankArticles } from '../search/rank-articles.ts';
import type { SearchHit, SearchOutcome } from '../search/search-edition.ts';
import type { Span } from '../text/split-sentences.ts';
import HEADING_ROLES from './heading-roles.json' with { type: 'json' };
import type { ParsedQuestion, QuestionTerm, TextVectors } from './parse-question.ts';
import { type Section, sectionAtHand, sectionRanges, stemsOf } from './sections.ts';
import { UNIT_SIZE, type Unit, unitsOf } from './units.ts';

/** A unit that could answer a question, with what speaks for and against it. */
export interface CandidateUnit {
  unit: Unit;
  source: EditionArticle;
  /** In the order of `UNIT_FEATURES`, each 0 to about 1. */
  features: Float64Array;
  /** The devices that it is about, by its heading or else its article, in lower case; empty when it is about all. */
  devices: readonly string[];
  /** It is about other devices alone than the question names. */
  isOtherDevice: boolean;
  /** Its article is far older than most. */
  isOutdated: boolean;
}

export interface CandidateOptions {
  history?: readonly Turn[] | undefined;
  /** What searches found: for the question, and for the turn before and the question as one text where there is a turn. */
  searches: readonly SearchOutcome[];
  vectors?: TextVectors | undefined;
  /** Chunks outside of it are not looked at. */
  isAllowed?: ((chunk: number) => boolean) | undefined;
  isShown?: ((unit: Unit) => boolean) | undefined;
}

/** Features that are shares; each is compared with the best candidate of the question, too. */
const SHARES = [
  'article',
  'articleInverseRank',
  'passage',
  'passageBest',
  'passageInverseRank',
  'passageWords',
  'coverage',
  'coverageOfKnown',
  'coverageInText',
  'coverageInHeading',
  'coverageInTitle',
  'titleSaid',
  'headingSaid',
  'pairs',
  'sentence',
  'inner',
  'innerSentence',
  'literals',
  'assistant',
  'meaning',
  'meaningOfHeading',
  'meaningOfTitle',
  'softCoverage',
  'softSentence',
  'softInner',
  'softHeading',
] as const;

const SIGNS = [
  'articleFirst',
  'digitsForNumber',
  'tableForNumber',
  'becauseForReason',
  'causeForReason',
  'listForHowto',
  'stepsForHowto',
  'solutionForProblem',
  'solutionForHowto',
  'boldForWhere',
  'symptom',
  'reference',
  'outdated',
  'age',
  'short',
  'size',
  'later',
  'cut',
  'group',
  'sections',
  'lead',
  'otherDevice',
  'device',
] as const;

/** Names of the features, in their order. */
export const UNIT_FEATURES: readonly string[] = [
  ...SHARES,
  ...SIGNS,
  ...SHARES.map((name) => `${name} against the best`),
];

type Values = Record<(typeof SHARES)[number] | (typeof SIGNS)[number], number>;

/** Articles found by their words as a whole that are looked at besides those of the passages found. */
const WHOLE_ARTICLES = 10;
/** Sections of one article that are looked at: of a longer one the first ones, and those that search found. */
const MAX_SECTIONS = 48;
/** Articles of an edition whose units are remembered. */
const MAX_ARTICLES = 200;

/** All units of the articles that could answer a question, with their features. */
export const candidateUnits = (
  edition: Edition,
  question: ParsedQuestion,
  options: CandidateOptions,
): CandidateUnit[] => {
  const { vectors, isShown } = options;
  const closeness = closenessTo(question, vectors);
  const ageOf = agesIn(edition);
  const assistant = options.history?.findLast(({ speaker }) => speaker === 'assistant')?.text.slice(0, 4000);
  const talk = assistant === undefined ? [] : analyseQuery(edition, assistant).terms;
  const read = candidateArticles(edition, question, options).flatMap((candidate) => {
    const contents = contentsAtHand(edition, candidate);
    const article = readArticle(edition, { contents, question, vectors, closeness });
    const talked = shareOf(talk, ({ stem }) => article.words.has(stem));
    return unitsToRead(contents.units, candidate)
      .map((unit) => (unit.kind === 'rows' ? withBestRows(unit, question, article) : unit))
      .filter((unit) => isShown?.(unit) !== false)
      .map((unit) =>
        readUnit(unit, {
          article: { ...article, talked, ...ageOf(candidate.source) },
          candidate,
          question,
          vectors,
          edition,
        }),
      );
  });
  const best = SHARES.map((name) => Math.max(1e-3, ...read.map(({ values }) => values[name])));
  return read.map(({ values, ...candidate }) => ({
    ...candidate,
    features: Float64Array.from([
      ...SHARES.map((name) => values[name]),
      ...SIGNS.map((name) => values[name]),
      ...SHARES.map((name, at) => values[name] / (best[at] ?? 1)),
    ]),
  }));
};

/** An article with what searches found of it. */
interface Candidate {
  source: EditionArticle;
  /** By its passages, from 1. */
  rank: number;
  hits: { chunk: number; start: number; end: number; share: number }[];
  /** Of its best passage against the best of all, 0 to 1: by words and meaning together, and by words. */
  best: number;
  bestWords: number;
  /** As a whole, against the best of all. */
  whole: number;
  wholeRank: number;
}

const FAR = 99;

const candidateArticles = (
  edition: Edition,
  { terms, query }: ParsedQuestion,
  { searches, isAllowed }: CandidateOptions,
): Candidate[] => {
  const candidates = new Map<number, Candidate>();
  const of = (article: number): Candidate => {
    const known = candidates.get(article);
    if (known) return known;
    const source = articleAtHand(edition, article);
    const made = { source, rank: FAR, hits: [], best: 0, bestWords: 0, whole: 0, wholeRank: FAR };
    candidates.set(article, made);
    return made;
  };
  for (const { hits } of searches) {
    const order = [...new Set(hits.map(({ article }) => article))];
    const together = sharesOf(hits, ({ fused, score }) => fused ?? score);
    const byWords = sharesOf(hits, ({ score }) => score);
    hits.forEach(({ article, chunk }, at) => {
      const candidate = of(article);
      const share = together[at] ?? 0;
      const { start, end } = chunkAtHand(edition, chunk);
      candidate.hits.push({ chunk, start, end, share });
      candidate.best = Math.max(candidate.best, share);
      candidate.bestWords = Math.max(candidate.bestWords, byWords[at] ?? 0);
      candidate.rank = Math.min(candidate.rank, order.indexOf(article) + 1);
    });
  }
  const weights = new Map(terms.map(({ stem, weight }) => [stem, weight]));
  const asked = query.terms.map(({ stem, postings }) => ({
    postings: postings.map((posting) => ({ ...posting, weight: posting.weight * (weights.get(stem) ?? 1) })),
  }));
  const ranked = rankArticles(edition, asked, { isAllowed });
  ranked.forEach(({ article, score }, at) => {
    if (at >= WHOLE_ARTICLES && !candidates.has(article)) return;
    Object.assign(of(article), { whole: score / (ranked[0]?.score ?? 1), wholeRank: at + 1 });
  });
  return [...candidates.values()]
    .sort((left, right) => worthOf(right) - worthOf(left) || left.source.index - right.source.index)
    .slice(0, MAX_CANDIDATES);
};

/** Articles whose units are ranked; with 30 of them no more questions are answered (docs/answers.md). */
const MAX_CANDIDATES = 10;

const worthOf = ({ best, whole }: Candidate): number => best + 0.5 * whole;

const sharesOf = (hits: readonly SearchHit[], scoreOf: (hit: SearchHit) => number): number[] => {
  const scores = hits.map(scoreOf);
  const top = Math.max(...scores, Number.EPSILON);
  return scores.map((score) => Math.max(0, score / top));
};

const sectionsToRead = (edition: Edition, { source, hits }: Candidate): Section[] => {
  const ranges = sectionRanges(edition, source.index);
  if (ranges.length <= MAX_SECTIONS) return ranges.map((range) => sectionAtHand(edition, range));
  return ranges
    .filter(
      ({ at, firstChunk, endChunk }) =>
        at < MAX_SECTIONS / 2 || hits.some(({ chunk }) => chunk >= firstChunk && chunk < endChunk),
    )
    .slice(0, MAX_SECTIONS)
    .map((range) => sectionAtHand(edition, range));
};

/** All of an article that does not depend on the question. */
interface ArticleContents {
  sections: readonly Section[];
  units: readonly Unit[];
  titleStems: readonly string[];
  title: ReadonlySet<string>;
  /** Of title, headings and text. */
  words: ReadonlySet<string>;
  devices: readonly string[];
  /** By word of a question: words of the article that are it or close to it, and how many units hold it. */
  terms: Map<string, TermReading>;
  titleVector?: Float32Array | undefined;
}

interface TermReading {
  /** The closest first. */
  near: readonly NearWord[];
  containing: number;
}

/** Words of questions whose readings an article keeps. */
const MAX_TERMS = 400;

const contentsOfArticles = oncePer((_: Edition) => new Map<number, ArticleContents>());

const contentsAtHand = (edition: Edition, candidate: Candidate): ArticleContents => {
  const { source } = candidate;
  const sections = sectionsToRead(edition, candidate);
  const known = contentsOfArticles(edition);
  const found = known.get(source.index);
  const isSame =
    found?.sections.length === sections.length && sections.every((each, at) => each === found.sections[at]);
  if (found && isSame) {
    // A Map lists what was set first: those not asked for longest go first.
    known.delete(source.index);
    known.set(source.index, found);
    return found;
  }
  const [oldest] = known.keys();
  if (oldest !== undefined && known.size >= MAX_ARTICLES) known.delete(oldest);
  const titleStems = stemsOf(source.title);
  const words = new Set(titleStems);
  for (const section of sections) {
    for (const { stems } of section.pieces) for (const word of stems) words.add(word);
    for (const word of readPath(section).words) words.add(word);
  }
  const inTitle = devicesNamedIn(source.title, edition.devices());
  const contents = {
    ...{ sections, titleStems, words, units: unitsOf(sections) },
    title: new Set(titleStems),
    devices: inTitle.length > 0 ? inTitle : source.devices.map((device) => device.toLowerCase()),
    terms: new Map<string, TermReading>(),
  };
  known.set(source.index, contents);
  return contents;
};

/** Of a longer article those are looked at that search found, besides the first ones. */
const MAX_UNITS = 600;

const unitsToRead = (units: readonly Unit[], { hits }: Candidate): readonly Unit[] =>
  units.length <= MAX_UNITS
    ? units
    : units
        .filter(
          (unit, at) => at < MAX_UNITS / 2 || spansOf(unit).some((span) => hits.some((hit) => isOverlap(hit, span))),
        )
        .slice(0, MAX_UNITS);

const spansOf = ({ parts }: Unit): Span[] =>
  parts.map(({ section, pieces }) => ({
    start: section.start + (pieces[0]?.start ?? 0),
    end: section.start + (pieces.at(-1)?.end ?? 0),
  }));

const isOverlap = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end;

/** How close a word is to one of the question, 0 to 1; 1 when it is that word. */
export type Closeness = (term: QuestionTerm, word: string) => number;

/** A cosine below this says nothing. */
const LEAST_COSINE = 0.3;

export const closenessTo = ({ terms }: ParsedQuestion, vectors: TextVectors | undefined): Closeness => {
  if (vectors === undefined) return ({ forms }, word) => (forms.has(word) ? 1 : 0);
  const own = new Map(terms.map((term) => [term, vectors.vectorOf([...term.forms])]));
  return (term, word) => {
    if (term.forms.has(word)) return 1;
    const cosine = dot(own.get(term), wordVector(vectors, word));
    return Math.max(0, (cosine - LEAST_COSINE) / (1 - LEAST_COSINE));
  };
};

/** Words whose vector is kept unpacked: 8 MB. */
const MAX_WORDS = 20_000;
const wordVectors = oncePer((_: TextVectors) => new Map<string, Float32Array | undefined>());

const wordVector = (vectors: TextVectors, word: string): Float32Array | undefined => {
  const known = wordVectors(vectors);
  if (known.has(word)) return known.get(word);
  if (known.size >= MAX_WORDS) known.clear();
  const vector = vectors.vectorOf([word]);
  known.set(word, vector);
  return vector;
};

const dot = (one: Float32Array | undefined, other: Float32Array | undefined): number => {
  if (one === undefined || other === undefined) return 0;
  let sum = 0;
  // Both have as many numbers.
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number);
  return sum;
};

/** Share of the idf of terms for which something holds. */
const shareOf = <Term extends { idf: number }>(terms: readonly Term[], holds: (term: Term) => boolean): number => {
  let total = 0;
  let found = 0;
  for (const term of terms) {
    total += term.idf;
    if (holds(term)) found += term.idf;
  }
  return total > 0 ? found / total : 0;
};

const holdsTerm = (words: ReadonlySet<string>, { forms }: Pick<QuestionTerm, 'forms'>): boolean => {
  for (const form of forms) if (words.has(form)) return true;
  return false;
};

interface NearWord {
  word: string;
  closeness: number;
}

interface ArticleReading extends Pick<ArticleContents, 'title' | 'words' | 'devices'> {
  /** By term of the question. */
  near: readonly (readonly NearWord[])[];
  /** By term: how well it tells the units of this article apart. */
  inner: readonly number[];
  titleSaid: number;
  coverageInTitle: number;
  meaningOfTitle: number;
}

/** Words less close than this are other words. */
const LEAST_CLOSENESS = 0.15;

const readArticle = (
  edition: Edition,
  {
    contents,
    question,
    vectors,
    closeness,
  }: {
    contents: ArticleContents;
    question: ParsedQuestion;
    vectors: TextVectors | undefined;
    closeness: Closeness;
  },
): ArticleReading => {
  const { title, words, devices, units, titleStems } = contents;
  if (vectors !== undefined && !('titleVector' in contents)) contents.titleVector = vectors.vectorOf(titleStems);
  const read = question.terms.map((term) => readTerm(contents, term, closeness));
  return {
    ...{ title, words, devices },
    near: read.map(({ near }) => near),
    inner: question.terms.map((term, place) => {
      const containing = read[place]?.containing ?? 0;
      return containing === 0 ? 0 : term.weight * Math.log((units.length + 1) / (containing + 0.5));
    }),
    titleSaid: saidShare(edition, titleStems, question),
    coverageInTitle: shareOf(question.terms, (term) => holdsTerm(title, term)),
    meaningOfTitle: dot(question.vector, contents.titleVector),
  };
};

const readTerm = ({ words, units, terms }: ArticleContents, term: QuestionTerm, closeness: Closeness): TermReading => {
  const key = [...term.forms].join(' ');
  const known = terms.get(key);
  if (known !== undefined) return known;
  const near: NearWord[] = [];
  for (const word of words) {
    const value = closeness(term, word);
    if (value >= LEAST_CLOSENESS) near.push({ word, closeness: value });
  }
  near.sort((left, right) => right.closeness - left.closeness);
  const isThere = holdsTerm(words, term);
  const containing = isThere
    ? units.filter((unit) => {
        const { words: own, headings } = readWords(unit);
        return holdsTerm(own, term) || holdsTerm(headings, term);
      }).length
    : 0;
  if (terms.size >= MAX_TERMS) terms.clear();
  terms.set(key, { near, containing });
  return { near, containing };
};

/** How much of a title the question says, by idf of its words. */
const saidShare = (edition: Edition, stems: readonly string[], { terms }: ParsedQuestion): number => {
  const idfOf = idfsIn(edition);
  const words = [...new Set(stems)].map((word) => ({ word, idf: idfOf(word) }));
  return shareOf(words, ({ word }) => isSaid(word, terms));
};

/** The question itself or the user's turn before it says a word. */
const isSaid = (word: string, terms: readonly QuestionTerm[]): boolean =>
  terms.some(({ weight, forms }) => weight >= 0.4 && forms.has(word));

const idfsIn = oncePer((edition: Edition) => {
  const known = new Map<string, number>();
  return (word: string): number => {
    const found = known.get(word);
    if (found !== undefined) return found;
    if (known.size >= MAX_WORDS) known.clear();
    const idf = analyseQuery(edition, word).terms[0]?.idf ?? 1;
    known.set(word, idf);
    return idf;
  };
});

const ROLES = Object.entries(HEADING_ROLES).map(([name, pattern]) => [name, new RegExp(pattern, 'i')] as const);

interface PathReading {
  last: readonly string[];
  stems: readonly string[];
  words: ReadonlySet<string>;
  roles: Record<keyof typeof HEADING_ROLES, 0 | 1>;
  vector?: Float32Array | undefined;
}

const readPath = oncePer(({ path }: Section): PathReading => {
  const text = path.join('\n');
  const stems = stemsOf(text);
  // Every role has its pattern.
  const roles = Object.fromEntries(
    ROLES.map(([name, pattern]) => [name, pattern.test(text) ? 1 : 0]),
  ) as PathReading['roles'];
  return { last: stemsOf(path.at(-1) ?? ''), stems, words: new Set(stems), roles };
});

export interface WordsOfUnit {
  stems: readonly string[];
  words: ReadonlySet<string>;
  headings: ReadonlySet<string>;
  /** Its stems as one text, each between spaces. */
  sequence: string;
  sentences: readonly ReadonlySet<string>[];
  hasBold: boolean;
  saysBecause: boolean;
  vector?: Float32Array | undefined;
}

/** Sentences of a unit that are looked at. */
const MAX_SENTENCES = 60;
const BECAUSE = /\b(?:because|due to|since|caused? by|occurs? (?:if|when)|so that)\b/i;

export const readWords = oncePer((unit: Unit): WordsOfUnit => {
  const pieces = unit.parts.flatMap(({ pieces: own }) => own);
  const stems = pieces.flatMap(({ stems: own }) => own);
  const text = unit.parts
    .flatMap(({ section, pieces: own }) => own.map(({ start, end }) => section.text.slice(start, end)))
    .join('\n');
  return {
    stems,
    words: new Set(stems),
    headings: new Set(unit.parts.flatMap(({ section }) => [...readPath(section).words])),
    sequence: ` ${stems.join(' ')} `,
    sentences: pieces.flatMap(({ sentences }) => sentences).slice(0, MAX_SENTENCES),
    hasBold: /\*\*[^*]+\*\*|`/.test(text),
    saysBecause: BECAUSE.test(text),
  };
});

const readUnit = (
  unit: Unit,
  {
    article,
    candidate,
    question,
    vectors,
    edition,
  }: {
    article: ArticleReading & { talked: number; isOutdated: boolean; years: number };
    candidate: Candidate;
    question: ParsedQuestion;
    vectors: TextVectors | undefined;
    edition: Edition;
  },
): Omit<CandidateUnit, 'features'> & { values: Values } => {
  const { terms, types, pairs, devices: asked } = question;
  const reading = readWords(unit);
  const { words, headings, sentences } = reading;
  const first = unit.parts[0].section;
  const path = readPath(first);
  const paths = unit.parts.map(({ section }) => readPath(section));
  const pieces = unit.parts.flatMap(({ pieces: own }) => own);
  const isSomewhere = (term: QuestionTerm) =>
    holdsTerm(words, term) || holdsTerm(headings, term) || holdsTerm(article.title, term);
  const literals = terms.filter(({ isLiteral, isKnown, weight }) => isLiteral && isKnown && weight === 1);
  const soft = softCoverage(question, { ...reading, article });
  const named = unit.parts.map(({ section }) => devicesOfSection(edition)(section)).filter(({ length }) => length > 0);
  const devices = named.length > 0 ? [...new Set(named.flat())] : article.devices;
  const isAbout = (about: readonly string[]) => about.some((device) => asked.includes(device));
  const isAsked = isAbout(devices);
  // One part about another device is enough: its words could be taken for those about the one that was asked for.
  const isOtherDevice = asked.length > 0 && (named.length > 0 ? !named.every(isAbout) : devices.length > 0 && !isAsked);
  if (vectors !== undefined && !('vector' in reading)) reading.vector = vectors.vectorOf(reading.stems);
  if (vectors !== undefined && !('vector' in path)) path.vector = vectors.vectorOf(path.stems);
  const sign = (...holds: boolean[]): number => (holds.every(Boolean) ? 1 : 0);
  const hasRole = (role: keyof typeof HEADING_ROLES) => paths.some(({ roles }) => roles[role] === 1);
  return {
    unit,
    source: candidate.source,
    devices,
    isOtherDevice,
    isOutdated: article.isOutdated,
    values: {
      article: candidate.whole,
      articleFirst: sign(candidate.wholeRank === 1),
      articleInverseRank: 1 / candidate.wholeRank,
      passage: passageShare(unit, candidate),
      passageBest: candidate.best,
      passageInverseRank: 1 / candidate.rank,
      passageWords: candidate.bestWords,
      coverage: shareOf(terms, isSomewhere),
      coverageOfKnown: shareOf(
        terms.filter(({ isKnown }) => isKnown),
        isSomewhere,
      ),
      coverageInText: shareOf(terms, (term) => holdsTerm(words, term)),
      coverageInHeading: shareOf(terms, (term) => holdsTerm(headings, term)),
      coverageInTitle: article.coverageInTitle,
      titleSaid: article.titleSaid,
      headingSaid: path.last.filter((word) => isSaid(word, terms)).length / Math.max(1, path.last.length),
      pairs:
        pairs.filter(([left, right]) => reading.sequence.includes(` ${left} ${right} `)).length /
        Math.max(1, pairs.length),
      sentence: best(sentences, (sentence) => shareOf(terms, (term) => holdsTerm(sentence, term))),
      inner: innerShare(question, article, (term) => holdsTerm(words, term) || holdsTerm(headings, term)),
      innerSentence: best(sentences, (sentence) => innerShare(question, article, (term) => holdsTerm(sentence, term))),
      literals: shareOf(literals, isSomewhere),
      assistant: article.talked,
      meaning: dot(question.vector, reading.vector),
      meaningOfHeading: dot(question.vector, path.vector),
      meaningOfTitle: article.meaningOfTitle,
      softCoverage: soft.all,
      softSentence: soft.sentence,
      softInner: soft.inner,
      softHeading: soft.heading,
      digitsForNumber: sign(
        types.number,
        pieces.some(({ hasDigit }) => hasDigit),
      ),
      tableForNumber: sign(
        types.number,
        pieces.some(({ kind }) => kind === 'table' || kind === 'row'),
      ),
      becauseForReason: sign(types.reason, reading.saysBecause),
      causeForReason: sign(types.reason, hasRole('cause')),
      listForHowto: sign(
        types.howto,
        pieces.some(({ kind }) => kind === 'list' || kind === 'item'),
      ),
      stepsForHowto: sign(
        types.howto,
        pieces.some(({ isStep }) => isStep),
      ),
      solutionForProblem: sign(types.problem, hasRole('solution')),
      solutionForHowto: sign(types.howto, hasRole('solution')),
      boldForWhere: sign(types.where, reading.hasBold),
      symptom: sign(unit.parts.length === 1, path.roles.symptom === 1),
      reference: path.roles.reference,
      outdated: sign(article.isOutdated),
      age: article.years,
      short: Math.max(0, 1 - unit.size / 200),
      size: Math.min(2, unit.size / 900),
      later: sign(unit.isLater),
      cut: sign(unit.isCut),
      group: sign(unit.kind === 'group'),
      sections: sign(unit.kind === 'sections'),
      lead: sign(first.at === 0),
      otherDevice: sign(isOtherDevice),
      device: sign(isAsked),
    },
  };
};

const best = (sentences: readonly ReadonlySet<string>[], of: (sentence: ReadonlySet<string>) => number): number =>
  sentences.reduce((most, sentence) => Math.max(most, of(sentence)), 0);

/** Share of what tells the units of an article apart. */
const innerShare = (
  { terms }: ParsedQuestion,
  { inner }: ArticleReading,
  holds: (term: QuestionTerm) => boolean,
): number => {
  let total = 0;
  let found = 0;
  terms.forEach((term, place) => {
    const idf = inner[place] ?? 0;
    total += idf;
    if (idf > 0 && holds(term)) found += idf;
  });
  return total > 0 ? found / total : 0;
};

/** Coverage in which a word that is close to the asked one counts in part. */
const softCoverage = (
  { terms, total }: ParsedQuestion,
  {
    words,
    headings,
    sentences,
    article,
  }: Pick<WordsOfUnit, 'words' | 'headings' | 'sentences'> & { article: ArticleReading },
): Record<'all' | 'heading' | 'sentence' | 'inner', number> => {
  if (total === 0) return { all: 0, heading: 0, sentence: 0, inner: 0 };
  let all = 0;
  let heading = 0;
  let inner = 0;
  const own = terms.map(({ idf }, place) => {
    const near = article.near[place] ?? [];
    const inText = near.filter(({ word }) => words.has(word));
    const above = closest(near, (word) => headings.has(word) || article.title.has(word));
    all += idf * Math.max(inText[0]?.closeness ?? 0, above);
    heading += idf * above;
    inner += (article.inner[place] ?? 0) * (inText[0]?.closeness ?? 0);
    return { idf, near: inText };
  });
  const sentence = best(sentences, (stems) =>
    own.reduce(
      (sum, { idf, near }) => sum + (near.length === 0 ? 0 : idf * closest(near, (word) => stems.has(word))),
      0,
    ),
  );
  const innerTotal = article.inner.reduce((sum, idf) => sum + idf, 0);
  return {
    all: all / total,
    heading: heading / total,
    sentence: sentence / total,
    inner: innerTotal > 0 ? inner / innerTotal : 0,
  };
};

/** A table that is too large to be shown keeps the rows that hold most of the question, in their order. */
const withBestRows = (unit: Unit, { terms }: ParsedQuestion, article: ArticleReading): Unit => {
  const [part] = unit.parts;
  const rows = part.pieces
    .filter(({ kind }) => kind === 'row')
    .map((row) => {
      const words = new Set(row.stems);
      const fit = terms.reduce(
        (sum, { idf }, place) => sum + idf * closest(article.near[place] ?? [], (word) => words.has(word)),
        0,
      );
      return { row, fit };
    })
    .sort((left, right) => right.fit - left.fit || left.row.start - right.row.start);
  const others = part.pieces.filter(({ kind }) => kind !== 'row');
  let room = UNIT_SIZE - others.reduce((sum, { size }) => sum + size, 0);
  const kept = new Set(others);
  for (const { row, fit } of rows.slice(0, MAX_ROWS)) {
    const isFirst = kept.size === others.length;
    if (!isFirst && (fit < GOOD_ROW * (rows[0]?.fit ?? 0) || row.size > room)) break;
    kept.add(row);
    room -= row.size;
  }
  const pieces = part.pieces.filter((piece) => kept.has(piece));
  return { ...unit, parts: [{ ...part, pieces }], size: pieces.reduce((sum, { size }) => sum + size + 1, 0) };
};

/** Rows of a large table that are shown, and how well each has to fit against the best one. */
const MAX_ROWS = 6;
const GOOD_ROW = 0.7;

/** How close the closest of some words is that qualifies; 0 without any. They are sorted. */
const closest = (near: readonly NearWord[], qualifies: (word: string) => boolean): number => {
  for (const { word, closeness } of near) if (qualifies(word)) return closeness;
  return 0;
};

/** The devices that the innermost heading with a device in it names; empty where none does. */
const devicesOfSection = oncePer((edition: Edition) =>
  oncePer(({ path }: Section): readonly string[] => {
    for (const heading of path.toReversed()) {
      const named = devicesNamedIn(heading, edition.devices());
      if (named.length > 0) return named;
    }
    return [];
  }),
);

/** How well the passage found fits that a unit shares most of its text with, 0 to 1. */
const passageShare = ({ parts }: Unit, { hits }: Candidate): number => {
  let most = 0;
  for (const { section, pieces } of parts) {
    const start = section.start + (pieces[0]?.start ?? 0);
    const end = section.start + (pieces.at(-1)?.end ?? 0);
    for (const hit of hits) {
      const overlap = Math.min(hit.end, end) - Math.max(hit.start, start);
      if (overlap <= 0) continue;
      most = Math.max(most, hit.share * Math.min(1, overlap / Math.min(end - start, hit.end - hit.start)));
    }
  }
  return most;
};

const YEAR_MS = 365.25 * 24 * 3600 * 1000;

/** How old an article is: in years behind the newest, as a share of five; and far behind most. */
const agesIn = oncePer((edition: Edition) => {
  const dates = Array.from({ length: edition.articleCount }, (_, at) => Date.parse(edition.article(at).lastUpdated))
    .filter((date) => date > 0)
    .sort((left, right) => left - right);
  const newest = dates.at(-1) ?? 0;
  const median = dates[dates.length >> 1] ?? 0;
  const early = dates[Math.floor(dates.length / 10)] ?? 0;
  return ({ lastUpdated }: Pick<EditionArticle, 'lastUpdated'>) => {
    const date = Date.parse(lastUpdated) || newest;
    return {
      isOutdated: median - date > Math.max(3 * YEAR_MS, 1.5 * (median - early)),
      years: Math.min(5, (newest - date) / YEAR_MS) / 5,
    };
  };
});
