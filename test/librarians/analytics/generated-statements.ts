import * as fc from 'fast-check';

/** Tables of the sample shop, and some whose values are unevenly spread. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  products: ['product_id', 'name', 'category', 'price_cents', 'currency'],
  stock: ['product_id', 'warehouse', 'quantity'],
  customers: ['customer_id', 'city', 'country', 'joined_on'],
  orders: ['order_id', 'customer_id', 'ordered_on', 'status', 'currency', 'total_cents'],
  order_items: ['order_id', 'product_id', 'quantity'],
  events: ['id', 'kind', 'owner', 'code'],
  pairs: ['a', 'b', 'c'],
};

/** 19 of 20 events are of one kind, most have no code, and the pairs have three first values. */
export const SKEWED_TABLES = [
  'CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT, owner INTEGER, code TEXT UNIQUE)',
  'CREATE INDEX events_by_kind ON events (kind, owner)',
  'CREATE TABLE pairs (a INTEGER, b INTEGER, c TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID',
  `INSERT INTO events SELECT order_id, CASE WHEN order_id % 20 THEN 'usual' ELSE 'kind ' || order_id END, order_id % 3,
    CASE WHEN order_id % 9 THEN NULL ELSE 'code ' || order_id END FROM orders ORDER BY order_id LIMIT 400`,
  'INSERT INTO pairs SELECT order_id % 3, order_id, status FROM orders ORDER BY order_id LIMIT 300',
  'ANALYZE',
];

interface Source {
  alias: string;
  columns: readonly string[];
}

type Draw = ReturnType<typeof fc.gen> extends fc.Arbitrary<infer G> ? G : never;

/** SELECT statements of joins, aggregates, subqueries, common table expressions and windows; most of them make no sense. */
export const statements: fc.Arbitrary<string> = fc
  .gen()
  .map((draw) => new Writer(draw).statement());

class Writer {
  #names = 0;
  readonly #draw: Draw;

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  statement(): string {
    const shared: Source[] = [];
    const definitions = this.many(0, 2, () => {
      const source = { alias: this.name('w'), columns: ['x', 'y'] };
      const kind = this.one(['', '', 'MATERIALIZED ', 'NOT MATERIALIZED ']);
      const definition = `${source.alias} AS ${kind}(${this.named(1, shared)})`;
      shared.push(source);
      return definition;
    });
    const body = this.select(2, { shared, outer: [] });
    const compound = this.chance(10)
      ? ` ${this.one(['UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT'])} ${body}`
      : '';
    return `${definitions.length > 0 ? `WITH ${definitions.join(', ')} ` : ''}${body}${compound}`;
  }

  /** A subquery with the columns `x` and `y`. */
  named(depth: number, shared: readonly Source[]): string {
    if (this.chance(8))
      return `SELECT column1 AS x, column2 AS y FROM (VALUES ${this.many(1, 9, () => '(1, 2)').join(', ')})`;
    const { from, sources } = this.from(depth, { shared, outer: [] });
    const [x, y] = [this.column(sources), this.column(sources)];
    if (this.chance(40))
      return `SELECT ${x} AS x, ${this.aggregate(sources)} AS y ${from} GROUP BY ${this.one(['x', '1', x])}`;
    return `SELECT ${x} AS x, ${y} AS y ${from}${this.chance(20) ? ' ORDER BY y LIMIT 50' : ''}`;
  }

  select(
    depth: number,
    { shared, outer }: { shared: readonly Source[]; outer: readonly Source[] },
  ): string {
    const { from, sources } = this.from(depth, { shared, outer });
    const scope = [...sources, ...outer];
    const conditions = this.many(0, 2, () => this.condition(depth, { sources, scope, shared }));
    const where =
      conditions.length > 0 ? ` WHERE ${conditions.join(this.one([' AND ', ' OR ']))}` : '';
    const shape = this.one(['aggregate', 'aggregate', 'rows', 'group', 'window']);
    const extreme = () =>
      this.chance(70)
        ? `${this.one(['min', 'max'])}(${this.expression(scope)})`
        : this.aggregate(scope);
    const subquery = () =>
      depth > 0 && this.chance(30)
        ? `, (${this.select(depth - 1, { shared, outer: scope })}) AS ${this.name('s')}`
        : '';
    if (shape === 'aggregate') return `SELECT ${extreme()} AS v ${from}${where}`;
    if (shape === 'group') {
      const key = this.column(sources);
      const having = this.chance(20) ? ` HAVING ${extreme()} > 1` : '';
      return `SELECT ${extreme()} AS v ${from}${where} GROUP BY ${key}${having}${this.order(sources)} LIMIT 1`;
    }
    if (shape === 'window') {
      const frame = this.one([
        '',
        ' ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING',
        ' ROWS BETWEEN 50 PRECEDING AND CURRENT ROW',
      ]);
      const over = `OVER (${this.chance(40) ? `PARTITION BY ${this.column(sources)} ` : ''}ORDER BY ${this.column(sources)}${frame})`;
      return `SELECT ${this.one(['max', 'sum', 'count', 'first_value'])}(${this.column(sources)}) ${over} AS v ${from}${where} LIMIT 1`;
    }
    const distinct = this.chance(20) ? 'DISTINCT ' : '';
    // Inside of another statement a subquery has one column.
    const more = outer.length === 0 ? subquery() : '';
    return `SELECT ${distinct}${this.expression(scope)} AS v${more} ${from}${where}${this.order(sources)}${this.chance(50) ? ' LIMIT 5' : ''}`;
  }

  from(depth: number, { shared, outer }: { shared: readonly Source[]; outer: readonly Source[] }) {
    const sources: Source[] = [];
    const parts = this.many(1, this.one([1, 2, 2, 3, 4]), () => {
      const { text, source } = this.source(depth, shared);
      sources.push(source);
      if (sources.length === 1) return text;
      const join = this.one([
        ', ',
        ' JOIN ',
        ' JOIN ',
        ' LEFT JOIN ',
        ' CROSS JOIN ',
        ' RIGHT JOIN ',
        ' FULL JOIN ',
      ]);
      if (join === ', ' || this.chance(15)) return `${join}${text}`;
      return `${join}${text} ON ${this.joint(source, [...sources.slice(0, -1), ...outer])}`;
    });
    return { from: `FROM ${parts.join('')}`, sources };
  }

  source(depth: number, shared: readonly Source[]): { text: string; source: Source } {
    const alias = this.name('t');
    const [known] = shared.length > 0 && this.chance(40) ? [this.one(shared)] : [];
    if (known !== undefined)
      return { text: `${known.alias} ${alias}`, source: { alias, columns: known.columns } };
    if (depth > 0 && this.chance(15)) {
      return {
        text: `(${this.named(depth - 1, shared)}) ${alias}`,
        source: { alias, columns: ['x', 'y'] },
      };
    }
    const [table, columns] = this.one(Object.entries(COLUMNS));
    // An alias may be the name of another table.
    const name = this.chance(4) ? this.one(Object.keys(COLUMNS)) : alias;
    return { text: `${table}${this.one([' ', ' AS '])}${name}`, source: { alias: name, columns } };
  }

  joint(source: Source, others: readonly Source[]): string {
    const own = `${source.alias}.${this.one(source.columns)}`;
    const same = others.filter(({ columns }) =>
      columns.some((column) => source.columns.includes(column)),
    );
    if (same.length > 0 && this.chance(60)) {
      const other = this.one(same);
      const column = this.one(other.columns.filter((each) => source.columns.includes(each)));
      return `${source.alias}.${column} ${this.one(['=', '=', '=', 'IS', '<>', '<'])} ${other.alias}.${column}`;
    }
    return `${own} ${this.one(['=', '=', 'IS', '<>', '>=', '<'])} ${this.column(others)}`;
  }

  condition(
    depth: number,
    {
      sources,
      scope,
      shared,
    }: { sources: readonly Source[]; scope: readonly Source[]; shared: readonly Source[] },
  ): string {
    const column = this.column(sources);
    const choices = [
      () => `${column} ${this.one(['=', 'IS', '<>', '<', '>'])} ${this.column(scope)}`,
      () => `${column} IN (${this.many(1, 30, () => this.value()).join(', ')})`,
      () => this.many(2, 4, () => `${column} = ${this.value()}`).join(' OR '),
      () => `${column} = ${this.value()}`,
      () => `${column} IS NULL`,
      () => `${column} LIKE '%a%e%'`,
      () => `${column} BETWEEN ${this.value()} AND ${this.value()}`,
    ];
    if (depth > 0) {
      const inner = () => this.select(depth - 1, { shared, outer: scope });
      choices.push(() => `EXISTS (${inner()})`);
      choices.push(() => `${column} IN (${inner()})`);
      choices.push(() => `${column} ${this.one(['=', '<', '>'])} (${inner()})`);
    }
    return this.one(choices)();
  }

  aggregate(scope: readonly Source[]): string {
    const column = this.column(scope);
    return this.one([
      'count(*)',
      `count(${column})`,
      `count(DISTINCT ${column})`,
      `sum(${column})`,
      `max(${column})`,
    ]);
  }

  expression(scope: readonly Source[]): string {
    const column = this.column(scope);
    return this.one([
      column,
      column,
      `length(${column})`,
      `${column} + ${this.column(scope)}`,
      `abs(${column})`,
    ]);
  }

  order(sources: readonly Source[]): string {
    return this.chance(30) ? ` ORDER BY ${this.column(sources)}${this.one(['', ' DESC'])}` : '';
  }

  column(sources: readonly Source[]): string {
    const { alias, columns } = this.one(sources);
    return `${alias}.${this.one(columns)}`;
  }

  value(): string {
    return this.one([
      '1',
      '2',
      '17',
      '400',
      "'usual'",
      "'EUR'",
      "'delivered'",
      "'2026-05-01'",
      'NULL',
      "'code 9'",
    ]);
  }

  name(prefix: string): string {
    this.#names += 1;
    return `${prefix}${this.#names}`;
  }

  chance(percent: number): boolean {
    return this.#draw(fc.nat, { max: 99 }) < percent;
  }

  one<T>(from: readonly T[]): T {
    return from[this.#draw(fc.nat, { max: from.length - 1 })] as T; // no index is beyond the end
  }

  many<T>(least: number, most: number, make: () => T): T[] {
    const count = least + this.#draw(fc.nat, { max: most - least });
    return Array.from({ length: count }, make);
  }
}
