import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AnswerInput, AnswerVerdict } from '../../src/contract/wire/answers.ts';
import { rangeOf } from '../../src/gateway/history/answer-statistics.ts';
import type { AnswerStore } from '../../src/gateway/history/answer-store.ts';
import { sqlAnswerStore } from '../../src/gateway/history/sql-answer-store.ts';
import { nodeSql } from '../../tools/stand-ins/node-sql.ts';

const ANSWERS = 50_000;
const RUNS = 7;
const MONTH_MS = 30 * 86_400_000;
const VERDICTS: readonly AnswerVerdict[] = [
  'answered',
  'hedged',
  'declined',
  'answered',
  'answered',
];

/** A full store of kept answers: a page of the list, filters, statistics, one more answer when the oldest has to go. */
export function benchAnswers(): void {
  const folder = mkdtempSync(join(tmpdir(), 'constellation-bench-answers-'));
  try {
    const database = new DatabaseSync(join(folder, 'answers.sqlite'));
    const startMs = Date.now() - MONTH_MS;
    const store = sqlAnswerStore(nodeSql(database), { limits: { days: 60, answers: ANSWERS } });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    for (let at = 0; at < ANSWERS; at += 1) store.keep([answerAt(at, startMs)]);
    console.log(`kept answers: ${ANSWERS} of them, ${Math.round(bytesOf(database) / 2 ** 20)} MiB`);
    for (const [name, run] of Object.entries(runsOf(store, startMs))) {
      const times = Array.from({ length: RUNS }, (_, at) => {
        const before = process.cpuUsage();
        run(at);
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1000;
      });
      console.log(
        `  ${name.padEnd(48)} ${(times.toSorted((a, b) => a - b)[RUNS >> 1] ?? 0).toFixed(1)} ms of CPU`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const runsOf = (store: AnswerStore, startMs: number): Record<string, (run: number) => unknown> => {
  const list = (filter: Parameters<AnswerStore['list']>[0]['filter'], cursor?: string) =>
    store.list({ filter, limit: 50, cursor });
  const range = rangeOf({ bucket: 'day' }, Date.now());
  if (typeof range === 'string') throw new Error(range);
  return {
    'first page of 50': () => list({}),
    'a page in the middle': () => list({}, 'p25000'),
    'declined, of one librarian': () => list({ verdict: 'declined', librarian: 'navigator' }),
    'two words of the question, found in one of 997': () => list({ text: 'subject 501' }),
    'words that no question has': () => list({ text: 'zeppelin' }),
    'a page of the export, in full': () => store.full({ filter: {}, limit: 50 }),
    'statistics of 30 days': () => store.statistics({}, range),
    'one more answer': (run) => store.keep([answerAt(ANSWERS + run, startMs)]),
  };
};

const bytesOf = (database: DatabaseSync): number => {
  const read = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  return read('page_count') * read('page_size');
};

/** As large as one of two passages without a model. */
const answerAt = (at: number, startMs: number): AnswerInput => {
  const text = `The device needs ${at} minutes. `.repeat(20);
  const source = {
    name: 'Setup',
    file: 'setup.md',
    section: 'First start',
    quote: text,
    start: 10,
    end: 10 + text.length,
  };
  const statement = { text, sources: [source], support: 1, check: 'quoted' as const };
  const ms = 5 + ((at * 7919) % 997);
  return {
    id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    asked_at: new Date(startMs + at * 50_000).toISOString(),
    question: `How long does the start of subject ${at % 997} take when it is ${at % 31} degrees?`,
    interface: 'rest',
    verdict: VERDICTS[at % VERDICTS.length] ?? 'answered',
    confidence: (at % 101) / 100,
    edition: 'e000001-00000000',
    librarians: [at % 3 === 0 ? 'semantic' : 'navigator'],
    asked_by: `user:${at % 20}`,
    duration_ms: ms,
    tokens: 0,
    cost_usd: 0,
    cached: at % 4 === 0,
    answer: `${text}\n\n${text}`,
    statements: [statement, statement],
    sources: [{ name: 'Setup' }],
    closest: [],
    timings: { total: ms, routing: 1, answering: ms - 2 },
    metadata: {},
    budgets: { granted: { calls: 24 }, spent: { calls: 1 } },
  };
};
