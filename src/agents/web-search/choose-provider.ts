import { serviceAddress } from '../../runtime/service-address.ts';
import { braveSearch } from './brave-search.ts';
import { serpApi } from './serp-api.ts';
import type { WebSearch } from './web-search.ts';

/** The variables and secrets that say where to search. */
export interface ProviderVariables {
  /** `development` or `production`; anything but `development` counts as production. */
  ENVIRONMENT?: string | undefined;
  /** Secret. It wins when both are set: SerpApi knows offers with prices. */
  SERPAPI_KEY?: string | undefined;
  /** A provider of one's own that speaks as SerpApi does. Empty: SerpApi's. */
  SERPAPI_URL?: string | undefined;
  /** Secret. */
  BRAVE_SEARCH_KEY?: string | undefined;
  BRAVE_SEARCH_URL?: string | undefined;
}

/**
 * The provider whose key is set; `undefined` without one.
 *
 * @throws {SettingRefused} When its address is not https, or its host no public name, such as an IP address; in development
 *   this machine's own will do, and may be http.
 */
export const chooseProvider = (
  variables: ProviderVariables,
  tools: { fetch: typeof fetch; now: () => number },
): WebSearch | undefined => {
  const { SERPAPI_KEY, SERPAPI_URL, BRAVE_SEARCH_KEY, BRAVE_SEARCH_URL } = variables;
  const isLocal = variables.ENVIRONMENT === 'development';
  const url = (name: string, text: string) => serviceAddress(text, { name, isLocal });
  if (SERPAPI_KEY)
    return serpApi({ ...tools, key: SERPAPI_KEY, url: url('SERPAPI_URL', SERPAPI_URL || 'https://serpapi.com') });
  if (!BRAVE_SEARCH_KEY) return undefined;
  const brave = url('BRAVE_SEARCH_URL', BRAVE_SEARCH_URL || 'https://api.search.brave.com');
  return braveSearch({ ...tools, key: BRAVE_SEARCH_KEY, url: brave });
};
