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
      'What does this phone cost online?',
      'What is the current market price of this device?',
      'Compare our price with other shops',
      'Is it cheaper at a competitor?',
      'Find the lowest price on the internet',
      'What do competitors charge for it?',
      'Search the web for reviews of this product',
      'What is the latest news about the manufacturer?',
      'Look up online what people say about it',
      'How does our price compare with the market?',
      'Which other retailers sell it?',
      'Find offers for a used one on the web',
      'Are we more expensive than Amazon?',
      'Price comparison for the new model',
      'What is it sold for elsewhere?',
      'Search the internet for alternatives from other brands',
      'What have the media reported about it this week?',
      'Has the rival already launched its new product?',
      'Recent reviews and test results on the web',
      "What are today's deals for this product?",
      "Check the competition's prices",
      'Market price difference in percent to ours',
      'Look on the web for current offers',
      'Where else can one buy it online?',
      'Do other stores sell it for less?',
      'Current price of the MacBook Air on Amazon',
      'What does a used one go for on eBay?',
      'Who has the best offer for it at the moment?',
      'Can you google whether there is a newer version?',
      'Any news on a recall of this battery?',
      'Latest headlines about the chip industry',
      'What is written in the press about supply shortages?',
      'What do people on Reddit, YouTube and in forums say about it?',
      'What do testers and bloggers think of it?',
      'Is there new regulation or a law in the EU about it?',
      'What is the exchange rate of bitcoin today?',
      'Do competitors offer free shipping at present?',
      "Check the manufacturer's website for the announcement",
      'What is going on in the market this week?',
      'Is there a Black Friday discount at any other retailer?',
      'What do rivals and other brands offer at the moment?',
      'Rumours about the launch of the next model',
      'Ratings and opinions of buyers on the internet',
      'Is it available second-hand, and what do people ask for it?',
      'What does the press write about the company?',
      'Search online for a comparison of similar products',
      "What are today's figures according to public websites?",
      'Are there lawsuits or bans in the news?',
      'Can you look on Google what others charge?',
      'What is the going rate for it elsewhere?',
      'Which vendor has it on sale right now?',
      'How does our price compare with the street price?',
      'Current trends in the industry',
      'Has the manufacturer published a statement on its website?',
      'What has been written about it in newspapers and in the press?',
    ],
  },
};

export type WebSearchAppOptions = ServeOptions & Pick<WebSearchParts, 'search' | 'shop' | 'country' | 'language'>;

/** `POST /librarians/web-search/ask`, `GET /librarians/web-search` and `POST /v1/agents/web_search`. */
export const createApp = ({ search, shop, country, language, ...options }: WebSearchAppOptions) => {
  const agent = createWebSearchAgent({ search, shop, country, language, log: options.log, now: options.now });
  return serveAgent(agent, WEB_SEARCH, options);
};
