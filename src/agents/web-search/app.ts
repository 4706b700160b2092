import type { AgentProfile } from '../agent.ts';
import { type AgentServeOptions, serveAgent } from '../serve-agent.ts';
import examples from './question-examples.json' with { type: 'json' };
import { createWebSearchAgent, type WebSearchParts } from './web-search-agent.ts';

/** The description of the web search for people and librarians. */
const WEB_SEARCH: AgentProfile = {
  type: 'web_search',
  info: {
    id: 'web-search',
    name: 'Web search',
    description:
      'Searches the public web for what is not in house: current market prices, deals and second-hand offers of other shops, online stores, marketplaces, rivals and competitors, compared with our own price (is it cheaper elsewhere), and news, press, rumours, reviews, opinions in forums, trends and announcements of products, companies and the market.',
    capabilities: ['web:search'],
    examples,
  },
};

export type WebSearchAppOptions = Omit<AgentServeOptions, 'unavailable'> &
  Pick<WebSearchParts, 'search' | 'shop' | 'country' | 'language'>;

/** `POST /librarians/web-search/ask`, `GET /librarians/web-search` and `POST /v1/agents/web_search`. */
export const createApp = ({ search, shop, country, language, ...options }: WebSearchAppOptions) => {
  const agent = createWebSearchAgent({ search, shop, country, language, log: options.log, now: options.now });
  const unavailable = async () => (search === undefined ? 'No search provider is set up' : undefined);
  return serveAgent(agent, WEB_SEARCH, { ...options, unavailable });
};
