/** What the sample shop sells and where its customers live. All of it is invented, except for the phones. */

/** sku, name, category, price in euro cents, day of release. */
export const NAMED_PRODUCTS: readonly (readonly [string, string, string, number, string])[] = [
  ['AP1', 'Apollo', 'Miners', 49900, '2020-10-01'],
  ['AP2', 'Apollo II', 'Miners', 89900, '2023-03-01'],
  ['AP3', 'Apollo III', 'Miners', 149900, '2025-06-01'],
  ['AP1-PSU240', 'Apollo Power Supply 240 W', 'Power Supplies', 5900, '2020-10-01'],
  ['AP2-PSU400', 'Apollo II Power Supply 400 W', 'Power Supplies', 8900, '2023-03-01'],
  ['AP1-FAN92', 'Apollo Fan 92 mm', 'Cooling', 1900, '2020-10-01'],
  ['AP2-FAN120', 'Apollo II Fan 120 mm', 'Cooling', 2400, '2023-03-01'],
  ['AP3-FAN120', 'Apollo III Fan 120 mm', 'Cooling', 2900, '2025-06-01'],
  ['AP1-WIFI', 'Apollo Wi-Fi Adapter', 'Network', 2900, '2021-02-15'],
  ['AP-SD32', 'Recovery Card 32 GB', 'Storage', 1500, '2021-05-03'],
  ['IPH17', 'iPhone 17', 'Phones', 94900, '2025-09-19'],
  ['IPH17P', 'iPhone 17 Pro', 'Phones', 129900, '2025-09-19'],
  ['IPH16', 'iPhone 16', 'Phones', 79900, '2024-09-20'],
];

/** A category, the kinds of product in it, and the euro cents between which they cost. */
export const KINDS: readonly {
  category: string;
  kinds: readonly string[];
  cents: readonly [number, number];
}[] = [
  { category: 'Phones', kinds: ['Phone', 'Phone Lite'], cents: [19900, 69900] },
  { category: 'Tablets', kinds: ['Tablet', 'Tablet Mini'], cents: [22900, 89900] },
  { category: 'Audio', kinds: ['Headphones', 'Earbuds', 'Speaker'], cents: [3900, 29900] },
  { category: 'Power Supplies', kinds: ['Charger 65 W', 'Power Bank'], cents: [2900, 8900] },
  { category: 'Cooling', kinds: ['Desk Fan', 'Heatsink'], cents: [1200, 6900] },
  { category: 'Network', kinds: ['Router', 'Switch 8-Port', 'Access Point'], cents: [3900, 24900] },
  { category: 'Storage', kinds: ['SSD 1 TB', 'SSD 2 TB', 'Memory Card'], cents: [1900, 21900] },
  {
    category: 'Cables',
    kinds: ['USB-C Cable', 'Ethernet Cable', 'Display Cable'],
    cents: [700, 3900],
  },
  { category: 'Lighting', kinds: ['Desk Lamp', 'Light Strip'], cents: [1900, 9900] },
  { category: 'Furniture', kinds: ['Desk', 'Chair', 'Monitor Arm'], cents: [5900, 49900] },
];

/** First words of product names. */
export const SERIES = [
  'Alder',
  'Basalt',
  'Cobalt',
  'Dune',
  'Ember',
  'Fjord',
  'Garnet',
  'Harbor',
  'Indigo',
  'Juniper',
];

export const WAREHOUSES = ['Rotterdam', 'Lyon', 'Gdansk'] as const;

export const CITIES: readonly (readonly [string, string])[] = [
  ['Amsterdam', 'Netherlands'],
  ['Utrecht', 'Netherlands'],
  ['Berlin', 'Germany'],
  ['Hamburg', 'Germany'],
  ['Munich', 'Germany'],
  ['Cologne', 'Germany'],
  ['Leipzig', 'Germany'],
  ['Paris', 'France'],
  ['Lyon', 'France'],
  ['Marseille', 'France'],
  ['Madrid', 'Spain'],
  ['Barcelona', 'Spain'],
  ['Milan', 'Italy'],
  ['Rome', 'Italy'],
  ['Warsaw', 'Poland'],
  ['Krakow', 'Poland'],
  ['Vienna', 'Austria'],
  ['Zurich', 'Switzerland'],
  ['Brussels', 'Belgium'],
  ['Copenhagen', 'Denmark'],
  ['Stockholm', 'Sweden'],
  ['Dublin', 'Ireland'],
  ['New York', 'United States'],
  ['Chicago', 'United States'],
  ['Toronto', 'Canada'],
];

/** Customers there pay in US dollars, all others in euros. */
export const DOLLAR_COUNTRIES: ReadonlySet<string> = new Set(['United States', 'Canada']);
