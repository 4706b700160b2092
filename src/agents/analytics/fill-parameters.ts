import type { SqlParameter } from '../../storage/sql-database.ts';
import type { Parameter } from './catalogue.ts';
import { ALL_DAYS } from './read-period.ts';
import type { ReadQuestion } from './read-question.ts';
import type { QuestionWord } from './words-of-question.ts';

export interface FilledParameters {
  values: Record<string, SqlParameter>;
  /** What the values are called in a sentence; a missing one is not there. */
  told: Record<string, string>;
  /** The words that were taken as a choice. */
  taken: Set<QuestionWord>;
  /** The first parameter without a value that needs one. */
  missing: Parameter | undefined;
  /** The question names a value that no parameter takes. */
  hasLeftOver: boolean;
}

/** Gives the values of a question to parameters. Each value is used once; what stays over is told. */
export const fillParameters = (parameters: readonly Parameter[], asked: ReadQuestion): FilledParameters => {
  const names = [...asked.names];
  const numbers = [...asked.numbers];
  const filled: FilledParameters = { values: {}, told: {}, taken: new Set(), missing: undefined, hasLeftOver: false };
  let isPeriodTaken = false;
  for (const parameter of parameters) {
    const found = take(parameter, { asked, names, numbers, taken: filled.taken });
    if (found === undefined) filled.missing ??= parameter;
    else Object.assign(filled.values, found.values);
    if (found?.told !== undefined) filled.told[parameter.name] = found.told;
    isPeriodTaken ||= parameter.kind === 'period';
  }
  const isPeriodLeft = asked.hasUnclearPeriod || (asked.period !== undefined && !isPeriodTaken);
  filled.hasLeftOver = names.length > 0 || numbers.length > 0 || asked.hasBoundNumber || isPeriodLeft;
  return filled;
};

interface Supply {
  asked: ReadQuestion;
  names: ReadQuestion['names'];
  numbers: number[];
  taken: Set<QuestionWord>;
}

interface Found {
  values: Record<string, SqlParameter>;
  told?: string | undefined;
}

/** `undefined` when the parameter needs a value and there is none. */
const take = (parameter: Parameter, supply: Supply): Found | undefined => {
  const { name } = parameter;
  switch (parameter.kind) {
    case 'number':
      return takeNumber(parameter, supply);
    case 'period': {
      const period = supply.asked.period ?? (parameter.isRequired ? undefined : ALL_DAYS);
      return period && { values: { [`${name}_from`]: period.from, [`${name}_to`]: period.to }, told: period.label };
    }
    case 'name': {
      const place = supply.names.findIndex(({ names }) => names[parameter.list] !== undefined);
      const value = place < 0 ? undefined : supply.names.splice(place, 1)[0]?.names[parameter.list];
      return given(name, value, parameter.isOptional);
    }
    case 'choice': {
      const found = Object.entries(parameter.values).flatMap(([value, words]) =>
        supply.asked.words.filter(({ text }) => words.includes(text)).map((word) => ({ value, word })),
      );
      for (const { word } of found) supply.taken.add(word);
      const values = new Set(found.map(({ value }) => value));
      // Two choices are none.
      return values.size > 1 ? undefined : given(name, [...values][0], parameter.isOptional);
    }
  }
};

const takeNumber = (parameter: Extract<Parameter, { kind: 'number' }>, { numbers }: Supply): Found | undefined => {
  const { name, least, most } = parameter;
  const place = numbers.findIndex((number) => number >= least && number <= most);
  const value = place < 0 ? parameter.default : numbers.splice(place, 1)[0];
  return value === undefined ? undefined : { values: { [name]: value }, told: String(value) };
};

const given = (name: string, value: string | undefined, isOptional = false): Found | undefined => {
  if (value !== undefined) return { values: { [name]: value }, told: value };
  return isOptional ? { values: { [name]: null } } : undefined;
};
