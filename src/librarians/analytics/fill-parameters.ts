import { ALL_DAYS, type Period, unitsAround } from '../../language/calendar.ts';
import type { SqlParameter } from '../../platform/storage/sql-database.ts';
import type { Parameter } from './catalogue.ts';
import type { ParsedQuestion, PlacedNumber } from './parse-question.ts';
import type { QuestionWord } from './question-words.ts';

export interface FilledParameters {
  /** By parameter of the statement. */
  values: Record<string, SqlParameter>;
  /** The values as they are worded in the answer; parameters without a value are absent. */
  labels: Record<string, string>;
  /** The words that were taken as a choice. */
  taken: Set<QuestionWord>;
  /** The first required parameter without a value. */
  missing: Parameter | undefined;
  /** The question names a value that no parameter takes. */
  hasUnusedValue: boolean;
}

/**
 * Assigns the values of a question to parameters, each value once.
 *
 * @param fits Whether the words around a number are those of the parameter.
 */
export function fillParameters(
  parameters: readonly Parameter[],
  {
    parsed,
    fits,
  }: { parsed: ParsedQuestion; fits: (parameter: Parameter, number: PlacedNumber) => boolean },
): FilledParameters {
  const names = [...parsed.names];
  const numbers = [...parsed.numbers];
  const taken = new Set<QuestionWord>();
  let { period } = parsed;
  const values: Record<string, SqlParameter> = {};
  const labels: Record<string, string> = {};
  let missing: Parameter | undefined;

  const takeValue = (
    parameter: Exclude<Parameter, { kind: 'period' }>,
  ): string | number | undefined => {
    switch (parameter.kind) {
      case 'number': {
        const { least, most } = parameter;
        const place = numbers.findIndex(
          (number) =>
            number.isUsable &&
            number.value >= least &&
            number.value <= most &&
            fits(parameter, number),
        );
        return place < 0 ? parameter.default : numbers.splice(place, 1)[0]?.value;
      }
      case 'name': {
        const place = names.findIndex((name) => name.names[parameter.list] !== undefined);
        return place < 0 ? undefined : names.splice(place, 1)[0]?.names[parameter.list];
      }
      case 'choice':
        return takeChoice(parameter.values, { words: parsed.words, taken });
    }
  };

  for (const parameter of parameters) {
    const { name, isOptional } = parameter;
    if (parameter.kind === 'period') {
      const days = typeof period === 'object' ? period : isOptional ? ALL_DAYS : undefined;
      if (typeof period === 'object') period = undefined;
      if (days === undefined) {
        missing ??= parameter;
        continue;
      }
      values[`${name}_from`] = days.from;
      values[`${name}_to`] = days.to;
      labels[name] = labelOf(days);
      continue;
    }
    const value = takeValue(parameter);
    if (value === undefined && !isOptional) missing ??= parameter;
    else values[name] = value ?? null;
    if (value !== undefined) labels[name] = String(value);
  }
  const hasUnusedValue = names.length > 0 || numbers.length > 0 || period !== undefined;
  return { values, labels, taken, missing, hasUnusedValue };
}

/** The value whose words the question has, the longest phrase first; `undefined` for none, and for several. */
const takeChoice = (
  values: Readonly<Record<string, readonly string[]>>,
  { words, taken }: { words: readonly QuestionWord[]; taken: Set<QuestionWord> },
): string | undefined => {
  const phrases = Object.entries(values)
    .flatMap(([value, texts]) => texts.map((text) => ({ value, parts: text.split(' ') })))
    .sort((a, b) => b.parts.length - a.parts.length);
  const chosen = new Set<string>();
  for (const { value, parts } of phrases)
    for (const place of words.keys()) {
      const run = words.slice(place, place + parts.length);
      const isChosen =
        parts.every((part, at) => run[at]?.text === part) && !run.some((word) => taken.has(word));
      if (!isChosen) continue;
      for (const word of run) taken.add(word);
      chosen.add(value);
    }
  const [only, ...others] = chosen;
  return others.length === 0 ? only : undefined;
};

/** `in March 2026`, `on 2026-05-03`, `since 2027-01-01`: by the days alone, however the question names them. */
const labelOf = ({ from, to }: Period): string => {
  const isWhole = (unit: 'month' | 'quarter' | 'year'): boolean => {
    const days = unitsAround(Date.parse(from), { unit, offset: 0 });
    return days.from === from && days.to === to;
  };
  const [year = '', month = ''] = from.split('-');
  if (from === to) return `on ${from}`;
  if (isWhole('year')) return `in ${year}`;
  if (isWhole('quarter')) return `in Q${(Number(month) + 2) / 3} ${year}`;
  if (isWhole('month')) return `in ${new Date(from).toLocaleDateString('en-GB', MONTH_AND_YEAR)}`;
  if (from === ALL_DAYS.from) return to === ALL_DAYS.to ? 'so far' : `until ${to}`;
  return to === ALL_DAYS.to ? `since ${from}` : `from ${from} to ${to}`;
};

const MONTH_AND_YEAR = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
