import type { ServeOptions } from '../../runtime/serve-librarian.ts';
import type { AgentProfile } from '../agent.ts';
import { serveAgent } from '../serve-agent.ts';
import { hybridAgent } from './hybrid-agent.ts';

/** How the hybrid agent is introduced to people and librarians. It needs no right of its own, but those of whom it asks. */
const HYBRID: AgentProfile = {
  type: 'hybrid',
  info: {
    id: 'hybrid',
    name: 'Hybrid',
    description:
      'Combines several librarians in one answer: for questions that need more than one kind of source at once, such as figures from the database together with the knowledge base, or our own price and stock together with the web.',
    examples: [
      'How many are in stock and what does the warranty cover?',
      'How many do we have left and what do other shops charge for it?',
      'What is our price, what is the market price and what do the documents say about it?',
      'Show the sales of the product together with the articles about its problems',
      'Which product sells best and how is it set up?',
      'How many orders were returned and what are our rules for returns?',
      'Compare our stock and revenue with the news on the web',
      'Give me a full picture of the product: sales, documentation and competitors',
      'How many customers bought it and how do they install it?',
      'What did we earn with it last month and what do reviews online say?',
      'Is it in stock and how do I connect it to the network?',
      'Find the articles about it and tell me how many we sold',
      'What does it cost elsewhere and how much power does it consume?',
      'How many units are left and how long does delivery take?',
      'What are its specifications and what do competitors ask for it?',
      'Report on the product with stock, market price and known faults',
      'How many pending orders are there and what does the policy say about delays?',
      'Which products are sold out and which documents mention them?',
      'Revenue this year as well as the latest news about the market',
      'Both the number of sales and the guide for its repair',
      'Everything we know about the product from the database, the documents and the web',
      'Our price against the market, and the warranty conditions',
      'How many do we have in the warehouse and which firmware do they need?',
      'Summarise the documentation and add the sales figures',
      'Number of units in the warehouse, plus the current offers on the web',
      'What do we charge for it, what do others charge, and which guides do we have on it?',
      'Who bought it, and are those customers still covered by the guarantee?',
      'Does our documentation mention it, and what does the press say about it?',
      'How many spare parts are left, and which articles explain the replacement?',
      'What did it earn last year and how do I maintain it?',
    ],
  },
};

/** `POST /librarians/hybrid/ask`, `GET /librarians/hybrid` and `POST /v1/agents/hybrid`. */
export const createApp = (options: ServeOptions) => serveAgent(hybridAgent, HYBRID, options);
