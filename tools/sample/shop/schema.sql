-- The sample shop. Money in cents of the currency that stands beside it; days as YYYY-MM-DD.
CREATE TABLE products (
  product_id INTEGER PRIMARY KEY,
  sku TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  category TEXT NOT NULL,
  price_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  released_on TEXT NOT NULL
);
CREATE TABLE stock (
  product_id INTEGER NOT NULL REFERENCES products (product_id),
  warehouse TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  reorder_level INTEGER NOT NULL,
  UNIQUE (product_id, warehouse)
);
CREATE TABLE customers (
  customer_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  city TEXT NOT NULL,
  country TEXT NOT NULL,
  joined_on TEXT NOT NULL
);
CREATE TABLE orders (
  order_id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (customer_id),
  ordered_on TEXT NOT NULL,
  status TEXT NOT NULL,
  currency TEXT NOT NULL,
  total_cents INTEGER NOT NULL
);
CREATE TABLE order_items (
  order_id INTEGER NOT NULL REFERENCES orders (order_id),
  product_id INTEGER NOT NULL REFERENCES products (product_id),
  quantity INTEGER NOT NULL,
  unit_price_cents INTEGER NOT NULL,
  UNIQUE (order_id, product_id)
);
CREATE TABLE customer_contacts (
  customer_id INTEGER PRIMARY KEY REFERENCES customers (customer_id),
  email TEXT NOT NULL,
  phone TEXT NOT NULL
);
CREATE TABLE staff_accounts (
  account_id INTEGER PRIMARY KEY,
  login TEXT NOT NULL,
  password_hash TEXT NOT NULL
);
CREATE INDEX orders_by_customer ON orders (customer_id);
CREATE INDEX orders_by_day ON orders (ordered_on);
CREATE INDEX order_items_by_product ON order_items (product_id);
CREATE INDEX products_by_category ON products (category);
