import measurement from './units-of-measurement.json' with { type: 'json' };

/** By each name or symbol of a unit of measurement, in lower case: all of its names and symbols, canonical name first. */
export const UNITS_OF_MEASUREMENT: ReadonlyMap<string, readonly string[]> = new Map(
  measurement.units
    .map((line) => line.split(' '))
    .flatMap((names) => names.map((name) => [name, names] as const)),
);
