import * as z from 'zod';
import { describeIssues, readAs } from '../../contract/core/error-info.ts';
import { parseJson } from '../../contract/core/json-object.ts';
import { DataSourceError } from '../../platform/http/coded-error.ts';
import { type SqlDatabase, SqlRefused } from '../../platform/storage/sql-database.ts';

const Name = z.string().regex(/^[a-z][a-z0-9_]*$/);
const Sentence = z.string().min(1).max(500);
const Statement = z.string().min(1).max(8000);

/** A value that is taken from the question. */
const ParameterKind = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('number'),
    least: z.int(),
    most: z.int(),
    /** Used when the question names no number. */
    default: z.int().optional(),
  }),
  /** `:name_from` and `:name_to`, both included, as YYYY-MM-DD; all days when it is optional and not named. */
  z.strictObject({ kind: z.literal('period') }),
  /** One of the names in `names[list]`. */
  z.strictObject({ kind: z.literal('name'), list: Name }),
  /** The words of a question, lower case, by the value that they mean. */
  z.strictObject({
    kind: z.literal('choice'),
    values: z.record(z.string(), z.array(z.string()).max(50)),
  }),
]);

export type Parameter = z.infer<typeof ParameterKind> & { name: string; isOptional: boolean };

/**
 * How the rows are worded. Braces hold a column or a parameter: `{units}` as it is, `{units:number}` with separators,
 * `{units:count unit}` as "1 unit" or "2 units", `{total_cents:money}` as an amount of the row's `currency`, `{period}` as
 * "in March 2026", `{row_count:count product}` for all rows. A part in square brackets is omitted when a value in it is missing.
 */
export const Reading = z.strictObject({
  /** Worded with the first row; with `each`, it introduces the lines. */
  text: Sentence,
  /** One line per row, for the first ten rows. */
  each: Sentence.optional(),
  /** Used when there are no rows. */
  none: Sentence,
});
export type Reading = z.infer<typeof Reading>;

const QuestionEntry = z.strictObject({
  name: Name,
  /** What it answers, in a few words. It is matched like an example. */
  description: Sentence,
  /** In the words of those who ask; a parameter stands as its name in braces, `{product}`. */
  examples: z.array(Sentence).min(1).max(30),
  /** One SELECT with parameters `:name`; `{name}` inserts a fragment. */
  sql: Statement,
  /** Names of parameters. A question mark marks an optional one: it is NULL in the statement when the question does not name it. */
  parameters: z.array(z.string().regex(/^[a-z][a-z0-9_]*\??$/)).max(20),
  reading: Reading,
  /** What the question is about, and the column of the first row that holds its id. */
  entity: z.strictObject({ type: Name, column: Name }).optional(),
});

/** A question that the agent can answer without a model. */
export type NamedQuestion = Omit<z.infer<typeof QuestionEntry>, 'parameters'> & {
  parameters: Parameter[];
};

const CatalogueFile = z.strictObject({
  /** The only tables that questions may read. They are part of a model's prompt. */
  tables: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        description: Sentence,
        columns: z.record(z.string(), z.string()),
      }),
    )
    .max(100),
  /** Lists of names that questions may contain: one SELECT of one column each. */
  names: z.record(Name, Statement),
  /** Groups of single words in lower case that mean the same; the first stands for all. */
  synonyms: z.array(z.string().min(1)).max(500),
  /** Pieces of SQL that several questions share, by name. A fragment may use those that stand before it. */
  fragments: z.record(Name, Statement),
  parameters: z.record(Name, ParameterKind),
  questions: z.array(QuestionEntry).max(500),
});

/** What the analytics agent may say about a database: data that a team writes for its own (docs/analytics.md). */
export const Catalogue = CatalogueFile.transform((file, context) => {
  const problem = (message: string, path: (string | number)[]) =>
    context.addIssue({ code: 'custom', message, path });
  const fragments: Record<string, string> = {};
  const insertFragments = (sql: string, path: (string | number)[]): string =>
    sql.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const fragment = fragments[name];
      if (fragment === undefined) problem(`there is no fragment called ${name}`, path);
      return fragment ?? whole;
    });
  for (const [name, sql] of Object.entries(file.fragments)) {
    fragments[name] = insertFragments(sql, ['fragments', name]);
  }
  const parameterNamed = (reference: string, path: (string | number)[]): Parameter[] => {
    const name = reference.replace('?', '');
    const kind = file.parameters[name];
    if (kind === undefined) problem(`there is no parameter called ${name}`, path);
    return kind === undefined ? [] : [{ ...kind, name, isOptional: reference.endsWith('?') }];
  };
  const questions = file.questions.map(
    (question, place): NamedQuestion => ({
      ...question,
      sql: insertFragments(question.sql, ['questions', place, 'sql']),
      parameters: question.parameters.flatMap((each) =>
        parameterNamed(each, ['questions', place, 'parameters']),
      ),
    }),
  );
  const synonyms = file.synonyms.map((group) => group.split(' '));
  return { tables: file.tables, names: file.names, synonyms, questions };
});
export type Catalogue = z.infer<typeof Catalogue>;

const CACHE_MS = 60_000;

/**
 * Reads the catalogue from the database that it describes: JSON in the one row of the table `analytics_catalogue`. It is cached for a
 * minute; the same object is returned while the JSON stays the same.
 *
 * @returns A function whose result is `undefined` when no catalogue is stored, and which throws DATA_SOURCE_ERROR when it is invalid.
 */
export function storedCatalogue(database: SqlDatabase, { now }: { now: () => number }) {
  let cached: { json: unknown; catalogue: Catalogue; untilMs: number } | undefined;
  return async (): Promise<Catalogue | undefined> => {
    if (cached !== undefined && now() < cached.untilMs) return cached.catalogue;
    const json = await readStored(database);
    if (json === undefined) return undefined;
    const catalogue = json === cached?.json ? cached.catalogue : parseCatalogue(json);
    cached = { json, catalogue, untilMs: now() + CACHE_MS };
    return catalogue;
  };
}

const readStored = async (database: SqlDatabase): Promise<string | undefined> => {
  try {
    const { rows } = await database.run({
      sql: 'SELECT catalogue FROM analytics_catalogue LIMIT 1',
    });
    const json = rows[0]?.[0];
    return typeof json === 'string' ? json : undefined;
  } catch (error) {
    // SQLite refuses the statement when there is no such table.
    if (error instanceof SqlRefused) return undefined;
    throw error;
  }
};

const parseCatalogue = (json: string): Catalogue => {
  const read = readAs(Catalogue, parseJson(json));
  if (read.ok) return read.value;
  throw new DataSourceError(`the stored catalogue is invalid: ${describeIssues(read.issues)}`);
};
