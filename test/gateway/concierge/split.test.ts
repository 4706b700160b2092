import { describe, expect, it } from 'vitest';
import { decide, houseWithout, targetsOf } from './house.ts';

/** Several questions in one message, with whom each is for. */
const SEVERAL: [string, string[]][] = [
  ['How many orders did we get in May? How do I reset my password?', ['analytics', 'navigator']],
  ['How do I reset my password? How many orders did we get in May?', ['navigator', 'analytics']],
  ['What was the revenue last month? What do competitors charge for a home miner?', ['analytics', 'web-search']],
  ['Which articles cover overheating? How many fans are in stock?', ['semantic', 'analytics']],
  ['Find documents about the power supply. Which products are sold out?', ['semantic', 'analytics']],
  ['Search the web for reviews of the iPhone 17. How do I update the firmware?', ['web-search', 'navigator']],
  [
    'What does error code E31 mean? Search the internet for the latest news about bitcoin.',
    ['navigator', 'web-search'],
  ],
  ['Who are our top customers by spending? Which country do most customers come from?', ['analytics', 'analytics']],
  ['How many orders are pending? And how many customers do we have in Spain?', ['analytics', 'analytics']],
  ['Find articles about noise. List all guides on wallets.', ['semantic', 'semantic']],
  ['how many miners are in stock? how do i open the case?', ['analytics', 'navigator']],
  ['What does the warranty cover? Also, what was our turnover in June?', ['navigator', 'analytics']],
  ['Hello! How many orders were cancelled last week? What does the red light mean?', ['analytics', 'navigator']],
  ['1. How many units are in stock? 2. What does the warranty cover?', ['analytics', 'navigator']],
  [
    'First question: which products are below their reorder level? Second question: how do I back up my settings?',
    ['analytics', 'navigator'],
  ],
  ['My miner is red since Monday. What does it mean? How many fans are in stock?', ['navigator', 'analytics']],
  ['How many fans are in stock? My miner is red since Monday. What does it mean?', ['analytics', 'navigator']],
  [
    'What is the average order value this year? Compare our price with other shops. How do I log in over SSH?',
    ['analytics', 'web-search', 'navigator'],
  ],
  ['Show sales by category. What have the media reported about miners this week?', ['analytics', 'web-search']],
  ['Is it cheaper at a competitor? How many orders were placed in March?', ['web-search', 'analytics']],
  ['What is the total value of the inventory? What documentation do we have on shipping?', ['analytics', 'semantic']],
  ['Please list the latest orders. Then search the web for offers of spare fans.', ['analytics', 'web-search']],
  ['Which port do I have to open on my router? What was the biggest order so far?', ['navigator', 'analytics']],
  ['How did sales develop month by month? Which of our help pages deal with payments?', ['analytics', 'semantic']],
  ['Search the web for reviews of the new model. What is the revenue of this week?', ['web-search', 'analytics']],
  [
    'How long does delivery take? How many orders are still pending? Are other shops cheaper?',
    ['navigator', 'analytics', 'web-search'],
  ],
  ['Which items are sold out? How do I send a defective device in for repair?', ['analytics', 'navigator']],
  ['What share of orders was refunded? Can I return a product that I do not like?', ['analytics', 'navigator']],
  [
    'Find everything that is written about the status light. Which warehouse holds the most stock?',
    ['semantic', 'analytics'],
  ],
  ['What was the revenue in April? \nWhat does the warranty cover?', ['analytics', 'navigator']],
  [
    'Which customers have not ordered anything this year? What do other shops charge for a spare fan?',
    ['analytics', 'web-search'],
  ],
];

/** One question, whatever conjunctions, sentences and marks it has. */
const SINGLE: string[] = [
  'My miner blinks amber since Monday. Also, my fan is loud.',
  'In Outlook, what are the steps to share a calendar with other customers?',
  'In the documentation of the web shop, which settings change the prices?',
  'On the internet page of my device, how do I find the number of orders?',
  'For orders from Norway, the customs and the prices, what do I have to pay?',
  'Does the file browser support drag and drop?',
  'How do I season it with salt and pepper?',
  'How do I back up and restore my settings?',
  'What is the difference between a stale and a rejected share?',
  'My miner is loud and hot. What can I do?',
  'I updated the firmware and restarted the device. Now it does not hash any more. What should I do?',
  'How do I reset the password? It says that I am locked out.',
  'How many Apollo II and Apollo III are in stock?',
  'How many orders did we get in May and in June?',
  'What does the Apollo II cost? And the Apollo III?',
  'How many units are in stock? And in the other warehouse?',
  'How many miners are in stock? What about power supplies?',
  'Which customers ordered the most? What did they buy?',
  'What is the revenue of this month? Is that more than in the month before?',
  'How do I connect it to the network? Do I need a cable for it?',
  'What does error E31 mean? How do I fix it?',
  'Can I return it? If so, who pays for the parcel?',
  'Is there a discount? Why not?',
  'How many orders are pending? Please answer in German.',
  'How many orders are pending? Tell me quickly.',
  'Thanks! How do I set up the pool?',
  'Hi there. I have a question. Which port do I have to open?',
  'Show the orders of the last week, sorted by date and customer.',
  'Which articles are about pools and wallets?',
  'Find documents about ports, routers and firewalls.',
  'What do reviews on the web say about noise and heat?',
  'Compare our price of the iPhone 17 with other shops and marketplaces.',
  'How do I plug in the device, turn it on and log in?',
  'What happens when I unplug the device and plug it in again?',
  'The light is red, the fan is off and nothing works!',
  'Do I have to pay customs and taxes?',
  'How do I move my node, wallet and settings to a new device?',
  'When was the last order placed, and by which customer?',
  'Which product sells best and how many units of it were sold?',
  'Is it sold out, or is there one left in the warehouse?',
  'What is a hash and why does it matter?',
  'What about the new one, is it worth the money?',
  'How do I open the page and check the version?',
  'Can I export the list and compare the values?',
  'When adding money, what are the currencies you take?',
  'When I open the page, how do I log in?',
  'Which pool should I choose and how do I enter the address?',
  'I need the documentation pages on shipping and customs for a customer, can you dig them out?',
  'I want to connect the fan, the cable and the power supply.',
];

/** One question that needs several kinds of librarians at once. */
const COMBINED: string[] = [
  'What does error E31 mean and are other shops cheaper?',
  'How many Apollo III are in stock and what does the warranty cover?',
  'How many fans are in stock and which articles explain how to change them?',
  'What was the revenue in May, and what have the media reported about us this week?',
  'Which products are sold out and how long does delivery take?',
  'What do competitors charge for a home miner and how many of ours did we sell last month?',
  'How many orders were returned last month and what does the warranty cover?',
  'Find the articles about noise and tell me how many fans we sold in June.',
  'What was our turnover this year; what do other shops charge for it?',
  'How many units are left in the warehouse plus the latest news about the manufacturer',
  'Search the web for reviews of it, and show me how many customers bought it last month.',
  'Check how many fans are in stock, the documents on noise and the prices of other shops',
  'Number of orders of this month together with the latest news about the manufacturer',
];

describe('createConcierge() and several questions at once', () => {
  it.each(SEVERAL)('splits %j', async (message, targets) => {
    expect(await targetsOf(message)).toEqual(targets);
  });

  it.each(SINGLE)('keeps %j whole', async (message) => {
    const { requests } = await decide(message, { librarians: houseWithout('hybrid') });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.query ?? message).toBe(message);
  });

  it.each(SINGLE)('does not take %j for a question of several kinds', async (message) => {
    expect(await targetsOf(message)).not.toContain('hybrid');
  });

  it.each(COMBINED)('hands %j to the librarian that combines others', async (message) => {
    expect(await targetsOf(message)).toEqual(['hybrid']);
  });

  it('splits one sentence itself when there is no hybrid', async () => {
    const message = 'How many Apollo III are in stock and what does the warranty cover?';
    const { requests } = await decide(message, { librarians: houseWithout('hybrid') });
    expect(requests.map(({ to, query }) => [to, query])).toEqual([
      ['analytics', 'How many Apollo III are in stock'],
      ['navigator', 'what does the warranty cover?'],
    ]);
  });

  it('does not split a sentence whose second half cannot stand alone', async () => {
    const message = 'How many Apollo III are in stock and what does its warranty cover?';
    const { requests } = await decide(message, { librarians: houseWithout('hybrid') });
    expect(requests).toHaveLength(1);
  });

  it('sends questions that are all for the default librarian to it as one', async () => {
    const message = 'How do I reset a forgotten password? What does the warranty cover?';
    expect((await decide(message)).requests).toEqual([{ to: 'navigator' }]);
  });

  it('gives the default librarian all of its questions at once, and each other one its own', async () => {
    const message = 'How do I reset my password? How many orders did we get in May? What does the warranty cover?';
    expect((await decide(message)).requests.map(({ to, query }) => [to, query])).toEqual([
      ['navigator', 'How do I reset my password? What does the warranty cover?'],
      ['analytics', 'How many orders did we get in May?'],
    ]);
  });

  it('gives each part the words that introduce it', async () => {
    const { requests } = await decide('How many fans are in stock? My miner is red since Monday. What does it mean?');
    expect(requests.map(({ query }) => query)).toEqual([
      'How many fans are in stock?',
      'My miner is red since Monday. What does it mean?',
    ]);
  });

  it('asks a list of more than eight questions whole', async () => {
    const message = Array.from({ length: 9 }, (_, at) => `How many orders were placed in week ${at + 1}?`).join(' ');
    expect((await decide(message)).requests).toHaveLength(1);
  });
});
