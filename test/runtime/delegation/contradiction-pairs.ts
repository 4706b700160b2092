/** Two answers, and whether a person who reads both would say that they contradict each other. */
export interface LabelledPair {
  /** What both were asked; without it they were asked different things. */
  question?: string;
  one: string;
  other: string;
  contradicts: boolean;
}

const both = (question: string, one: string, other: string) => ({ question, one, other });
const apart = (one: string, other: string) => ({ one, other });
const contradicting = (pair: Omit<LabelledPair, 'contradicts'>): LabelledPair => ({ ...pair, contradicts: true });
const harmless = (pair: Omit<LabelledPair, 'contradicts'>): LabelledPair => ({ ...pair, contradicts: false });

/** What was wrongly told of answers of several sentences, made from articles that agree with one another. */
const FROM_LONG_ANSWERS = [
  both(
    'The pump does not start, what can I do?',
    '1. Shut down, pull the mains plug and wait for 10 minutes.\n2. Look for dust.\n3. Start again.\n4. Call us.',
    '1. Check the cable.\n2. Hold the button.\n3. Pull the mains plug for 60 seconds.\n4. Wait for 2 minutes.',
  ),
  apart(
    '1. Pull the plug.\n2. Wait for 30 seconds, then switch on.',
    '1. Close the lid.\n2. Wait for 60 seconds, then switch on.',
  ),
  both(
    'How fast is it?',
    'Over 24 hours it should be between 6.65 and 7.35 TH/s. The pool shows less. It counts shares. Shares arrive by chance.',
    'Look at the dashboard. The device logs in and reports the result within 10 seconds. Compare it. Then wait.',
  ),
  both(
    'Which versions are supported?',
    '| Version | Supported until |\n| --- | --- |\n| 3.0 to 3.3 | 31 December 2026 |\n| 2.x | no longer |\n\nAll others are.',
    'The file is called backup-A2-2025-03-11.abk. It has 5 parts. Keep it. Any cable of category 5e will do.',
  ),
  both(
    'How efficient is Quiet mode?',
    'On this model, Quiet mode is the most efficient of all with 17.6 J/TH. Turbo is loud. Eco is slow. Choose one.',
    '| Mode | Small | Medium | Large |\n| --- | --- | --- | --- |\n| Quiet | none | none | 25 |\n| Turbo | 39 | 45 | 41 |',
  ),
  both(
    'How do I clean the plugs?',
    'Pull out both 8-pin plugs and check the contacts.',
    'Pull out both 6-pin plugs and check the contacts for dust.',
  ),
  both(
    'What should I know about mining?',
    'Can I pause it? Yes. Set the power mode to Off. Start it again later. It keeps its settings.',
    'Does the node slow it down? No. Node and miner share the small processor. Hashing is done in the chips. All is well.',
  ),
  both(
    'Which firmware do I need?',
    'The node runs with firmware 3.4.0.',
    'The node runs with firmware 3.2.0 or later.',
  ),
];

/** The half that the rules were written with. */
export const DEVELOPMENT_PAIRS: readonly LabelledPair[] = [
  ...[
    both('How many iPhone 17 are in stock?', 'There are 13 iPhone 17 in stock.', 'The warehouse holds 15 iPhone 17.'),
    both('What is the VAT rate on books?', 'The VAT rate on books is 7 %.', 'Books are taxed at a VAT rate of 19 %.'),
    apart('The Apollo II draws 300 W at full load.', 'At full load the Apollo II draws 350 W of power.'),
    both('How long is the warranty?', 'The warranty lasts 24 months.', 'It comes with a warranty of 12 months.'),
    both('Can I mine Litecoin with the Apollo?', 'Yes, the Apollo can mine Litecoin.', 'No, it mines Bitcoin alone.'),
    apart('The router supports WPA3.', 'The router does not support WPA3.'),
    both(
      'When was the Apollo III released?',
      'The Apollo III was released on 12 March 2025.',
      'It was released on 2025-04-02.',
    ),
    both(
      'Which firmware is current?',
      'The current firmware is version 2.4.1.',
      'The current firmware version is 2.3.',
    ),
    apart('Returns are accepted within 30 days of delivery.', 'Returns are accepted within 14 days of delivery.'),
    both('How much does the case cost?', 'The case costs €29.90.', 'The price of the case is 34.90 EUR.'),
    both(
      'How many devices can connect?',
      'Up to 30 devices can connect at once.',
      'Up to 20 devices can connect at once.',
    ),
    apart('The dashboard is available offline.', 'The dashboard is unavailable offline.'),
    both(
      'Is a restart needed after an update?',
      'A restart is needed after each update.',
      'No restart is needed after an update.',
    ),
    apart('The payment service is offline.', 'The payment service is online.'),
    both(
      'How long is the warranty of a new device?',
      'According to warranty.md:\n\nEvery new device has a warranty of 24 months. Keep the invoice. Parts that wear are not covered. Send it in its box.',
      'Register the device first. Then the warranty of a new device is 12 months. Shipping is free. Repairs take a week.',
    ),
    both(
      'Which noise does it make?',
      '| Mode | Noise |\n| --- | --- |\n| Quiet | 25 dBA |',
      '| Mode | Noise |\n| --- | --- |\n| Quiet | 31 dBA |',
    ),
  ].map(contradicting),
  ...[
    apart('The Apollo II draws 300 W.', 'The Apollo III draws 350 W.'),
    both('How long is the warranty?', 'The warranty lasts 24 months.', 'The warranty is valid for 2 years.'),
    both('How many devices can connect?', 'Up to 30 devices can connect.', 'In our test 20 devices did connect.'),
    both('Which sizes are there?', 'It comes with 64 GB, 128 GB or 256 GB.', 'The 128 GB model is the most popular.'),
    apart('There are 13 iPhone 17 in stock.', 'There are 40 iPhone 16 in stock.'),
    apart('Revenue in 2023 was 5 million euros.', 'Revenue in 2024 was 6 million euros.'),
    both('What does hosting cost?', 'Hosting costs 10 EUR per month.', 'Hosting costs 108 EUR per year.'),
    apart('Delivery takes 3 days within Germany.', 'Delivery takes 7 days to Canada.'),
    both('How tall is the tower?', 'The tower is 1.5 m tall.', 'It is 150 cm tall.'),
    apart('The router supports WPA3.', 'The router does not support WEP.'),
    both('Does it work on Linux?', 'It works on Linux.', 'It works on Linux, but not on BSD.'),
    both('How many orders were there?', 'There were about 1,200 orders.', 'There were 1,187 orders.'),
    apart('Step 3: press the button for 5 seconds.', 'Step 4: press the button for 10 seconds.'),
    both('How many orders were there?', 'There were 1,187 orders.', 'There were about 1,200 orders.'),
    both(
      'How many orders were there?',
      'There were 1,187 orders.',
      'There were 900 orders by card. There were about 1,200 orders in all.',
    ),
    both(
      'How many orders were there?',
      'There were about 1,200 orders.',
      'There were 900 orders by card. There were 1,187 orders in all.',
    ),
    apart('Updates can be installed offline.', 'Updates can be installed online.'),
    ...FROM_LONG_ANSWERS,
  ].map(harmless),
];

/** The half that was written before the rules, too, and looked at only to measure. */
export const HELD_OUT_PAIRS: readonly LabelledPair[] = [
  ...[
    both(
      'What is the default port?',
      'The node listens on port 8332 by default.',
      'By default the node uses port 8333.',
    ),
    both('How many employees work in Berlin?', '42 employees work in Berlin.', 'Berlin has 57 employees.'),
    apart('The free plan includes 5 projects.', 'The free plan includes 3 projects.'),
    both('Can invoices be paid by card?', 'Invoices can be paid by card.', 'Invoices cannot be paid by card.'),
    apart('Backups are kept for 90 days.', 'Backups are kept for one month.'),
    both('Is the API free?', 'Yes. The API is free of charge.', 'No. The API is part of the paid plan.'),
    both('When does the shop open?', 'The shop opens at 9 am.', 'The shop opens at 10:30.'),
    apart('The maximum upload size is 25 MB.', 'The maximum upload size is 100 MB.'),
    both('How hot may it run?', 'It may run at temperatures up to 40 °C.', 'The highest temperature allowed is 60 °C.'),
    apart('Passwords expire after 90 days.', 'Passwords never expire.'),
    both(
      'What is the hash rate of the Apollo?',
      'The hash rate of the Apollo is 3.8 TH/s.',
      'The Apollo reaches a hash rate of 2.9 TH/s.',
    ),
    both('Who may export data?', 'Guests are allowed to export data.', 'Guests are not allowed to export data.'),
    apart('The contract ends on 31 December 2026.', 'The contract ends on June 30, 2027.'),
  ].map(contradicting),
  ...[
    both('How large is the disk?', 'The disk has 1 TB.', 'The disk has a capacity of 1000 GB.'),
    apart('The Pro plan costs 20 EUR per user.', 'The Team plan costs 35 EUR per user.'),
    both('What is the price?', 'The price is 799 EUR.', 'The price is 849 USD.'),
    apart('The minimum order value is 20 EUR.', 'The maximum order value is 5000 EUR.'),
    both('How long does shipping take?', 'Shipping takes 2 to 4 days.', 'Shipping takes 3 days.'),
    apart('Order 1042 was shipped on 3 May 2026.', 'Order 1043 was shipped on 5 May 2026.'),
    both(
      'Can I return it?',
      'Yes, you can return it within 30 days.',
      'You can return it, but opened software is not accepted.',
    ),
    apart('The sensor reports the temperature every 5 minutes.', 'The sensor stores 500 readings.'),
    both('When was it founded?', 'The company was founded in 2016.', 'The company was founded on 4 May 2016.'),
    apart('The battery lasts 10 hours.', 'The battery charges in 2 hours.'),
    both('Is it waterproof?', 'It is waterproof.', 'It is not waterproof when the cover is open.'),
    both('What is the share of returns?', 'The share of returns is 12.4 %.', 'The share of returns is about 12 %.'),
    apart('Windows 10 is not supported.', 'Windows 11 is supported.'),
  ].map(harmless),
];
