import { serviceAddress } from '../../runtime/service-address.ts';
import { braveSearch } from './brave-search.ts';
import { serpApi } from './serp-api.ts';
import type { WebSearch } from './web-search.ts';

/** Variables and secrets that choose the search provider. */
export interface ProviderVariables {
  /** `development` or `production`; anything but `development` counts as production. */
  ENVIRONMENT?: string | undefined;
  /** Secret. It wins when both are set: SerpApi knows offers with prices. */
  SERPAPI_KEY?: string | undefined;
  /** Address of another provider with SerpApi's interface. Empty: SerpApi itself. */
  SERPAPI_URL?: string | undefined;
  /** Secret. */
  BRAVE_SEARCH_KEY?: string | undefined;
  BRAVE_SEARCH_URL?: string | undefined;
}

/**
 * The provider whose key is set; `undefined` without one.
 *
 * @throws {SettingRefused} When its address is not https, or its host is not a public name, such as an IP address; in
 *   development the loopback interface is allowed, over http too.
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
