import type { SqlParameter } from '../../storage/sql-database.ts';
import type { NamedQuestion, Reading } from './catalogue.ts';
import type { Base, ComposedParts, Dimension } from './composed-parts.ts';
import type { CompositionPlan, Filter, ListingPlan } from './plan-composition.ts';
import type { Period } from './read-period.ts';

/** A composed question as a named one: all that a question says is a value, never SQL. */
export interface CompiledComposition {
  question: NamedQuestion;
  values: Record<string, SqlParameter>;
  told: Record<string, string>;
}

const DEFAULT_LIMIT = 10;
const COMPARED = { '>': 'more than', '>=': 'at least', '<': 'less than', '<=': 'at most', '=': 'exactly' } as const;

/** One SELECT from the fragments of the catalogue, and how to say what it found. */
export const compileComposition = (plan: CompositionPlan, parts: ComposedParts): CompiledComposition => {
  const { form, measure, on, groups, filters, asked } = plan;
  const { periods, rank, threshold } = asked;
  const values: Record<string, SqlParameter> = {};
  const told: Record<string, string> = {};
  const dimension = (id: string): Dimension =>
    withColumns(parts.dimensions[id], { day: on.day, currency: measure.currency });
  const restrictions = restrict(filters, { dimension, values, told });
  const span = spanOf(periods, { day: on.day, values, told });
  const ownStatus = filters.some(({ dimension: id }) => id === 'status');
  const kept = measure.where === undefined || ownStatus ? undefined : measure.where;
  const isMoney = measure.kind === 'money';
  const columns = [
    ...groups.map((id) => ({
      name: dimension(id).column ?? id,
      sql: dimension(id).sql,
      key: dimension(id).key ?? dimension(id).sql,
    })),
    ...(span.group === undefined ? [] : [{ name: 'period', sql: span.group, key: 'period' }]),
    ...(isMoney ? [{ name: 'currency', sql: measure.currency ?? 'NULL', key: measure.currency ?? 'NULL' }] : []),
  ];
  const alias = AGGREGATES[plan.aggregate].prefix + measure.name + (isMoney ? '_cents' : '');
  const sql = plan.aggregate === 'whole' ? on.sql : AGGREGATES[plan.aggregate].sql(measure.row ?? on.sql);
  const also =
    on.also !== undefined && groups.length === 0 && form === 'rows' && plan.aggregate === 'whole' ? `, ${on.also}` : '';
  const having = threshold === undefined ? '' : ` HAVING ${sql} ${threshold.comparison} :threshold`;
  if (threshold !== undefined) {
    values.threshold = threshold.value * (isMoney ? 100 : 1);
    told.threshold = String(threshold.value);
  }
  const select = (conditions: readonly (string | undefined)[], extra = ''): string => {
    const shown = columns.map(({ name, sql: column, key }) => `${form === 'count' ? key : column} AS ${name}`);
    const body = [...shown, `${sql} AS ${alias}${extra}`].join(', ');
    const where = conditions.filter((each) => each !== undefined && each !== '');
    const grouped = columns.length === 0 ? '' : ` GROUP BY ${columns.map(({ key }) => key).join(', ')}`;
    const rest = `${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}${grouped}${having}`;
    return `SELECT ${body} ${fromOf(parts.bases[on.base], `${body}${rest}`)}${rest}`;
  };
  const inner = select([...restrictions.sql, kept?.sql, span.sql], also);
  const what = `${AGGREGATES[plan.aggregate].label}${measure.label}`;
  const note = kept === undefined ? '' : `, ${kept.label}`;
  const where = `${restrictions.label}${span.label}`;
  const name = nameOf(plan, filters);
  const value = isMoney ? `{${alias}:money}` : `{${alias}:number}`;
  const done = (statement: string, reading: Reading, description: string): CompiledComposition => ({
    question: { name, description, examples: [], sql: statement, parameters: [], reading },
    values,
    told,
  });
  if (form === 'share') {
    const whole = select([kept?.sql, span.sql]);
    const currency = isMoney ? 'whole.currency, ' : '';
    const join = isMoney ? 'LEFT JOIN part ON part.currency = whole.currency' : 'CROSS JOIN part';
    const share = `WITH part AS (${inner}), whole AS (${whole})
      SELECT ${currency}coalesce(part.${alias}, 0) AS part_${alias}, whole.${alias} AS ${alias},
      round(100.0 * coalesce(part.${alias}, 0) / nullif(whole.${alias}, 0), 1) AS percentage FROM whole ${join}`;
    const text = `Share of ${what}${span.label}${note} of all,${restrictions.label}:`;
    return done(
      share,
      {
        text,
        each: `{percentage} % ({part_${alias}${isMoney ? ':money' : ':number'}} of ${value})`,
        none: `${text} none.`,
      },
      text,
    );
  }
  const [first] = groups;
  const subject = first === undefined ? undefined : dimension(first);
  const column = subject?.column ?? first;
  const limit = threshold === undefined ? '' : ` with ${what} of ${COMPARED[threshold.comparison]} {threshold}`;
  if (form === 'count') {
    // In two currencies one customer is one customer.
    const counted = `SELECT count(DISTINCT ${column}) AS counted FROM (${inner})`;
    const text = `Number of ${plural(subject?.label ?? '')}${limit}${where}${note}:`;
    return done(counted, { text: `${text} {counted:number}.`, none: `${text} 0.` }, text);
  }
  const shownBy = columns.filter(({ name: each }) => each !== 'currency').map(({ name: each }) => `{${each}}`);
  const extra = also === '' ? '' : ` ({${on.also?.split(' AS ').at(-1)}:number} ${on.also?.split(' AS ').at(-1)})`;
  const each = `${shownBy.join(', ')}${shownBy.length > 0 ? ': ' : ''}${value}${extra}`;
  const by = [...groups.map((id) => dimension(id).label), ...(span.group === undefined ? [] : ['period'])];
  const ranked = rank === undefined || subject === undefined ? undefined : rank;
  const how =
    by.length === 0
      ? ''
      : `, by ${by.join(' and ')}${ranked === undefined ? '' : ranked === 'top' ? ', the most first' : ', the least first'}`;
  const text = `${capital(what)}${limit === '' ? '' : limit.replace(` with ${what}`, '')}${where}${note}${how}:`;
  const reading: Reading = { text, each, none: `${text} none.` };
  if (ranked === undefined) {
    const times = groups.filter((id) => dimension(id).isTime === true);
    const order = [
      ...times.map((id) => `${id} DESC`),
      ...(isMoney ? ['currency'] : []),
      `${alias} DESC`,
      ...(column === undefined ? [] : [column]),
    ];
    return done(`${inner}${columns.length === 0 ? '' : ` ORDER BY ${order.join(', ')}`}`, reading, text);
  }
  values.limit = asked.limit ?? (asked.isSingular ? 1 : DEFAULT_LIMIT);
  const within = columns.slice(1).map(({ name: column }) => column);
  const direction = ranked === 'top' ? 'DESC' : 'ASC';
  const places = `rank() OVER (${within.length > 0 ? `PARTITION BY ${within.join(', ')} ` : ''}ORDER BY ${alias} ${direction}) AS place`;
  const names = [...columns.map(({ name: column }) => column), alias].join(', ');
  const order = [...within, 'place', column].join(', ');
  return done(
    `SELECT ${names} FROM (SELECT ${names}, ${places} FROM (${inner})) WHERE place <= :limit ORDER BY ${order}`,
    reading,
    text,
  );
};

/** The rows of a dimension that fit. */
export const compileListing = (
  { subject, listing, filters, asked }: ListingPlan,
  parts: ComposedParts,
): CompiledComposition => {
  const values: Record<string, SqlParameter> = {};
  const told: Record<string, string> = {};
  const dimension = (id: string): Dimension => withColumns(parts.dimensions[id], { day: listing.day });
  const restrictions = restrict(filters, { dimension, values, told });
  const span = spanOf(asked.periods, { day: listing.day, values, told });
  const where = [...restrictions.sql, span.sql].filter((each) => each !== undefined && each !== '');
  const rest = `WHERE ${where.join(' AND ')}`;
  const from = fromOf(parts.bases[listing.base], `${listing.columns} ${rest}`);
  const label = plural(parts.dimensions[subject]?.label ?? subject);
  const restricted = `${restrictions.label}${asked.periods.length > 0 ? span.label : ''}`;
  const text = `${capital(label)}${restricted}, {row_count} in all:`;
  return {
    question: {
      name: ['list', label, ...filters.map((filter) => `of_${filter.dimension}`)].join('_'),
      description: text,
      examples: [],
      sql: `SELECT ${listing.columns} ${from} ${rest} ORDER BY ${listing.order}`,
      parameters: [],
      reading: { text, each: listing.each, none: `${capital(label)}${restricted}: none.` },
    },
    values,
    told,
  };
};

const AGGREGATES = {
  whole: { prefix: '', label: '', sql: (row: string) => row },
  average: { prefix: 'average_', label: 'average ', sql: (row: string) => `round(avg(${row}), 2)` },
  highest: { prefix: 'highest_', label: 'highest ', sql: (row: string) => `max(${row})` },
  lowest: { prefix: 'lowest_', label: 'lowest ', sql: (row: string) => `min(${row})` },
} as const;

const withColumns = (
  dimension: Dimension | undefined,
  { day = '', currency = '' }: { day?: string | undefined; currency?: string | undefined },
): Dimension => {
  if (dimension === undefined) throw new Error('a composition has a dimension that the catalogue does not have');
  return { ...dimension, sql: dimension.sql.replaceAll('{day}', day).replaceAll('{currency}', currency) };
};

interface Bound {
  values: Record<string, SqlParameter>;
  told: Record<string, string>;
}

const restrict = (
  filters: readonly Filter[],
  { dimension, values: bound, told }: Bound & { dimension: (id: string) => Dimension },
): { sql: string[]; label: string } => {
  const labels: string[] = [];
  const sql = filters.map(({ dimension: id, values }) => {
    const names = values.map((value, place) => {
      bound[`${id}_${place}`] = value;
      told[`${id}_${place}`] = value;
      return `${id}_${place}`;
    });
    labels.push(`${dimension(id).label} is ${names.map((name) => `{${name}}`).join(' or ')}`);
    return `${dimension(id).sql} IN (${names.map((name) => `:${name}`).join(', ')})`;
  });
  return { sql, label: labels.length === 0 ? '' : ` where ${labels.join(' and ')}` };
};

/** The days of a question: one period, or several that are told apart. */
const spanOf = (
  periods: readonly Period[],
  { day, values, told }: Bound & { day: string | undefined },
): { sql?: string; label: string; group?: string } => {
  if (day === undefined) return { label: '' };
  if (periods.length === 0) return { label: ', over all days' };
  const tests = periods.map(({ from, to, label }, place) => {
    Object.assign(values, { [`from_${place}`]: from, [`to_${place}`]: to });
    told[`period_${place}`] = label;
    return `${day} BETWEEN :from_${place} AND :to_${place}`;
  });
  const label = ` ${periods.map((_each, place) => `{period_${place}}`).join(' and ')}`;
  if (periods.length === 1) return { sql: tests.join(''), label };
  const cases = tests.map((test, place) => {
    values[`period_${place}`] = periods[place]?.label ?? '';
    return `WHEN ${test} THEN :period_${place}`;
  });
  return { sql: `(${tests.join(' OR ')})`, label, group: `CASE ${cases.join(' ')} END` };
};

/** The tables that the text uses, and those that their joins use. */
const fromOf = ({ from, joins }: Base = { from: '', joins: {} }, text: string): string => {
  const needed: string[] = [];
  let used = text;
  for (const [alias, join] of Object.entries(joins).reverse()) {
    if (!new RegExp(`\\b${alias}\\.`).test(used)) continue;
    needed.unshift(join);
    used += join;
  }
  return ['FROM', from, ...needed].join(' ');
};

const nameOf = ({ form, aggregate, measure, groups, asked }: CompositionPlan, filters: readonly Filter[]): string =>
  [
    form === 'rows' ? '' : form,
    asked.rank ?? '',
    aggregate === 'whole' ? '' : aggregate,
    measure.name,
    ...groups.map((group) => `by_${group}`),
    ...filters.map(({ dimension }) => `of_${dimension}`),
    ...(asked.periods.length > 0 ? ['in_period'] : []),
  ]
    .filter((part) => part !== '')
    .join('_');

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const plural = (noun: string): string => (/[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`);
