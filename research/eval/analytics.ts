/**
 * How well the catalogue of the analytics agent understands questions: the right named question with the right values, and questions that
 * it must decline. The labelled questions are in two halves; the catalogue and its threshold were made with the first one only.
 *
 * Then the share of other questions, in varied wording, that get the right figures: those of a statement written by hand for the
 * question, independent of the catalogue.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { indexQuestions, matchQuestion } from '../../src/librarians/analytics/match-question.ts';
import { parseQuestion } from '../../src/librarians/analytics/parse-question.ts';
import { ROOT } from '../../tools/functions.ts';
import { generateShop } from '../../tools/sample/shop/generate-shop.ts';
import { SHOP_CATALOGUE } from '../../tools/sample/shop/shop-catalogue.ts';
import { startAsker } from './figures-of-questions.ts';
import type { Measure } from './retrieval.ts';

interface Label {
  query: string;
  /** The named question; null when the agent must decline. */
  question: string | null;
  parameters?: Record<string, string | number | { from: string; to: string }>;
  held_out: boolean;
}

export interface AnalyticsFigures {
  answerable: number;
  /** Right named question. */
  matched: number;
  /** Right named question with the right values, too. */
  right: number;
  unanswerable: number;
  declined: number;
  wrong: { query: string; expected: string; got: string }[];
}

const LABELS = JSON.parse(
  readFileSync(join(ROOT, 'test/librarians/analytics/labelled-questions.json'), 'utf8'),
) as Label[];

/** The day on which the labelled questions are asked. */
const NOW = Date.parse('2026-11-21T12:00:00Z');

export function evaluateAnalytics(half: 'development' | 'held out'): AnalyticsFigures {
  const { products, stock, customers } = generateShop();
  const texts = (
    rows: readonly Readonly<Record<string, string | number>>[],
    column: string,
  ): string[] => [...new Set(rows.map((row) => String(row[column])))];
  const names = {
    products: texts(products, 'name'),
    categories: texts(products, 'category'),
    warehouses: texts(stock, 'warehouse'),
    places: [...texts(customers, 'city'), ...texts(customers, 'country')],
    cities: texts(customers, 'city'),
    countries: texts(customers, 'country'),
    skus: texts(products, 'sku'),
  };
  const index = indexQuestions(SHOP_CATALOGUE);
  const figures: AnalyticsFigures = {
    answerable: 0,
    matched: 0,
    right: 0,
    unanswerable: 0,
    declined: 0,
    wrong: [],
  };
  for (const { query, question, parameters = {} } of LABELS.filter(
    (label) => label.held_out === (half === 'held out'),
  )) {
    const outcome = matchQuestion(index, parseQuestion(query, { names, now: NOW }));
    const got = outcome.ok ? outcome.match.question.name : null;
    const isRight =
      got === question && (!outcome.ok || hasValues(outcome.match.values, parameters));
    if (question === null) figures.unanswerable++;
    else figures.answerable++;
    if (question === null && got === null) figures.declined++;
    if (question !== null && got === question) figures.matched++;
    if (question !== null && isRight) figures.right++;
    if (!isRight) {
      const score = outcome.ok
        ? ` ${outcome.match.score} ${JSON.stringify(outcome.match.values)}`
        : ` (near ${outcome.nearest.map(({ name }) => name).join(', ')})`;
      figures.wrong.push({ query, expected: question ?? 'none', got: `${got ?? 'none'}${score}` });
    }
  }
  return figures;
}

/** Whether the values that the label names are there; others may have their defaults. */
const hasValues = (
  values: Readonly<Record<string, unknown>>,
  expected: NonNullable<Label['parameters']>,
): boolean =>
  Object.entries(expected).every(([name, value]) =>
    typeof value === 'object'
      ? values[`${name}_from`] === value.from && values[`${name}_to`] === value.to
      : values[name] === value,
  ) &&
  Object.entries(values).every(
    ([name, value]) =>
      isDefault(name, value) || expected[name.replace(/_(from|to)$/, '')] !== undefined,
  );

const isDefault = (name: string, value: unknown): boolean =>
  value === null ||
  value === '0001-01-01' ||
  value === '9999-12-31' ||
  (name === 'number' && value === 10);

interface FigureLabel {
  query: string;
  /** Finds the expected figures; null when the agent must decline. */
  sql: string | null;
  held_out: boolean;
}

export interface FigureCounts {
  right: number;
  wrong: number;
  declined: number;
  /** Questions that must be declined, and are not. */
  answeredWrongly: number;
  unanswerable: number;
  notes: { query: string; outcome: string }[];
}

const FIGURE_LABELS = JSON.parse(
  readFileSync(join(ROOT, 'test/librarians/analytics/figure-questions.json'), 'utf8'),
) as FigureLabel[];

export async function evaluateFigures(half: 'development' | 'held out'): Promise<FigureCounts> {
  const asker = await startAsker(NOW);
  const counts: FigureCounts = {
    right: 0,
    wrong: 0,
    declined: 0,
    answeredWrongly: 0,
    unanswerable: 0,
    notes: [],
  };
  for (const { query, sql } of FIGURE_LABELS.filter(
    (label) => label.held_out === (half === 'held out'),
  )) {
    const answer = asker.ask(query);
    if (sql === null) {
      counts.unanswerable++;
      if (answer === undefined) continue;
      counts.answeredWrongly++;
      counts.notes.push({ query, outcome: `answered as ${answer.match.question.name}` });
      continue;
    }
    const outcome =
      answer === undefined
        ? 'declined'
        : hasFigures(answer.rows, asker.query(sql))
          ? 'right'
          : 'wrong';
    counts[outcome]++;
    if (outcome !== 'right')
      counts.notes.push({ query, outcome: `${outcome} ${answer?.match.question.name ?? ''}` });
  }
  return counts;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Each expected row has a row of its own that holds all its numbers and names, and none remain; when one row per currency is expected, as
 * for a maximum, the first of the currency is accepted.
 */
const hasFigures = (rows: readonly Row[], expected: readonly Row[]): boolean => {
  const left = [...rows];
  const isEach = expected.every((wanted) => {
    const place = left.findIndex((row) => holds(row, wanted));
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
  return (
    isEach &&
    (left.length === 0 ||
      (expected.length <= 2 && expected.some((wanted) => holds(rows[0] ?? {}, wanted))))
  );
};

const holds = (row: Row, wanted: Row): boolean =>
  Object.values(wanted).every((value) => Object.values(row).some((cell) => isSame(cell, value)));

const isSame = (cell: unknown, value: unknown): boolean =>
  typeof cell === 'number' && typeof value === 'number'
    ? Math.abs(cell - value) < 0.051
    : cell === value;

/** What `npm run eval -- analytics` prints. Nothing was made with the held-out halves. */
export async function analyticsMeasures(): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const half of ['development', 'held out'] as const) {
    const named = evaluateAnalytics(half);
    const figures = await evaluateFigures(half);
    const asked = figures.right + figures.wrong + figures.declined;
    measures.push(
      { name: `named question and values right, ${half}`, value: named.right / named.answerable },
      {
        name: `declined where no question fits, ${half}`,
        value: named.declined / named.unanswerable,
      },
      {
        name: `figures right, ${half}`,
        value: figures.right / asked,
        note: `${figures.declined} of ${asked} declined`,
      },
      { name: `figures wrong, ${half}`, value: figures.wrong + figures.answeredWrongly, atMost: 0 },
    );
  }
  return measures;
}
