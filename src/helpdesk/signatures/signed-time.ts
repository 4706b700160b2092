/** How far a signed time may lie from now, either way: what Chatwoot, Front, HubSpot and Standard Webhooks use or advise. */
export const TOLERANCE_MS = 300_000;

/** Times of signatures as milliseconds since 1970; undefined for anything else. */
export const unixSeconds = (text: string): number | undefined =>
  /^\d{9,11}$/.test(text) ? Number(text) * 1000 : undefined;

export const unixMilliseconds = (text: string): number | undefined =>
  /^\d{12,14}$/.test(text) ? Number(text) : undefined;

/** Readers of Front's header disagree about its unit, so its size decides (reference of the tool). */
export const secondsOrMilliseconds = (text: string): number | undefined => unixMilliseconds(text) ?? unixSeconds(text);

export const isoTime = (text: string): number | undefined => {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
};
