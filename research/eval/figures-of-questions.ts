import { DatabaseSync } from 'node:sqlite';
import {
  indexQuestions,
  matchQuestion,
  type QuestionMatch,
} from '../../src/librarians/analytics/match-question.ts';
import { parseQuestion } from '../../src/librarians/analytics/parse-question.ts';
import { seedShop } from '../../tools/sample/shop/seed-shop.ts';
import { SHOP_CATALOGUE } from '../../tools/sample/shop/shop-catalogue.ts';

type Row = Readonly<Record<string, unknown>>;

export interface Asker {
  /** The catalogue's answer as the rows of its statement; `undefined` when it declines. */
  ask(question: string): { match: QuestionMatch; rows: Row[] } | undefined;
  /** The rows of any statement. */
  query(sql: string): Row[];
}

/** Asks the catalogue of the sample shop on a copy of it in memory, without a server. */
export async function startAsker(now: number): Promise<Asker> {
  const database = new DatabaseSync(':memory:');
  await seedShop(likeD1(database));
  const names = Object.fromEntries(
    Object.entries(SHOP_CATALOGUE.names).map(([list, sql]) => [
      list,
      database
        .prepare(sql)
        .all()
        .map((row) => String(Object.values(row)[0])),
    ]),
  );
  const index = indexQuestions(SHOP_CATALOGUE);
  return {
    query: (sql) => database.prepare(sql).all(),
    ask: (question) => {
      const outcome = matchQuestion(index, parseQuestion(question, { names, now }));
      if (!outcome.ok) return undefined;
      const { question: named, values } = outcome.match;
      const used = Object.entries(values).filter(([name]) =>
        new RegExp(`:${name}\\b`).test(named.sql),
      );
      return {
        match: outcome.match,
        rows: database.prepare(named.sql).all(Object.fromEntries(used)),
      };
    },
  };
}

/** What `seedShop` uses of D1, over SQLite itself. */
const likeD1 = (database: DatabaseSync) => {
  const statement = (sql: string, values: readonly string[] = []): LikeStatement => ({
    bind: (...bound) => statement(sql, bound.map(String)),
    all: async () => ({ results: database.prepare(sql).all(...values) }),
  });
  return {
    prepare: (sql: string) => statement(sql),
    batch: async (statements: LikeStatement[]) => {
      for (const each of statements) await each.all();
    },
  };
};

interface LikeStatement {
  bind(...values: unknown[]): LikeStatement;
  all(): Promise<{ results: unknown[] }>;
}
