import type { ComposedParts, Dimension, Measure } from './composed-parts.ts';
import type { FoundName } from './find-names.ts';
import type { Composition } from './read-composition.ts';

/** What a composition asks of which tables. */
export interface CompositionPlan {
  form: 'rows' | 'count' | 'share';
  aggregate: 'whole' | 'average' | 'highest' | 'lowest';
  measure: Measure;
  on: Measure['on'][number];
  /** Ids of dimensions; the first is what is ranked or listed. */
  groups: string[];
  filters: Filter[];
  asked: Composition;
}

/** One of these values. */
export interface Filter {
  dimension: string;
  values: string[];
  /** Several values are one thing in the question: `waiting to be shipped`. */
  isOne: boolean;
}

/**
 * Finds the measure that a composition's concepts mean together, and tables that have all it is counted by and restricted to.
 *
 * @returns `undefined` when there is none, or when what is asked could mean two things.
 */
export const planComposition = (composition: Composition, parts: ComposedParts): CompositionPlan | undefined => {
  const asked = withSubject(composition, parts);
  const rest = asked.concepts.filter((concept) => concept !== asked.subject);
  for (const measure of measuresFor(rest, asked, parts)) {
    const aggregate = aggregateOf(asked, measure);
    if (aggregate === undefined || !canTell(asked, measure)) continue;
    for (const on of measure.on) {
      const filters = filtersOf(asked, { base: on.base, parts });
      const groups = filters && groupsOf(asked, filters);
      if (filters === undefined || groups === undefined) continue;
      const used = [...groups, ...filters.map(({ dimension }) => dimension)];
      if (!used.every((id) => hasDimension(on, { id, parts, currency: measure.currency }))) continue;
      if (asked.periods.length > 0 && on.day === undefined) continue;
      const form = formOf(asked, filters);
      if (form === undefined || !isPlain(asked, { form, groups, filters })) return undefined;
      return { form, aggregate, measure, on, groups, filters, asked };
    }
  }
  return undefined;
};

/** `the best-selling products`, `customers with more than 3 orders`: what is ranked or limited stands first. */
const withSubject = (asked: Composition, { dimensions }: ComposedParts): Composition => {
  if (asked.subject !== undefined) {
    const isGrouped = asked.groups.length > 0 && asked.rank === undefined && asked.threshold === undefined;
    // `show orders per month`: what is shown is what is counted.
    return isGrouped ? { ...asked, subject: undefined, concepts: [asked.subject, ...asked.concepts] } : asked;
  }
  if (asked.rank === undefined && asked.threshold === undefined) return asked;
  const [group] = asked.groups;
  if (asked.rank !== undefined && group !== undefined && asked.groups.length === 1) {
    return { ...asked, subject: group, groups: [] };
  }
  // `what do customers buy most` does not rank customers.
  const ranked = asked.rank === undefined ? asked.concepts : asked.concepts.slice(asked.rankedAt);
  return { ...asked, subject: ranked.find((concept) => dimensions[concept] !== undefined) };
};

/** `which customers live in Berlin`: the rows themselves, with nothing counted. */
export const planListing = (asked: Composition, parts: ComposedParts): ListingPlan | undefined => {
  const { subject = '', isCount, isMuch, isShare, isCompared, isTotal, isAverage, rank, threshold } = asked;
  const listing = parts.dimensions[subject]?.listing;
  const isMore = isCount || isMuch || isShare || isCompared || isTotal || isAverage || rank || threshold;
  if (listing === undefined || isMore || asked.groups.length > 0 || asked.periods.length > 1) return undefined;
  const said = listing.said.split(' ');
  if (!asked.concepts.every((concept) => concept === subject || said.includes(concept))) return undefined;
  const filters = filtersOf(asked, { base: listing.base, parts });
  if (filters === undefined || (asked.periods.length > 0 && listing.day === undefined)) return undefined;
  const on = { base: listing.base, sql: '', ...(listing.day === undefined ? {} : { day: listing.day }) };
  // All of a table is no answer to read.
  const isRestricted = filters.length > 0 || asked.periods.length > 0;
  const isReadable = filters.every(({ dimension }) => hasDimension(on, { id: dimension, parts }));
  return isRestricted && isReadable ? { subject, listing, filters, asked } : undefined;
};

export interface ListingPlan {
  subject: string;
  listing: NonNullable<Dimension['listing']>;
  filters: Filter[];
  asked: Composition;
}

const measuresFor = (
  rest: readonly string[],
  asked: Composition,
  { measures, dimensions }: ComposedParts,
): Measure[] => {
  const { rankedBy, limitedBy } = dimensions[asked.subject ?? ''] ?? {};
  if (rest.length === 0 && asked.rank !== undefined) return measures.filter(({ name }) => name === rankedBy);
  if (rest.length === 0 && asked.threshold !== undefined) {
    const isMoney = asked.choices.some(({ dimension }) => dimension === 'currency');
    return measures.filter(({ name, kind }) => name === limitedBy && (kind === 'money') === isMoney);
  }
  return measures.filter(({ said }) => said.some((pattern) => isSaid(rest, pattern)));
};

const isSaid = (concepts: readonly string[], pattern: string): boolean => {
  const all = pattern.split(' ');
  const names = new Set(all.map((each) => each.replace('?', '')));
  return (
    concepts.every((concept) => names.has(concept)) &&
    all.every((each) => each.endsWith('?') || concepts.includes(each)) &&
    concepts.length > 0
  );
};

const aggregateOf = (asked: Composition, measure: Measure): CompositionPlan['aggregate'] | undefined => {
  const isExtreme = asked.rank !== undefined && asked.subject === undefined;
  if (asked.isAverage && isExtreme) return undefined;
  const aggregate = asked.isAverage ? 'average' : isExtreme ? (asked.rank === 'top' ? 'highest' : 'lowest') : 'whole';
  if (aggregate !== 'whole' && measure.row === undefined) return undefined;
  if (measure.isRowOnly === true && aggregate === 'whole') return undefined;
  return aggregate;
};

/** What a measure cannot be asked for: how many revenue, how much customers; fewer than so many of what has none. */
const canTell = (asked: Composition, measure: Measure): boolean => {
  const isLess = asked.threshold?.comparison.startsWith('<') === true || asked.threshold?.value === 0;
  if (isLess && measure.leavesOutZero === true) return false;
  if (measure.onlyOf !== undefined && asked.subject !== measure.onlyOf) return false;
  if (asked.isTotal && (measure.isRowOnly === true || asked.isAverage)) return false;
  const isBoth = asked.concepts.includes('and');
  return !asked.isCount || measure.kind === 'count' || asked.threshold !== undefined || isBoth;
};

const hasDimension = (
  { base, day }: Measure['on'][number],
  { id, parts, currency }: { id: string; parts: ComposedParts; currency?: string | undefined },
): boolean => {
  const dimension = parts.dimensions[id];
  if (dimension === undefined) return false;
  if (dimension.isTime === true) return day !== undefined;
  if (dimension.sql === '{currency}') return currency !== undefined;
  return canRead(base, { dimension, parts });
};

const canRead = (base: string, { dimension, parts }: { dimension: Dimension; parts: ComposedParts }): boolean => {
  const { from = '', joins = {} } = parts.bases[base] ?? {};
  const aliases = [from.split(' ').at(-1), ...Object.keys(joins)];
  return [...dimension.sql.matchAll(/\b([a-z])\./g)].every(([, alias]) => aliases.includes(alias));
};

/** Names and choices by dimension. `Lyon` is a city of customers and a warehouse: the tables decide; where both fit, nothing does. */
const filtersOf = (
  { names, choices }: Composition,
  { base, parts }: { base: string; parts: ComposedParts },
): Filter[] | undefined => {
  const byDimension = new Map<string, string[]>();
  for (const name of names) {
    const fitting = dimensionsOf(name, { base, parts });
    const [first] = fitting;
    if (fitting.length !== 1 || first === undefined) return undefined;
    byDimension.set(first.id, [...(byDimension.get(first.id) ?? []), first.value]);
  }
  for (const { dimension, values } of choices) {
    byDimension.set(dimension, [...(byDimension.get(dimension) ?? []), ...values]);
  }
  return [...byDimension].map(([dimension, values]) => ({
    dimension,
    values: [...new Set(values)],
    isOne:
      values.length === 1 ||
      choices.some((choice) => choice.dimension === dimension && choice.values.length === values.length),
  }));
};

const dimensionsOf = (name: FoundName['names'], { base, parts }: { base: string; parts: ComposedParts }) =>
  Object.entries(parts.dimensions).flatMap(([id, dimension]) => {
    const value = dimension.list === undefined ? undefined : name[dimension.list];
    return value !== undefined && canRead(base, { dimension, parts }) ? [{ id, value }] : [];
  });

/** Several values of one kind are told apart, whether the question compares them or not. */
const groupsOf = ({ subject, groups }: Composition, filters: readonly Filter[]): string[] => {
  const many = filters.filter(({ isOne }) => !isOne).map(({ dimension }) => dimension);
  return [...new Set([...(subject === undefined ? [] : [subject]), ...groups, ...many])];
};

const formOf = ({ isShare, isCount, threshold, rank }: Composition, filters: readonly Filter[]) => {
  if (isShare) return filters.length === 1 && filters[0]?.isOne === true ? 'share' : undefined;
  return isCount && threshold !== undefined && rank === undefined ? 'count' : 'rows';
};

/** What may be asked at once. More is declined rather than half of it answered. */
const isPlain = (
  asked: Composition,
  { form, groups, filters }: Pick<CompositionPlan, 'form' | 'groups' | 'filters'>,
): boolean => {
  const { subject, threshold, rank, limit, isCompared, isAverage, periods } = asked;
  const hasTwoOfAKind = periods.length > 1 || filters.some(({ isOne }) => !isOne);
  if (isCompared && !hasTwoOfAKind && groups.length === 0) return false;
  if (periods.length > 1 && !areApart(periods)) return false;
  if (limit !== undefined && subject === undefined) return false;
  if (threshold !== undefined && (subject === undefined || groups.length > 1 || periods.length > 1)) return false;
  // Which of the two the ranking is for would be a guess.
  if (rank !== undefined && (threshold !== undefined || periods.length > 1)) return false;
  if (form === 'share' && (groups.length > 0 || threshold || rank || isAverage || periods.length > 1)) return false;
  // A city and a country are a place each, a product and its category name a product twice.
  const restricted = filters.map(({ dimension }) => dimension);
  const isTwice = [
    ['city', 'country'],
    ['product', 'category'],
    ['product', 'sku'],
  ].some((pair) => pair.every((dimension) => restricted.includes(dimension)));
  return !isTwice && groups.length <= 2;
};

const areApart = (periods: Composition['periods']): boolean => {
  const sorted = [...periods].sort((a, b) => a.from.localeCompare(b.from));
  return sorted.length <= 4 && sorted.every(({ from }, place) => place === 0 || (sorted[place - 1]?.to ?? '') < from);
};
