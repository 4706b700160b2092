/** Days from `from` to `to`, both included, as YYYY-MM-DD in UTC. */
export interface Period {
  from: string;
  to: string;
}

export const ALL_DAYS: Period = { from: '0001-01-01', to: '9999-12-31' };

export type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year';

/** In milliseconds. */
const DAY_MS = 86_400_000;

/** The day of a time in milliseconds since 1970. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The day that is so many days after another one. */
export function dayAfter(day: string, count: number): string {
  return dayOf(Date.parse(day) + count * DAY_MS);
}

/** A month, or a day of it; `undefined` when there is no such day. */
export function monthOrDay(year: number, month: number, day?: number): Period | undefined {
  const first = new Date(Date.UTC(year, month - 1, day ?? 1));
  const isReal = first.getUTCMonth() === month - 1 && day !== 0;
  if (!isReal) return undefined;
  const from = dayOf(+first);
  return { from, to: day === undefined ? dayOf(Date.UTC(year, month, 0)) : from };
}

/** Whole units: `count` of them, beginning `offset` units from the one of `now`; weeks begin on Monday. */
export function unitsAround(
  now: number,
  { unit, offset, count = 1 }: { unit: Unit; offset: number; count?: number },
): Period {
  const today = new Date(now);
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  const monday = day - ((today.getUTCDay() + 6) % 7);
  const starts: Record<Unit, (place: number) => number> = {
    day: (place) => Date.UTC(year, month, day + place),
    week: (place) => Date.UTC(year, month, monday + 7 * place),
    month: (place) => Date.UTC(year, month + place, 1),
    quarter: (place) => Date.UTC(year, 3 * (Math.floor(month / 3) + place), 1),
    year: (place) => Date.UTC(year + place, 0, 1),
  };
  return {
    from: dayOf(starts[unit](offset)),
    to: dayOf(starts[unit](offset + count) - DAY_MS),
  };
}
