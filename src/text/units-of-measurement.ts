import measurement from './units-of-measurement.json' with { type: 'json' };

/** By each word and sign of a unit of measurement, in lower case, all of its words and signs; the first of them names it. */
export const UNITS_OF_MEASUREMENT: ReadonlyMap<string, readonly string[]> = new Map(
  measurement.units.map((line) => line.split(' ')).flatMap((names) => names.map((name) => [name, names] as const)),
);
