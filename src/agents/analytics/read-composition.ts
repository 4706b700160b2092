import type { ComposedParts } from './composed-parts.ts';
import type { Concept } from './concepts-of-question.ts';
import type { FoundName } from './find-names.ts';
import type { Period } from './read-period.ts';

/** What a question asks, before it is known of which tables. Every word of it is in here, or fills only. */
export interface Composition {
  isCount: boolean;
  isMuch: boolean;
  isShare: boolean;
  isCompared: boolean;
  isTotal: boolean;
  isAverage: boolean;
  rank: 'top' | 'bottom' | undefined;
  /** How many concepts stand before the ranking. */
  rankedAt: number;
  limit: number | undefined;
  /** The dimension that is ranked or listed: `which customers`. */
  subject: string | undefined;
  /** One is asked for: `which customer`. */
  isSingular: boolean;
  groups: string[];
  /** What is left: what is counted. */
  concepts: string[];
  threshold: { comparison: Comparison; value: number } | undefined;
  names: FoundName['names'][];
  /** Values of dimensions that are words. */
  choices: { dimension: string; values: string[] }[];
  periods: Period[];
}

type Comparison = '>' | '>=' | '<' | '<=' | '=';

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '#more': '>',
  '#least': '>=',
  '#less': '<',
  '#most': '<=',
  '#exactly': '=',
};

const TIMES: Readonly<Record<string, number>> = { once: 1, twice: 2 };
const MAX_LIMIT = 100;

/** Reads what stands where. `undefined` when a word has no place: then the question says more than is understood. */
export const readComposition = (
  concepts: readonly Concept[],
  { dimensions }: Pick<ComposedParts, 'dimensions'>,
): Composition | undefined => {
  const asked: Composition = {
    isCount: false,
    isMuch: false,
    isShare: false,
    isCompared: false,
    isTotal: false,
    isAverage: false,
    rank: undefined,
    rankedAt: 0,
    limit: undefined,
    subject: undefined,
    isSingular: false,
    groups: [],
    concepts: [],
    threshold: undefined,
    names: [],
    choices: [],
    periods: [],
  };
  const dimensionAt = (place: number): string | undefined => {
    const at = concepts[place];
    return at?.kind === 'concept' && dimensions[at.concept] !== undefined ? at.concept : undefined;
  };
  /** Takes what stands at a place; how many places it takes, 0 when it has none. */
  const take = (place: number): number => {
    const at = concepts[place];
    const next = concepts[place + 1];
    if (at === undefined) return 0;
    if (at.kind === 'name') return asked.names.push(at.names) && 1;
    if (at.kind === 'period') return asked.periods.push(at.period) && 1;
    if (at.kind === 'number') return takeNumber(at.value, next);
    const comparison = COMPARISONS[at.concept];
    if (comparison !== undefined) return takeThreshold(comparison, place);
    switch (at.concept) {
      case '#count':
        return takeFlag('isCount');
      case '#much':
        return takeFlag('isMuch');
      case '#share':
        return takeFlag('isShare');
      case '#compare':
        return takeFlag('isCompared');
      case '#total':
        return takeFlag('isTotal');
      case '#average':
        return takeFlag('isAverage');
      case '#and':
        return takeAnd(place);
      case '#top':
      case '#bottom':
        return takeRank(at.concept === '#top' ? 'top' : 'bottom', place);
      case '#per':
        return takeGroup(place);
      case '#which':
        return takeWhich(place);
      case '#verb':
        return 1;
      default:
        return takeConcept(at.concept, place);
    }
  };
  const takeFlag = (flag: 'isCount' | 'isMuch' | 'isShare' | 'isCompared' | 'isTotal' | 'isAverage'): number => {
    asked[flag] = true;
    return 1;
  };
  const takeNumber = (value: number, next: Concept | undefined): number => {
    if (next?.kind !== 'concept') return 0;
    if (next.concept === '#top' || next.concept === '#bottom') return takeLimit(value);
    // `ordered 3 times` is as often, not more often.
    return next.concept === 'times' ? setThreshold('=', value, 1) : 0;
  };
  const takeLimit = (value: number): number => {
    if (asked.limit !== undefined || value < 1 || value > MAX_LIMIT) return 0;
    asked.limit = value;
    return 1;
  };
  const setThreshold = (comparison: Comparison, value: number, length: number): number => {
    if (asked.threshold !== undefined) return 0;
    asked.threshold = { comparison, value };
    return length;
  };
  const takeThreshold = (comparison: Comparison, place: number): number => {
    const next = concepts[place + 1];
    if (next?.kind === 'number') return setThreshold(comparison, next.value, 2);
    const times = next?.kind === 'concept' ? TIMES[next.concept] : undefined;
    if (times === undefined) return 0;
    asked.concepts.push('times');
    return setThreshold(comparison, times, 2);
  };
  /** Between two of a kind, names or periods; else two things are asked at once, which few measures are. */
  const takeAnd = (place: number): number => {
    const [before, after] = [concepts[place - 1], concepts[place + 1]];
    if (before === undefined || after === undefined) return 0;
    if (before.kind === 'concept' && after.kind === 'concept') return asked.concepts.push('and') && 1;
    if (before.kind === 'period' && after.kind === 'period') return 1;
    if (before.kind !== 'name' || after.kind !== 'name') return 0;
    return Object.keys(before.names).some((list) => after.names[list] !== undefined) ? 1 : 0;
  };
  const takeRank = (rank: 'top' | 'bottom', place: number): number => {
    // `best-selling, most`: twice the same is once.
    if (asked.rank !== undefined && asked.rank !== rank) return 0;
    asked.rank = rank;
    asked.rankedAt = asked.concepts.length;
    const number = concepts[place + 1];
    const length = number?.kind === 'number' ? 2 : 1;
    if (number?.kind === 'number' && takeLimit(number.value) === 0) return 0;
    if (asked.subject !== undefined || !isDimension(place + length)) return length;
    takeSubject(place + length);
    return length + 1;
  };
  const isDimension = (place: number): boolean => dimensionAt(place) !== undefined;
  const takeSubject = (place: number): void => {
    const at = concepts[place];
    asked.subject = dimensionAt(place);
    asked.isSingular = at?.kind === 'concept' && !at.word.endsWith('s');
  };
  const takeGroup = (place: number): number => {
    const group = dimensionAt(place + 1);
    const at = concepts[place];
    const isBy = at?.kind === 'concept' && at.word === 'by';
    // `by revenue`, `placed by`.
    if (group === undefined) return isBy ? 1 : 0;
    const next = concepts[place + 1];
    // `top 5 customers by orders`.
    if (isBy && asked.rank !== undefined && next?.kind === 'concept' && next.word.endsWith('s')) return 1;
    if (!asked.groups.includes(group)) asked.groups.push(group);
    return 2;
  };
  const takeWhich = (place: number): number => {
    const next = concepts[place + 1];
    if (asked.subject !== undefined) return 1;
    // `which five cities`, `which cancelled orders`.
    const isNumber = next?.kind === 'number' && isDimension(place + 2);
    const isChoice = next?.kind === 'concept' && next.concept.includes('=') && isDimension(place + 2);
    if (isNumber && takeLimit(next.value) === 0) return 0;
    if (isNumber || isChoice || isDimension(place + 1)) takeSubject(place + (isNumber || isChoice ? 2 : 1));
    return isNumber ? 2 : 1;
  };
  const takeConcept = (concept: string, place: number): number => {
    if (concept.startsWith('#')) return 0;
    const [dimension = '', values] = concept.split('=');
    if (values !== undefined) {
      asked.choices.push({ dimension, values: values.split('|') });
      return 1;
    }
    if (concept === asked.subject) {
      const at = concepts[place];
      if (at?.kind === 'concept' && at.word.endsWith('s')) asked.isSingular = false;
      return 1;
    }
    if (isLabelOfName(concept, place)) return 1;
    const times = TIMES[concept];
    asked.concepts.push(times === undefined ? concept : 'times');
    if (times !== undefined) return setThreshold('=', times, 1);
    return 1;
  };
  /** `the category Network`, `Network category`. */
  const isLabelOfName = (concept: string, place: number): boolean => {
    const list = dimensions[concept]?.list;
    if (list === undefined) return false;
    return [concepts[place - 1], concepts[place + 1]].some((at) => at?.kind === 'name' && at.names[list] !== undefined);
  };
  for (let place = 0; place < concepts.length; ) {
    const length = take(place);
    if (length === 0) return undefined;
    place += length;
  }
  return asked;
};
