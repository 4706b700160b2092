import type { ServeOptions } from '../../runtime/serve-librarian.ts';
import type { AgentProfile } from '../agent.ts';
import { serveAgent } from '../serve-agent.ts';
import { createWebSearchAgent, type WebSearchParts } from './web-search-agent.ts';

/** How the web search is introduced to people and librarians. */
const WEB_SEARCH: AgentProfile = {
  type: 'web_search',
  info: {
    id: 'web-search',
    name: 'Web search',
    description:
      'Searches the public web for what is not in house: current market prices and offers of other shops and competitors, compared with our own price, and news, reviews and announcements of products and companies.',
    capabilities: ['web:search'],
    examples: [
      'What does the iPhone 17 cost online?',
      'How does our price for the Apollo II compare with the market?',
      'What is the current market price of this device?',
      'Compare our price with other shops',
      'Is it cheaper at a competitor?',
      'Find the lowest price on the internet',
      'What do competitors charge for it?',
      'Search the web for reviews of this product',
      'What is the latest news about the manufacturer?',
      'Look up online what people say about it',
      'Google the newest announcement',
      'Which other retailers sell it?',
      'Are we more expensive than Amazon?',
      'Price comparison for the new model',
      'What is it sold for elsewhere?',
      'Search the internet for alternatives from other brands',
      'What have the media reported about it this week?',
      'Has the rival already launched its new product?',
      'Recent reviews and test results on the web',
      "What are today's deals for this product?",
      'Find websites that offer spare parts',
      "What is the recommended retail price from the maker's website?",
      "Check the competition's prices",
      'What is trending online right now?',
      'Market price difference in percent to ours',
      'Look on the web for current offers',
      'Where else can one buy it online?',
      'Do other stores sell it for less?',
    ],
  },
};

export type WebSearchAppOptions = ServeOptions & Pick<WebSearchParts, 'search' | 'shop' | 'country' | 'language'>;

/** `POST /librarians/web-search/ask`, `GET /librarians/web-search` and `POST /v1/agents/web_search`. */
export const createApp = ({ search, shop, country, language, ...options }: WebSearchAppOptions) => {
  const agent = createWebSearchAgent({ search, shop, country, language, log: options.log, now: options.now });
  return serveAgent(agent, WEB_SEARCH, options);
};
