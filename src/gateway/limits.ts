import type { ApiKey } from './api-keys.ts';

/** One of Cloudflare's rate-limit bindings: counts per location, approximately. */
export interface RateLimit {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

export interface RateLimits {
  standard: RateLimit;
  high: RateLimit;
  /** Keys that are looked up, by address. */
  stranger: RateLimit;
}

/** All limits of the gateway count within a minute. */
export const RATE_PERIOD_SECONDS = 60;

/** Longest body of an ordinary request, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;
/** Whether the key may make one more request now. */
export const withinRate = async (key: ApiKey, limits: RateLimits): Promise<boolean> =>
  key.rate === 'unlimited' || within(limits[key.rate], key.id);

/** Whether more calls between librarians may come from an address: each is checked by its own context. */
export const withinLibrariansRate = (address: string, limits: RateLimits): Promise<boolean> =>
  within(limits.high, `address ${address}`);

/** Whether a stranger's address may try once more. */
export const withinStrangersRate = (address: string, limits: RateLimits): Promise<boolean> =>
  within(limits.stranger, address);

/** A limiter that fails lets the request through: it guards, it does not decide. */
const within = async (limiter: RateLimit, key: string): Promise<boolean> => {
  try {
    return (await limiter.limit({ key })).success;
  } catch {
    return true;
  }
};
