import type { Catalogue, NamedQuestion, Parameter } from '../../src/agents/analytics/catalogue.ts';
import type { ComposedParts } from '../../src/agents/analytics/composed-parts.ts';

const PERIOD: Parameter = { kind: 'period', name: 'period' };
const PRODUCT: Parameter = { kind: 'name', name: 'product', list: 'products' };
const CATEGORY: Parameter = { kind: 'name', name: 'category', list: 'categories' };
const PLACE: Parameter = { kind: 'name', name: 'place', list: 'places' };
const WAREHOUSE: Parameter = { kind: 'name', name: 'warehouse', list: 'warehouses' };
const TOP: Parameter = { kind: 'number', name: 'number', least: 1, most: 100, default: 10 };
const STATUS: Parameter = {
  kind: 'choice',
  name: 'status',
  values: {
    pending: ['pending', 'open', 'unpaid'],
    paid: ['paid'],
    shipped: ['shipped', 'dispatched'],
    delivered: ['delivered'],
    cancelled: ['cancelled', 'canceled'],
    refunded: ['refunded'],
  },
  isOptional: true,
};

/** Orders that count as revenue. */
const EARNING = "o.status NOT IN ('cancelled', 'refunded')";
const IN_PERIOD = 'o.ordered_on BETWEEN :period_from AND :period_to';
const WITHOUT = 'without cancelled and refunded orders';

const PRODUCT_QUESTIONS: readonly NamedQuestion[] = [
  {
    name: 'product_stock',
    description: 'Units of a product in stock',
    examples: [
      'How many {product} are in stock?',
      'How many {product} do we have left?',
      'How many {product} do we have?',
      'Is the {product} available in the warehouse?',
      'Stock level of the {product}',
      'How many units of {product} are on hand right now?',
      'Do we still have any {product}?',
      'How many {product} are in the warehouse {warehouse}?',
      '{product} inventory',
    ],
    sql: `SELECT p.product_id, p.name, sum(s.quantity) AS units, count(*) AS warehouses
      FROM products p JOIN stock s ON s.product_id = p.product_id
      WHERE p.name = :product AND (:warehouse IS NULL OR s.warehouse = :warehouse) GROUP BY p.product_id`,
    parameters: [PRODUCT, { ...WAREHOUSE, isOptional: true }],
    reading: {
      text: 'The {name} has {units:count unit} in stock, in {warehouses:count warehouse}[: {warehouse}].',
      none: 'No stock is on record for the {product}[ in {warehouse}].',
    },
    entity: { type: 'product', column: 'product_id' },
  },
  {
    name: 'product_price',
    description: 'Our price of a product',
    examples: [
      'What does the {product} cost?',
      'Price of {product}',
      'How much is the {product}?',
      'What do we charge for the {product}?',
      'What is our price for {product}?',
    ],
    sql: 'SELECT product_id, name, price_cents, currency FROM products WHERE name = :product',
    parameters: [PRODUCT],
    reading: { text: 'The {name} costs {price_cents:money}.', none: 'There is no price on record for the {product}.' },
    entity: { type: 'product', column: 'product_id' },
  },
  {
    name: 'units_sold',
    description: 'Units of a product that were sold in a period',
    examples: [
      'How many {product} did we sell {period}?',
      'Units sold of {product}',
      'How many {product} have been sold?',
      'How often was the {product} ordered {period}?',
      'How many pieces of {product} were sold {period}?',
    ],
    sql: `SELECT p.product_id, p.name, coalesce(sum(i.quantity), 0) AS units, count(*) AS orders
      FROM products p JOIN order_items i ON i.product_id = p.product_id JOIN orders o ON o.order_id = i.order_id
      WHERE p.name = :product AND ${EARNING} AND ${IN_PERIOD} GROUP BY p.product_id`,
    parameters: [PRODUCT, PERIOD],
    reading: {
      text: `{units:count unit} of the {name} were sold {period}, in {orders:count order}, ${WITHOUT}.`,
      none: 'No unit of the {product} was sold {period}.',
    },
    entity: { type: 'product', column: 'product_id' },
  },
  {
    name: 'product_revenue',
    description: 'Revenue of a product in a period',
    examples: [
      'What revenue did the {product} bring in {period}?',
      'How much did we earn with {product} {period}?',
      'Sales of {product} {period}',
      'Turnover of the {product}',
      'How much money did the {product} make?',
    ],
    sql: `SELECT p.product_id, p.name, o.currency, sum(i.quantity * i.unit_price_cents) AS revenue_cents, sum(i.quantity) AS units
      FROM products p JOIN order_items i ON i.product_id = p.product_id JOIN orders o ON o.order_id = i.order_id
      WHERE p.name = :product AND ${EARNING} AND ${IN_PERIOD} GROUP BY p.product_id, o.currency ORDER BY units DESC`,
    parameters: [PRODUCT, PERIOD],
    reading: {
      text: `The {product} brought in {period}, ${WITHOUT}:`,
      each: '{revenue_cents:money} with {units:count unit}',
      none: 'The {product} brought in nothing {period}.',
    },
    entity: { type: 'product', column: 'product_id' },
  },
  {
    name: 'product_facts',
    description: 'Since when we have a product, and its price',
    examples: [
      'When did the {product} come out and what does it cost?',
      'Release date and price of the {product}',
      'When was the {product} added to our range, and what is its price?',
      'Since when do we sell the {product} and at what price?',
    ],
    sql: 'SELECT product_id, name, category, price_cents, currency, released_on FROM products WHERE name = :product',
    parameters: [PRODUCT],
    reading: {
      text: 'The {name} ({category}) came out on {released_on} and costs {price_cents:money}.',
      none: 'The {product} is not on record.',
    },
    entity: { type: 'product', column: 'product_id' },
  },
  {
    name: 'product_release',
    description: 'The day on which a product came out',
    examples: [
      'When was the {product} released?',
      'Since when do we sell the {product}?',
      'Release date of the {product}',
      'When did the {product} come out?',
    ],
    sql: `SELECT product_id, name, released_on FROM products WHERE name = :product`,
    parameters: [PRODUCT],
    reading: { text: `The {name} came out on {released_on}.`, none: 'The {product} is not on record.' },
    entity: { type: 'product', column: 'product_id' },
  },
  {
    name: 'most_expensive',
    description: 'The most expensive product',
    examples: [
      'What is the most expensive product?',
      'Which product has the highest price?',
      'Most expensive product in {category}',
      'What costs the most in the shop?',
      'Which of our {category} is the dearest?',
    ],
    sql: `SELECT product_id, name, category, price_cents, currency FROM products
      WHERE :category IS NULL OR category = :category ORDER BY price_cents DESC, name LIMIT 1`,
    parameters: [{ ...CATEGORY, isOptional: true }],
    reading: {
      text: 'The most expensive product[ in {category}] is the {name} at {price_cents:money}.',
      none: 'There is no product[ in {category}].',
    },
    entity: { type: 'product', column: 'product_id' },
  },
  {
    name: 'cheapest',
    description: 'The cheapest product',
    examples: [
      'What is the cheapest product?',
      'Which product has the lowest price?',
      'Cheapest product in {category}',
      'What costs the least in the shop?',
      'What is the cheapest of our {category}?',
    ],
    sql: `SELECT product_id, name, category, price_cents, currency FROM products
      WHERE :category IS NULL OR category = :category ORDER BY price_cents, name LIMIT 1`,
    parameters: [{ ...CATEGORY, isOptional: true }],
    reading: {
      text: 'The cheapest product[ in {category}] is the {name} at {price_cents:money}.',
      none: 'There is no product[ in {category}].',
    },
    entity: { type: 'product', column: 'product_id' },
  },
  {
    name: 'products_in_category',
    description: 'The products of a category with their prices',
    examples: [
      'Which products are in the category {category}?',
      'List all {category}',
      'Show everything in {category}',
      'What {category} do we sell?',
      'Show me all products in {category}',
    ],
    sql: 'SELECT name, price_cents, currency FROM products WHERE category = :category ORDER BY name',
    parameters: [CATEGORY],
    reading: {
      text: 'The category {category} has {row_count:count product}:',
      each: '{name} ({price_cents:money})',
      none: 'The category {category} has no products.',
    },
  },
  {
    name: 'category_counts',
    description: 'The number of products per category',
    examples: [
      'How many products are there in every category?',
      'Number of products per category',
      'Which categories do we have?',
      'Products by category',
    ],
    sql: 'SELECT category, count(*) AS products FROM products GROUP BY category ORDER BY products DESC, category',
    parameters: [],
    reading: {
      text: 'There are {row_count} categories:',
      each: '{category}: {products:count product}',
      none: 'There are no products.',
    },
  },
  {
    name: 'new_products',
    description: 'Products that were released in a period',
    examples: [
      'Which products were released {period}?',
      'New products {period}',
      'What did we launch {period}?',
      'Which products came out {period}?',
    ],
    sql: `SELECT name, category, released_on FROM products
      WHERE released_on BETWEEN :period_from AND :period_to ORDER BY released_on DESC, name`,
    parameters: [{ kind: 'period', name: 'period', isRequired: true }],
    reading: {
      text: '{row_count:count product} came out {period}:',
      each: '{name} on {released_on}',
      none: 'No product came out {period}.',
    },
  },
  {
    name: 'never_sold',
    description: 'Products that have never been sold',
    examples: [
      'Which products have never been sold?',
      'Products without a single order',
      'What has nobody ever bought?',
      'Which products were never ordered?',
    ],
    sql: `SELECT name, category FROM products p
      WHERE NOT EXISTS (SELECT 1 FROM order_items i WHERE i.product_id = p.product_id) ORDER BY name`,
    parameters: [],
    reading: {
      text: '{row_count:count product} have never been sold:',
      each: '{name} ({category})',
      none: 'Every product has been sold at least once.',
    },
  },
];

const STOCK_QUESTIONS: readonly NamedQuestion[] = [
  {
    name: 'total_stock',
    description: 'All units in stock, of all products together',
    examples: [
      'How many units do we have in stock altogether?',
      'Total stock',
      'How big is our whole inventory in units?',
      'What is the total number of units in the warehouses?',
    ],
    sql: `SELECT sum(quantity) AS units, count(DISTINCT product_id) AS products, count(DISTINCT warehouse) AS warehouses FROM stock`,
    parameters: [],
    reading: {
      text: 'There are {units:count unit} in stock, of {products:count product} in {warehouses:count warehouse}.',
      none: 'Nothing is in stock.',
    },
  },
  {
    name: 'stock_by_warehouse',
    description: 'Units in stock by warehouse',
    examples: [
      'How much inventory is left in each warehouse?',
      'Stock by warehouse',
      'Which warehouse holds the most stock?',
      'How many units are in every warehouse?',
    ],
    sql: 'SELECT warehouse, sum(quantity) AS units FROM stock GROUP BY warehouse ORDER BY units DESC',
    parameters: [],
    reading: { text: 'In stock, by warehouse:', each: '{warehouse}: {units:count unit}', none: 'Nothing is in stock.' },
  },
  {
    name: 'warehouse_stock',
    description: 'All units in one warehouse',
    examples: [
      'How many units are in the warehouse {warehouse}?',
      'Stock in {warehouse}',
      'How much inventory is held in {warehouse}?',
    ],
    sql: `SELECT warehouse, sum(quantity) AS units, count(*) AS products FROM stock WHERE warehouse = :warehouse AND quantity > 0 GROUP BY warehouse`,
    parameters: [WAREHOUSE],
    reading: {
      text: `{warehouse} holds {units:count unit} of {products:count product}.`,
      none: 'Nothing is in stock in {warehouse}.',
    },
  },
  {
    name: 'below_reorder',
    description: 'Products below their reorder level',
    examples: [
      'Which products are below their reorder level?',
      'What do we have to reorder?',
      'Which items are running low?',
      'Low stock products',
      'Which products need to be ordered again?',
    ],
    sql: `SELECT p.name, s.warehouse, s.quantity AS units, s.reorder_level FROM stock s JOIN products p ON p.product_id = s.product_id
      WHERE s.quantity < s.reorder_level ORDER BY s.quantity, p.name, s.warehouse`,
    parameters: [],
    reading: {
      text: 'Below the reorder level are {row_count:count entry} of products and warehouses:',
      each: '{name} in {warehouse}: {units:count unit}, level {reorder_level}',
      none: 'No product is below its reorder level.',
    },
  },
  {
    name: 'sold_out',
    description: 'Products that are sold out in every warehouse',
    examples: [
      'Which products are sold out?',
      'Which items are out of stock?',
      'What is no longer available?',
      'Products with no stock left',
      'Are any {category} sold out?',
    ],
    sql: `SELECT p.name, p.category FROM products p JOIN stock s ON s.product_id = p.product_id
      WHERE :category IS NULL OR p.category = :category GROUP BY p.product_id HAVING sum(s.quantity) = 0 ORDER BY p.name`,
    parameters: [{ ...CATEGORY, isOptional: true }],
    reading: {
      text: 'Sold out in every warehouse[, of the category {category},] are {row_count:count product}:',
      each: '{name} ({category})',
      none: 'No product[ of the category {category}] is sold out.',
    },
  },
  {
    name: 'inventory_value',
    description: 'The value of all stock at our prices',
    examples: [
      'What is the total value of the inventory?',
      'What is our stock worth?',
      'How much money is tied up in stock?',
      'Stock value',
    ],
    sql: `SELECT p.currency, sum(s.quantity * p.price_cents) AS value_cents, sum(s.quantity) AS units
      FROM stock s JOIN products p ON p.product_id = s.product_id GROUP BY p.currency ORDER BY value_cents DESC`,
    parameters: [],
    reading: {
      text: 'At our selling prices, the stock is worth:',
      each: '{value_cents:money} for {units:count unit}',
      none: 'Nothing is in stock.',
    },
  },
];

const ORDER_QUESTIONS: readonly NamedQuestion[] = [
  {
    name: 'order_count',
    description: 'The number of orders in a period, of any or of one status',
    examples: [
      'How many orders were placed {period}?',
      'How many orders did we get {period}?',
      'Number of orders {period}',
      'How many orders are {status}?',
      'How many {status} orders were there {period}?',
      'Count the {status} orders',
    ],
    sql: `SELECT count(*) AS orders FROM orders o WHERE (:status IS NULL OR o.status = :status) AND ${IN_PERIOD}`,
    parameters: [STATUS, PERIOD],
    reading: {
      text: '{orders:count order}[ with the status {status}] were placed {period}.',
      none: 'There are no orders.',
    },
  },
  {
    name: 'order_statuses',
    description: 'Orders by status',
    examples: [
      'Show the orders by status',
      'How many orders are in each status?',
      'Break down the orders {period} by status',
      'Order status overview',
    ],
    sql: `SELECT o.status, count(*) AS orders FROM orders o WHERE ${IN_PERIOD} GROUP BY o.status ORDER BY orders DESC`,
    parameters: [PERIOD],
    reading: {
      text: 'Orders placed {period}, by status:',
      each: '{status}: {orders:number}',
      none: 'No order was placed {period}.',
    },
  },
  {
    name: 'status_share',
    description: 'The share of orders with a status',
    examples: [
      'What share of orders was {status} {period}?',
      'Percentage of {status} orders {period}',
      'What is the rate of {status} orders?',
      'How many per cent of the orders were {status}?',
    ],
    sql: `SELECT sum(CASE WHEN o.status = :status THEN 1 ELSE 0 END) AS orders, count(*) AS all_orders,
      round(100.0 * sum(CASE WHEN o.status = :status THEN 1 ELSE 0 END) / count(*), 1) AS percentage
      FROM orders o WHERE ${IN_PERIOD} HAVING all_orders > 0`,
    parameters: [{ ...STATUS, isOptional: false }, PERIOD],
    reading: {
      text: `{percentage} % of the orders placed {period} are {status}: {orders:number} of {all_orders:number}.`,
      none: 'No order was placed {period}.',
    },
  },
  {
    name: 'orders_by_weekday',
    description: 'The number of orders by day of the week',
    examples: [
      'On which day of the week do we get the most orders?',
      'Orders by weekday {period}',
      'Which weekday is the busiest?',
    ],
    sql: `SELECT CASE strftime('%w', o.ordered_on) WHEN '0' THEN 'Sunday' WHEN '1' THEN 'Monday' WHEN '2' THEN 'Tuesday'
      WHEN '3' THEN 'Wednesday' WHEN '4' THEN 'Thursday' WHEN '5' THEN 'Friday' ELSE 'Saturday' END AS weekday, count(*) AS orders
      FROM orders o WHERE ${IN_PERIOD} GROUP BY weekday ORDER BY orders DESC`,
    parameters: [PERIOD],
    reading: {
      text: `Orders placed {period}, by day of the week:`,
      each: '{weekday}: {orders:number}',
      none: 'No order was placed {period}.',
    },
  },
  {
    name: 'orders_by_month',
    description: 'The number of orders month by month',
    examples: [
      'How many orders did we have per month {period}?',
      'Orders by month',
      'Monthly order numbers {period}',
      'Number of orders in each month',
    ],
    sql: `SELECT substr(o.ordered_on, 1, 7) AS month, count(*) AS orders FROM orders o WHERE ${IN_PERIOD} GROUP BY month ORDER BY month DESC`,
    parameters: [PERIOD],
    reading: {
      text: 'Orders placed {period}, by month, the latest first:',
      each: '{month}: {orders:number}',
      none: 'No order was placed {period}.',
    },
  },
  {
    name: 'last_orders',
    description: 'The latest orders',
    examples: [
      'List the latest orders',
      'Show the last {number} orders',
      'What are the most recent orders?',
      'Newest orders',
    ],
    sql: 'SELECT order_id, ordered_on, status, total_cents, currency FROM orders ORDER BY ordered_on DESC, order_id DESC LIMIT :number',
    parameters: [TOP],
    reading: {
      text: 'The latest {row_count:count order}:',
      each: 'number {order_id} of {ordered_on}, {status}, {total_cents:money}',
      none: 'There are no orders.',
    },
  },
  {
    name: 'biggest_orders',
    description: 'The orders of the highest value in a period',
    examples: [
      'What is the biggest order {period}?',
      'The {number} largest orders {period}',
      'Which orders had the highest value?',
      'Orders with the highest total',
    ],
    sql: `SELECT order_id, ordered_on, currency, total_cents FROM
      (SELECT o.*, row_number() OVER (PARTITION BY o.currency ORDER BY o.total_cents DESC, o.order_id) AS place
        FROM orders o WHERE ${EARNING} AND ${IN_PERIOD})
      WHERE place <= :number ORDER BY currency, place`,
    parameters: [TOP, PERIOD],
    reading: {
      text: `The biggest orders of each currency {period}, ${WITHOUT}:`,
      each: 'number {order_id} of {ordered_on}: {total_cents:money}',
      none: 'No order was placed {period}.',
    },
  },
  {
    name: 'order_details',
    description: 'Status, day and total of one order, by its number',
    examples: [
      'Show the status of order {number}',
      'Show order {number}',
      'What is in order number {number}?',
      'Details of order {number}',
    ],
    sql: `SELECT o.order_id, o.ordered_on, o.status, o.currency, o.total_cents, sum(i.quantity) AS units, count(*) AS products
      FROM orders o JOIN order_items i ON i.order_id = o.order_id WHERE o.order_id = :number GROUP BY o.order_id`,
    parameters: [{ kind: 'number', name: 'number', least: 1, most: 1_000_000_000 }],
    reading: {
      text: 'Order {order_id} of {ordered_on} is {status}: {units:count unit} of {products:count product} for {total_cents:money}.',
      none: 'There is no order with the number {number}.',
    },
    entity: { type: 'order', column: 'order_id' },
  },
  {
    name: 'average_order_value',
    description: 'The average value of an order in a period',
    examples: [
      'What is the average order value {period}?',
      'How much is an order worth on average?',
      'Mean value of an order {period}',
      'Average basket size in money',
    ],
    sql: `SELECT o.currency, cast(round(avg(o.total_cents)) AS INTEGER) AS average_cents, count(*) AS orders FROM orders o
      WHERE ${EARNING} AND ${IN_PERIOD} GROUP BY o.currency ORDER BY orders DESC`,
    parameters: [PERIOD],
    reading: {
      text: `The average value of orders {period}, ${WITHOUT}:`,
      each: '{average_cents:money} over {orders:count order}',
      none: 'No order was placed {period}.',
    },
  },
  {
    name: 'items_per_order',
    description: 'The average number of items per order',
    examples: ['Average number of items per order {period}', 'How many items does an order have on average?'],
    sql: `SELECT round(1.0 * sum(i.quantity) / count(DISTINCT o.order_id), 2) AS items, count(DISTINCT o.order_id) AS orders
      FROM orders o JOIN order_items i ON i.order_id = o.order_id WHERE ${IN_PERIOD} HAVING orders > 0`,
    parameters: [PERIOD],
    reading: {
      text: 'An order placed {period} has {items} items on average, over {orders:count order}.',
      none: 'No order was placed {period}.',
    },
  },
];

const REVENUE_QUESTIONS: readonly NamedQuestion[] = [
  {
    name: 'revenue',
    description: 'Revenue in a period',
    examples: [
      'What was the revenue {period}?',
      'How much money did we make {period}?',
      'How much turnover did we have {period}?',
      'Total sales {period}',
      'What did we earn {period}?',
    ],
    sql: `SELECT o.currency, sum(o.total_cents) AS revenue_cents, count(*) AS orders FROM orders o
      WHERE ${EARNING} AND ${IN_PERIOD} GROUP BY o.currency ORDER BY orders DESC`,
    parameters: [PERIOD],
    reading: {
      text: `Revenue {period}, ${WITHOUT}, by currency:`,
      each: '{revenue_cents:money} from {orders:count order}',
      none: 'There was no revenue {period}.',
    },
  },
  {
    name: 'best_months',
    description: 'The months with the most revenue, in each currency',
    examples: [
      'Which month had the highest revenue?',
      'Best month by sales {period}',
      'In which month did we earn the most {period}?',
      'What was our strongest month {period}?',
    ],
    sql: `SELECT month, currency, revenue_cents FROM
      (SELECT substr(o.ordered_on, 1, 7) AS month, o.currency, sum(o.total_cents) AS revenue_cents,
        row_number() OVER (PARTITION BY o.currency ORDER BY sum(o.total_cents) DESC) AS place
        FROM orders o WHERE ${EARNING} AND ${IN_PERIOD} GROUP BY month, o.currency)
      WHERE place <= 3 ORDER BY currency, place`,
    parameters: [PERIOD],
    reading: {
      text: `The months with the most revenue {period}, three of each currency, ${WITHOUT}:`,
      each: '{month}: {revenue_cents:money}',
      none: 'There was no revenue {period}.',
    },
  },
  {
    name: 'least_sold_products',
    description: 'The products that sell worst, of those that were sold',
    examples: [
      'Which products sell worst {period}?',
      'Least popular products {period}',
      'What are the {number} worst-selling products?',
      'Slowest selling products',
    ],
    sql: `SELECT p.name, sum(i.quantity) AS units FROM orders o JOIN order_items i ON i.order_id = o.order_id
      JOIN products p ON p.product_id = i.product_id
      WHERE ${EARNING} AND ${IN_PERIOD} GROUP BY p.product_id ORDER BY units, p.name LIMIT :number`,
    parameters: [TOP, PERIOD],
    reading: {
      text: `Of the products sold {period}, those sold least, ${WITHOUT}:`,
      each: '{name}: {units:count unit}',
      none: 'Nothing was sold {period}.',
    },
  },
  {
    name: 'revenue_by_month',
    description: 'Revenue month by month',
    examples: [
      'How did sales develop month by month?',
      'Revenue by month {period}',
      'Monthly turnover {period}',
      'How did revenue develop per month {period}?',
    ],
    sql: `SELECT substr(o.ordered_on, 1, 7) AS month, o.currency, sum(o.total_cents) AS revenue_cents FROM orders o
      WHERE ${EARNING} AND ${IN_PERIOD} GROUP BY month, o.currency ORDER BY o.currency, month DESC`,
    parameters: [PERIOD],
    reading: {
      text: `Revenue {period} by month, ${WITHOUT}, the latest first:`,
      each: '{month}: {revenue_cents:money}',
      none: 'There was no revenue {period}.',
    },
  },
  {
    name: 'revenue_by_category',
    description: 'Revenue by category of product',
    examples: [
      'Show sales by category',
      'Which category earns the most {period}?',
      'Revenue of each category {period}',
      'What did we sell in every category {period}?',
    ],
    sql: `SELECT p.category, o.currency, sum(i.quantity * i.unit_price_cents) AS revenue_cents, sum(i.quantity) AS units
      FROM orders o JOIN order_items i ON i.order_id = o.order_id JOIN products p ON p.product_id = i.product_id
      WHERE ${EARNING} AND ${IN_PERIOD} GROUP BY p.category, o.currency ORDER BY o.currency, revenue_cents DESC`,
    parameters: [PERIOD],
    reading: {
      text: `Revenue {period} by category, ${WITHOUT}:`,
      each: '{category}: {revenue_cents:money} with {units:count unit}',
      none: 'Nothing was sold {period}.',
    },
  },
  {
    name: 'revenue_by_country',
    description: 'Revenue by country of the customer',
    examples: [
      'Total turnover by country {period}',
      'Which country brings the most revenue?',
      'How much do we sell in each country {period}?',
      'Sales per country',
    ],
    sql: `SELECT c.country, o.currency, sum(o.total_cents) AS revenue_cents, count(*) AS orders
      FROM orders o JOIN customers c ON c.customer_id = o.customer_id
      WHERE ${EARNING} AND ${IN_PERIOD} GROUP BY c.country, o.currency ORDER BY o.currency, revenue_cents DESC`,
    parameters: [PERIOD],
    reading: {
      text: `Revenue {period} by country, ${WITHOUT}:`,
      each: '{country}: {revenue_cents:money}',
      none: 'There was no revenue {period}.',
    },
  },
  {
    name: 'top_products_by_units',
    description: 'The best-selling products by units',
    examples: [
      'What are our {number} best-selling products?',
      'Top {number} products {period}',
      'Which products sell best {period}?',
      'Most popular products {period}',
      'Which product is ordered most often?',
      'Bestsellers {period}',
    ],
    sql: `SELECT p.product_id, p.name, sum(i.quantity) AS units FROM orders o JOIN order_items i ON i.order_id = o.order_id
      JOIN products p ON p.product_id = i.product_id
      WHERE ${EARNING} AND ${IN_PERIOD} GROUP BY p.product_id ORDER BY units DESC, p.name LIMIT :number`,
    parameters: [TOP, PERIOD],
    reading: {
      text: `The best-selling products {period}, ${WITHOUT}:`,
      each: '{name}: {units:count unit}',
      none: 'Nothing was sold {period}.',
    },
  },
  {
    name: 'top_products_by_revenue',
    description: 'The products with the most revenue, by currency',
    examples: [
      'Which {number} products brought in the most revenue {period}?',
      'Top {number} products by turnover {period}',
      'Products by revenue',
      'Which products earn the most money {period}?',
    ],
    sql: `SELECT name, currency, revenue_cents FROM
      (SELECT p.name, o.currency, sum(i.quantity * i.unit_price_cents) AS revenue_cents,
        row_number() OVER (PARTITION BY o.currency ORDER BY sum(i.quantity * i.unit_price_cents) DESC, p.name) AS place
        FROM orders o JOIN order_items i ON i.order_id = o.order_id JOIN products p ON p.product_id = i.product_id
        WHERE ${EARNING} AND ${IN_PERIOD} GROUP BY p.product_id, o.currency)
      WHERE place <= :number ORDER BY currency, place`,
    parameters: [TOP, PERIOD],
    reading: {
      text: `The products with the most revenue in each currency {period}, ${WITHOUT}:`,
      each: '{name}: {revenue_cents:money}',
      none: 'Nothing was sold {period}.',
    },
  },
];

const CUSTOMER_QUESTIONS: readonly NamedQuestion[] = [
  {
    name: 'customer_count',
    description: 'The number of all customers',
    examples: ['How many customers do we have?', 'Total number of customers', 'How many customers are there in all?'],
    sql: 'SELECT count(*) AS customers, count(DISTINCT country) AS countries FROM customers',
    parameters: [],
    reading: {
      text: 'There are {customers:count customer}, in {countries} countries.',
      none: 'There are no customers.',
    },
  },
  {
    name: 'customers_in_place',
    description: 'The number of customers in a city or country',
    examples: [
      'How many customers do we have in {place}?',
      'Number of customers in {place}',
      'How many customers live in {place}?',
      'How many customers come from {place}?',
    ],
    sql: 'SELECT count(*) AS customers FROM customers WHERE city = :place OR country = :place',
    parameters: [PLACE],
    reading: { text: '{customers:count customer} live in {place}.', none: 'No customer lives in {place}.' },
  },
  {
    name: 'customers_by_country',
    description: 'The number of customers by country',
    examples: [
      'Customers by country',
      'Which country do most customers come from?',
      'How many customers do we have in each country?',
    ],
    sql: 'SELECT country, count(*) AS customers FROM customers GROUP BY country ORDER BY customers DESC, country',
    parameters: [],
    reading: { text: 'Customers by country:', each: '{country}: {customers:number}', none: 'There are no customers.' },
  },
  {
    name: 'new_customers',
    description: 'Customers who joined in a period',
    examples: [
      'How many new customers joined {period}?',
      'New customers {period}',
      'How many customers signed up {period}?',
      'How many people registered {period}?',
    ],
    sql: 'SELECT count(*) AS customers FROM customers WHERE joined_on BETWEEN :period_from AND :period_to',
    parameters: [{ kind: 'period', name: 'period', isRequired: true }],
    reading: { text: '{customers:count new customer} joined {period}.', none: 'No customer joined {period}.' },
  },
  {
    name: 'best_customers',
    description: 'The customers who spent the most, by currency',
    examples: [
      'Who are our {number} best customers?',
      'Top {number} customers by spending {period}',
      'Which customers spent the most money {period}?',
      'Customers with the highest revenue',
      'Who is our biggest customer?',
    ],
    sql: `SELECT name, currency, spent_cents, orders FROM
      (SELECT c.name, o.currency, sum(o.total_cents) AS spent_cents, count(*) AS orders,
        row_number() OVER (PARTITION BY o.currency ORDER BY sum(o.total_cents) DESC, c.customer_id) AS place
        FROM orders o JOIN customers c ON c.customer_id = o.customer_id
        WHERE ${EARNING} AND ${IN_PERIOD} GROUP BY c.customer_id, o.currency)
      WHERE place <= :number ORDER BY currency, place`,
    parameters: [TOP, PERIOD],
    reading: {
      text: `The customers who spent the most in each currency {period}, ${WITHOUT}:`,
      each: '{name}: {spent_cents:money} in {orders:count order}',
      none: 'No order was placed {period}.',
    },
  },
  {
    name: 'most_frequent_customers',
    description: 'The customers with the most orders',
    examples: [
      'Which customers order most often {period}?',
      'Top {number} customers by number of orders {period}',
      'Most loyal customers',
      'Who placed the most orders {period}?',
    ],
    sql: `SELECT c.name, c.city, count(*) AS orders FROM orders o JOIN customers c ON c.customer_id = o.customer_id
      WHERE ${IN_PERIOD} GROUP BY c.customer_id ORDER BY orders DESC, c.name LIMIT :number`,
    parameters: [TOP, PERIOD],
    reading: {
      text: `The customers with the most orders {period}:`,
      each: '{name} ({city}): {orders:count order}',
      none: 'No order was placed {period}.',
    },
  },
  {
    name: 'inactive_customers',
    description: 'Customers who ordered nothing in a period',
    examples: [
      'Which customers have not ordered anything {period}?',
      'Customers without an order {period}',
      'Inactive customers {period}',
    ],
    sql: `SELECT c.name, c.city FROM customers c WHERE NOT EXISTS
      (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id AND ${IN_PERIOD}) ORDER BY c.name`,
    parameters: [PERIOD],
    reading: {
      text: '{row_count:count customer} placed no order {period}:',
      each: '{name} ({city})',
      none: 'Every customer placed an order {period}.',
    },
  },
];

const TITLE_DAY: Readonly<Record<string, string>> = {
  0: 'Sunday',
  1: 'Monday',
  2: 'Tuesday',
  3: 'Wednesday',
  4: 'Thursday',
  5: 'Friday',
};
const WEEKDAY_OF = `CASE strftime('%w', {day}) ${Object.entries(TITLE_DAY)
  .map(([number, day]) => `WHEN '${number}' THEN '${day}'`)
  .join(' ')} ELSE 'Saturday' END`;
const EARNED = { sql: EARNING, label: WITHOUT };
const ORDERED = 'o.ordered_on';

/** What questions without a name are composed of: see docs/analytics.md. */
const COMPOSED: ComposedParts = {
  words: {
    customer: 'customer, customers, client, clients, buyer, buyers, shopper, shoppers, people',
    '#which customer': 'who',
    order: 'order, orders, purchase, purchases',
    product: 'product, products, item, items, article, articles, things, everything',
    unit: 'unit, units, piece, pieces, copies',
    category: 'category, categories, product category, product categories, product group, product groups',
    city: 'city, cities, town, towns',
    country: 'country, countries, nation, nations',
    warehouse: 'warehouse, warehouses',
    status: 'status, statuses',
    currency: 'currency, currencies',
    day: 'day, days, date',
    '#per day': 'daily, day by day',
    month: 'month, months, calendar month',
    '#per month': 'monthly, month by month',
    quarter: 'quarter, quarters',
    '#per quarter': 'quarterly, quarter by quarter',
    year: 'year, years',
    '#per year': 'yearly, annual, annually, year by year',
    weekday: 'weekday, weekdays, day of the week, days of the week',
    revenue: 'revenue, revenues, turnover, sales, income, earnings, takings, sales revenue, revenue in money',
    earn: 'earn, earned, earns, bring in, brings in, brought in, took in, take in, make, made',
    money: 'money',
    spend: 'spend, spent, spends, spending, paid us',
    '#top spend': 'highest spending, biggest spending',
    sell: 'sell, sold, sells, selling, sale',
    '#top sell': 'best selling, most popular, sell best, sells best, sold best, top selling',
    '#bottom sell': 'worst selling, least popular, sell worst, sells worst, sold worst, slowest selling',
    '#top sell product': 'bestseller, bestsellers, best seller, best sellers',
    buy: 'buy, bought, buys, buying, purchased, ordered, order from us',
    'order place': 'placed an order, place an order, made an order, made a purchase',
    place: 'placed, place, received, receive, get, got, came in, come in, taken, placed by, made by',
    contain: 'contain, contains, contained, containing, include, includes, included, including',
    'order-value':
      'order value, order values, order total, order totals, order amount, value of an order, value of orders, value of the orders, total of an order, basket size, basket value, worth of orders',
    value: 'value, worth, valued',
    stock:
      'stock, in stock, on stock, inventory, inventories, left, remaining, on hand, available, hold, holds, held, stored, store, lying, lie, stocked, kept, have in stock',
    'stock value': 'stock value, inventory value, value of the stock, value of the inventory',
    price: 'price, prices, cost, costs, costing, priced, unit price, list price, selling price',
    '#top price': 'most expensive, dearest, priciest',
    '#bottom price': 'cheapest, least expensive',
    'price #more': 'more expensive than, dearer than',
    'price #less': 'cheaper than',
    live: 'live, lives, living, located, based, come from, comes from, came from, are from, resident',
    new: 'new',
    join: 'join, joined, register, registered, sign up, signed up, signups',
    release: 'release, released, launch, launched, came out, come out, introduced',
    distinct: 'different, distinct, unique',
    'customer distinct': 'different people',
    range: 'in our range, in the range, in our catalogue, in the catalogue, on offer, assortment',
    'status=pending': 'pending, open, unpaid',
    'status=paid': 'paid',
    'status=shipped': 'shipped, dispatched',
    'status=delivered': 'delivered',
    'status=cancelled': 'cancelled, canceled',
    'status=refunded': 'refunded',
    'status=pending|paid': 'waiting to be shipped, yet to be shipped, waiting for shipment, unshipped, to be shipped',
    'currency=EUR': 'euro, euros, eur',
    'currency=USD': 'dollar, dollars, usd, us dollars',
  },
  measures: [
    {
      name: 'orders',
      label: 'number of orders',
      said: [
        'order place? contain? live?',
        'order customer place? live?',
        'buy times',
        'order times place?',
        'order buy',
      ],
      kind: 'count',
      currency: 'o.currency',
      leavesOutZero: true,
      on: [
        { base: 'orders', sql: 'count(*)', day: ORDERED },
        { base: 'items', sql: 'count(DISTINCT o.order_id)', day: ORDERED },
      ],
    },
    {
      name: 'average_order_value',
      label: 'order value',
      said: ['order-value', 'order value', 'order revenue'],
      kind: 'money',
      row: 'o.total_cents',
      isRowOnly: true,
      where: EARNED,
      currency: 'o.currency',
      on: [{ base: 'orders', sql: 'o.total_cents', day: ORDERED }],
    },
    {
      name: 'order_total',
      label: 'total',
      said: ['value', 'order-value', 'revenue', 'price', 'place', 'money'],
      kind: 'money',
      onlyOf: 'order',
      currency: 'o.currency',
      on: [{ base: 'orders', sql: 'sum(o.total_cents)', day: ORDERED }],
    },
    {
      name: 'value_and_count',
      label: 'value of orders',
      said: ['order value and', 'order revenue and', 'order order-value and'],
      kind: 'money',
      where: EARNED,
      currency: 'o.currency',
      on: [{ base: 'orders', sql: 'sum(o.total_cents)', day: ORDERED, also: 'count(*) AS orders' }],
    },
    {
      name: 'revenue',
      label: 'revenue',
      said: [
        'revenue product? place?',
        'revenue sell',
        'revenue earn',
        'earn money?',
        'spend money?',
        'customer spend money?',
        'order-value',
        'order value',
        'buy value',
        'sell value',
        'money',
      ],
      kind: 'money',
      where: EARNED,
      currency: 'o.currency',
      leavesOutZero: true,
      on: [
        { base: 'orders', sql: 'sum(o.total_cents)', day: ORDERED, also: 'count(*) AS orders' },
        {
          base: 'items',
          sql: 'sum(i.quantity * i.unit_price_cents)',
          day: ORDERED,
          also: 'sum(i.quantity) AS units',
        },
      ],
    },
    {
      name: 'units_sold',
      label: 'units sold',
      said: [
        'sell product?',
        'sell unit',
        'buy',
        'buy unit',
        'buy product',
        'sell unit product',
        'sell times',
        'unit product buy',
      ],
      kind: 'count',
      where: EARNED,
      currency: 'o.currency',
      leavesOutZero: true,
      on: [{ base: 'items', sql: 'coalesce(sum(i.quantity), 0)', day: ORDERED }],
    },
    {
      name: 'units_in_order',
      label: 'units',
      said: ['unit', 'product', 'unit contain', 'product contain'],
      kind: 'count',
      onlyOf: 'order',
      on: [{ base: 'items', sql: 'sum(i.quantity)', day: ORDERED }],
    },
    {
      name: 'products_sold',
      label: 'different products sold',
      said: ['product distinct sell', 'product distinct buy'],
      kind: 'count',
      where: EARNED,
      leavesOutZero: true,
      on: [{ base: 'items', sql: 'count(DISTINCT i.product_id)', day: ORDERED }],
    },
    {
      name: 'new_customers',
      label: 'number of new customers',
      said: ['customer new join?', 'customer join'],
      kind: 'count',
      leavesOutZero: true,
      on: [{ base: 'customers', sql: 'count(*)', day: 'c.joined_on' }],
    },
    {
      name: 'customers',
      label: 'number of customers',
      said: ['customer live?', 'customer distinct live?'],
      kind: 'count',
      leavesOutZero: true,
      on: [{ base: 'customers', sql: 'count(*)' }],
    },
    {
      name: 'buyers',
      label: 'number of customers with a purchase',
      said: [
        'customer distinct? buy',
        'customer distinct? order place',
        'customer distinct order',
        'customer product buy',
      ],
      kind: 'count',
      where: EARNED,
      leavesOutZero: true,
      on: [
        { base: 'orders', sql: 'count(DISTINCT o.customer_id)', day: ORDERED },
        { base: 'items', sql: 'count(DISTINCT o.customer_id)', day: ORDERED },
      ],
    },
    {
      name: 'stock_units',
      label: 'units in stock',
      said: ['unit? stock warehouse?', 'unit warehouse?'],
      kind: 'count',
      on: [{ base: 'stock', sql: 'coalesce(sum(s.quantity), 0)' }],
    },
    {
      name: 'stocked_products',
      label: 'number of different products in stock',
      said: ['product distinct stock warehouse?'],
      kind: 'count',
      on: [{ base: 'stock', sql: 'count(DISTINCT CASE WHEN s.quantity > 0 THEN s.product_id END)' }],
    },
    {
      name: 'stock_value',
      label: 'stock value at our selling prices',
      said: ['stock value product? warehouse?', 'value product? warehouse', 'stock unit value', 'stock price value'],
      kind: 'money',
      currency: 'p.currency',
      on: [{ base: 'stock', sql: 'sum(s.quantity * p.price_cents)' }],
    },
    {
      name: 'new_products',
      label: 'number of new products',
      said: ['product release', 'product new release?'],
      kind: 'count',
      leavesOutZero: true,
      on: [{ base: 'products', sql: 'count(*)', day: 'p.released_on' }],
    },
    {
      name: 'products',
      label: 'number of products',
      said: ['product range? distinct?'],
      kind: 'count',
      leavesOutZero: true,
      on: [{ base: 'products', sql: 'count(*)' }],
    },
    {
      name: 'price',
      label: 'price',
      said: ['price product?'],
      kind: 'money',
      row: 'p.price_cents',
      isRowOnly: true,
      currency: 'p.currency',
      on: [{ base: 'products', sql: 'p.price_cents' }],
    },
    {
      name: 'product_price',
      label: 'price',
      said: ['price sell?'],
      kind: 'money',
      onlyOf: 'product',
      currency: 'p.currency',
      on: [{ base: 'products', sql: 'max(p.price_cents)' }],
    },
  ],
  dimensions: {
    product: {
      label: 'product',
      sql: 'p.name',
      key: 'p.product_id',
      list: 'products',
      rankedBy: 'units_sold',
      limitedBy: 'product_price',
      listing: {
        base: 'products',
        columns: 'p.name, p.category, p.price_cents, p.currency, p.released_on',
        order: 'p.name',
        each: '{name} ({category}, {price_cents:money}, released on {released_on})',
        day: 'p.released_on',
        said: 'range price sell release new',
      },
    },
    sku: { label: 'product number', sql: 'p.sku', list: 'skus' },
    category: { label: 'category', sql: 'p.category', list: 'categories' },
    customer: {
      label: 'customer',
      sql: 'c.name',
      key: 'c.customer_id',
      rankedBy: 'revenue',
      listing: {
        base: 'customers',
        columns: 'c.name, c.city, c.country, c.joined_on',
        order: 'c.name',
        each: '{name} ({city}, joined on {joined_on})',
        day: 'c.joined_on',
        said: 'live join new',
      },
    },
    order: {
      label: 'order',
      column: 'order_id',
      sql: 'o.order_id',
      rankedBy: 'order_total',
      limitedBy: 'order_total',
      listing: {
        base: 'orders',
        columns: 'o.order_id, o.ordered_on, o.status, o.total_cents, o.currency',
        order: 'o.ordered_on DESC, o.order_id DESC',
        each: 'number {order_id} of {ordered_on}, {status}, {total_cents:money}',
        day: ORDERED,
        said: 'status value order-value place day',
      },
    },
    city: { label: 'city', sql: 'c.city', list: 'cities' },
    country: { label: 'country', sql: 'c.country', list: 'countries' },
    status: { label: 'status', sql: 'o.status' },
    currency: { label: 'currency', sql: '{currency}' },
    warehouse: { label: 'warehouse', sql: 's.warehouse', list: 'warehouses' },
    day: { label: 'day', sql: '{day}', isTime: true },
    month: { label: 'month', sql: 'substr({day}, 1, 7)', isTime: true },
    quarter: {
      label: 'quarter',
      sql: "substr({day}, 1, 4) || '-Q' || ((cast(substr({day}, 6, 2) AS INTEGER) + 2) / 3)",
      isTime: true,
    },
    year: { label: 'year', sql: 'substr({day}, 1, 4)', isTime: true },
    weekday: { label: 'day of the week', sql: WEEKDAY_OF, isTime: true },
  },
  bases: {
    orders: { from: 'orders o', joins: { c: 'JOIN customers c ON c.customer_id = o.customer_id' } },
    items: {
      from: 'orders o',
      joins: {
        i: 'JOIN order_items i ON i.order_id = o.order_id',
        p: 'JOIN products p ON p.product_id = i.product_id',
        c: 'JOIN customers c ON c.customer_id = o.customer_id',
      },
    },
    stock: { from: 'stock s', joins: { p: 'JOIN products p ON p.product_id = s.product_id' } },
    customers: { from: 'customers c', joins: {} },
    products: { from: 'products p', joins: {} },
  },
};

/** The sample shop, as its schema.sql describes it. */
export const SHOP_CATALOGUE: Catalogue = {
  tables: [
    {
      name: 'products',
      description: 'What the shop sells, one row a product.',
      columns: {
        product_id: 'INTEGER, primary key',
        sku: 'TEXT',
        name: 'TEXT',
        category: 'TEXT',
        price_cents: 'INTEGER, price of one unit in cents of currency',
        currency: 'TEXT, ISO 4217',
        released_on: 'TEXT, YYYY-MM-DD',
      },
    },
    {
      name: 'stock',
      description: 'Units in stock, one row a product and warehouse.',
      columns: {
        product_id: 'INTEGER',
        warehouse: 'TEXT',
        quantity: 'INTEGER, units',
        reorder_level: 'INTEGER, units',
      },
    },
    {
      name: 'customers',
      description: 'Who buys, one row a customer.',
      columns: {
        customer_id: 'INTEGER, primary key',
        name: 'TEXT',
        city: 'TEXT',
        country: 'TEXT, in English',
        joined_on: 'TEXT, YYYY-MM-DD',
      },
    },
    {
      name: 'orders',
      description: 'One row an order. Amounts of different currencies must never be summed up.',
      columns: {
        order_id: 'INTEGER, primary key',
        customer_id: 'INTEGER',
        ordered_on: 'TEXT, YYYY-MM-DD',
        status: 'TEXT: pending, paid, shipped, delivered, cancelled or refunded; revenue leaves the last two out',
        currency: 'TEXT, EUR or USD',
        total_cents: 'INTEGER, in cents of currency',
      },
    },
    {
      name: 'order_items',
      description: 'What was ordered, one row an order and product.',
      columns: {
        order_id: 'INTEGER',
        product_id: 'INTEGER',
        quantity: 'INTEGER, units',
        unit_price_cents: "INTEGER, in cents of the order's currency",
      },
    },
  ],
  names: {
    products: 'SELECT name FROM products ORDER BY name',
    categories: 'SELECT DISTINCT category FROM products ORDER BY category',
    warehouses: 'SELECT DISTINCT warehouse FROM stock ORDER BY warehouse',
    places: 'SELECT city FROM customers UNION SELECT country FROM customers ORDER BY 1',
    cities: 'SELECT DISTINCT city FROM customers ORDER BY city',
    countries: 'SELECT DISTINCT country FROM customers ORDER BY country',
    skus: 'SELECT sku FROM products ORDER BY sku',
  },
  synonyms: [
    ['revenue', 'turnover', 'sales', 'income', 'earnings', 'takings'],
    ['stock', 'inventory'],
    ['product', 'item', 'article', 'thing'],
    ['average', 'mean'],
    ['biggest', 'largest'],
    ['latest', 'newest', 'recent', 'last'],
    ['each', 'every', 'per', 'by'],
    ['number', 'count', 'many'],
    ['value', 'worth'],
    ['earn', 'make', 'bring', 'brought', 'earned', 'made'],
    ['sell', 'sold'],
    ['spend', 'spent'],
    ['join', 'register', 'sign'],
    ['left', 'remaining'],
    ['category', 'categories'],
    ['unit', 'piece', 'copies'],
    ['order', 'purchase'],
    ['customer', 'buyer', 'client', 'shopper'],
    ['cheapest', 'cheap'],
    ['share', 'percentage', 'percent', 'rate'],
    ['country', 'countries', 'nation'],
    ['weekday', 'weekdays'],
    ['total', 'altogether', 'whole'],
    ['release', 'launch', 'introduce'],
  ],
  questions: [
    ...PRODUCT_QUESTIONS,
    ...STOCK_QUESTIONS,
    ...ORDER_QUESTIONS,
    ...REVENUE_QUESTIONS,
    ...CUSTOMER_QUESTIONS,
  ],
  composed: COMPOSED,
};
