import { readAs } from '../../contract/issue.ts';
import { WebUrl } from '../../contract/names.ts';

/**
 * The address of a result without what follows its readers around: an absolute http(s) address of at most 2,048
 * characters. `undefined` for any other, and for one that holds credentials, since `https://shop@other.example` shows
 * one host and leads to another.
 */
export const cleanUrl = (text: string): string | undefined => {
  const read = readAs(WebUrl, text.trim());
  if (!read.ok || !URL.canParse(read.value)) return undefined;
  const url = new URL(read.value);
  if (url.username !== '' || url.password !== '' || url.hostname === '') return undefined;
  for (const name of [...url.searchParams.keys()].filter(isTracking)) url.searchParams.delete(name);
  if (url.hash.startsWith('#:~:')) url.hash = '';
  const clean = readAs(WebUrl, url.href);
  return clean.ok ? clean.value : undefined;
};

/** Each once, in order, at most `limit`. */
export const uniqueUrls = (urls: readonly (string | undefined)[], limit: number): string[] =>
  [...new Set(urls.filter((url) => url !== undefined))].slice(0, limit);

const isTracking = (name: string): boolean => TRACKING.test(name);

/** Campaign and click ids that shops and networks add; none of them chooses what a page shows. */
const TRACKING =
  /^(?:utm_\w+|utm|gclid|gclsrc|dclid|gbraid|wbraid|gad_\w+|srsltid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|igsh|mc_cid|mc_eid|_hsenc|_hsmi|_gl|_ga|vero_id|oly_\w+_id|wickedid|rb_clickid|s_cid|mkt_tok|epik|irclickid|cjevent)$/i;
