import { type SeededRandom, seededRandom } from './seeded-random.ts';
import {
  CITIES,
  DOLLAR_COUNTRIES,
  KINDS,
  NAMED_PRODUCTS,
  SERIES,
  WAREHOUSES,
} from './shop-words.ts';

type Row = Readonly<Record<string, string | number>>;

/** The rows of every table of schema.sql, by table. The same on every run. */
export type SampleShop = Record<
  | 'products'
  | 'stock'
  | 'customers'
  | 'orders'
  | 'order_items'
  | 'customer_contacts'
  | 'staff_accounts',
  Row[]
>;

const PRODUCTS = 120;
const CUSTOMERS = 800;
const ORDERS = 3000;
const FIRST_DAY = '2025-01-01';
const LAST_DAY = '2026-11-20';

interface Product {
  product_id: number;
  sku: string;
  name: string;
  category: string;
  price_cents: number;
  currency: string;
  released_on: string;
}

interface Customer {
  customer_id: number;
  name: string;
  city: string;
  country: string;
  joined_on: string;
}

export function generateShop(): SampleShop {
  const random = seededRandom(17);
  const products = makeProducts(random);
  const customers = makeCustomers(random);
  const { orders, order_items } = makeOrders(random, { products, customers });
  return {
    products: products.map((product) => ({ ...product })),
    stock: products.flatMap((product) => stockOf(product, random)),
    customers: customers.map((customer) => ({ ...customer })),
    orders,
    order_items,
    customer_contacts: customers.map(({ customer_id }) => ({
      customer_id,
      email: `customer-${customer_id}@example.com`,
      phone: `+00 000 ${String(customer_id).padStart(6, '0')}`,
    })),
    staff_accounts: ['warehouse', 'sales', 'accounts', 'support'].map((login, place) => ({
      account_id: place + 1,
      login,
      password_hash: `no password: sample ${place + 1}`,
    })),
  };
}

const makeProducts = (random: SeededRandom): Product[] => {
  const named = NAMED_PRODUCTS.map(([sku, name, category, price_cents, released_on]) => ({
    sku,
    name,
    category,
    price_cents,
    released_on,
  }));
  const all = SERIES.flatMap((series) =>
    KINDS.flatMap(({ category, kinds, cents }) =>
      kinds.map((kind) => ({
        sku: '',
        name: `${series} ${kind}`,
        category,
        price_cents: Math.round(random.between(...cents) / 100) * 100 - 1,
        released_on: dayBetween('2022-01-10', '2026-09-30', random.next()),
      })),
    ),
  );
  const others = takeSome(all, PRODUCTS - named.length, random);
  return [...named, ...others].map((product, place) => ({
    product_id: place + 1,
    ...product,
    sku: product.sku || `S${1000 + place}`,
    currency: 'EUR',
  }));
};

/** Every so many of a list, at random, in its order. */
const takeSome = <T>(list: readonly T[], count: number, random: SeededRandom): T[] => {
  const taken: T[] = [];
  list.forEach((each, place) => {
    if (random.next() < (count - taken.length) / (list.length - place)) taken.push(each);
  });
  return taken;
};

/** Fixed stock: 50 units of the phone of the web search examples; the first Apollo is no longer sold. */
const FIXED_STOCK: Readonly<Record<string, readonly number[]>> = {
  'iPhone 17': [22, 18, 10],
  Apollo: [0, 0, 0],
};

const stockOf = ({ product_id, name }: Product, random: SeededRandom): Row[] => {
  const isScarce = random.next() < 0.12;
  return WAREHOUSES.map((warehouse, place) => ({
    product_id,
    warehouse,
    quantity:
      FIXED_STOCK[name]?.[place] ?? (isScarce ? random.between(0, 6) : random.between(15, 140)),
    reorder_level: name === 'Apollo' ? 0 : 8,
  }));
};

const makeCustomers = (random: SeededRandom): Customer[] =>
  Array.from({ length: CUSTOMERS }, (_, place) => {
    const [city, country] = random.pick(CITIES);
    const name = `Customer ${String(place + 1).padStart(4, '0')}`;
    return {
      customer_id: place + 1,
      name,
      city,
      country,
      joined_on: dayBetween('2023-02-01', LAST_DAY, random.next()),
    };
  });

const DOLLARS_PER_EURO = 1.1;

const makeOrders = (
  random: SeededRandom,
  { products, customers }: { products: readonly Product[]; customers: readonly Customer[] },
): Pick<SampleShop, 'orders' | 'order_items'> => {
  // More orders towards the end, as a shop that grows has them.
  const days = Array.from({ length: ORDERS }, () =>
    dayBetween(FIRST_DAY, LAST_DAY, random.next() ** 0.8),
  ).sort();
  const order_items: Row[] = [];
  const orders = days.map((ordered_on, place) => {
    const order_id = place + 1;
    const customer = random.pick(customers.filter(({ joined_on }) => joined_on <= ordered_on));
    const isDollar = DOLLAR_COUNTRIES.has(customer.country);
    let total_cents = 0;
    for (const { product_id, price_cents } of pickProducts(products, ordered_on, random)) {
      const quantity = random.next() < 0.75 ? 1 : random.between(2, 4);
      const unit_price_cents = isDollar ? Math.round(price_cents * DOLLARS_PER_EURO) : price_cents;
      order_items.push({ order_id, product_id, quantity, unit_price_cents });
      total_cents += quantity * unit_price_cents;
    }
    const currency = isDollar ? 'USD' : 'EUR';
    const { customer_id } = customer;
    return {
      order_id,
      customer_id,
      ordered_on,
      status: statusOf(ordered_on, random),
      currency,
      total_cents,
    };
  });
  return { orders, order_items };
};

/** The knowledge base says that it is no longer sold. */
const LAST_OF_APOLLO = '2025-06-30';

const pickProducts = (
  products: readonly Product[],
  day: string,
  random: SeededRandom,
): Set<Product> => {
  const sold = products.filter(
    ({ name, released_on }) => released_on <= day && !(name === 'Apollo' && day > LAST_OF_APOLLO),
  );
  const count = random.between(1, 4);
  return new Set(
    // The named products stand first, and sell better.
    Array.from(
      { length: count },
      () => sold[Math.floor(random.next() ** 1.6 * sold.length)] ?? random.pick(sold),
    ),
  );
};

const statusOf = (day: string, random: SeededRandom): string => {
  const chance = random.next();
  if (chance < 0.05) return 'cancelled';
  if (chance < 0.08) return 'refunded';
  if (day > '2026-11-15') return chance < 0.6 ? 'pending' : 'paid';
  if (day > '2026-11-08') return chance < 0.3 ? 'paid' : 'shipped';
  return 'delivered';
};

const DAY_MS = 86_400_000;

/** @param share 0 for the first day, just below 1 for the last. */
const dayBetween = (first: string, last: string, share: number): string => {
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  return new Date(Date.parse(first) + Math.floor(share * days) * DAY_MS).toISOString().slice(0, 10);
};
