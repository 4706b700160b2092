import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { HostArticleReply } from '../../src/contract/wire/host-article.ts';
import { createEditionReader } from '../../src/knowledge/edition/edition-reader.ts';
import { attachRepeatedBlocks } from '../../src/knowledge/edition/repeated-blocks.ts';
import type { HostKbClient } from '../../src/knowledge/library/host-kb-client.ts';
import { createLibrary } from '../../src/knowledge/library/library.ts';
import { createRetriever, searchKnowledge } from '../../src/knowledge/search/retrieve.ts';
import { answerQuestion } from '../../src/librarians/navigator/answer-question.ts';
import type { EditionParts } from '../../src/platform/storage/edition-storage.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { nodeSql } from '../../tools/stand-ins/node-sql.ts';
import { drawQuestions, longArticles, PASSAGE_LENGTH, readBenchArticles } from './corpus.ts';
import { measureReader } from './read-in-workerd.ts';

const PASSAGES = Number(process.env.BENCH_PASSAGES || 100_000);
const PAGE = 100;
const QUESTIONS = 200;
const MEBIBYTE = 2 ** 20;

/** A knowledge base of 100,000 passages: first sync, a sync without changes, and a reader, all in this process over SQLite in a file. */
export async function benchLarge({ data }: { data?: string | undefined }): Promise<void> {
  const { name, articles } = readBenchArticles(data);
  const folder = mkdtempSync(join(tmpdir(), 'constellation-bench-'));
  try {
    const samples: string[] = [];
    const host = hostOf(() => longArticles(articles, PASSAGES), samples);
    let wakeAt = 0;
    const library = createLibrary({
      workspace: 'bench',
      sql: nodeSql(new DatabaseSync(join(folder, 'library.sqlite'))),
      complete: attachRepeatedBlocks,
      editionStorage: { put: async () => undefined, delete: async () => undefined },
      source: () => ({ url: 'https://kb.example', client: host }),
      articleUrl: (id) => `https://kb.example/${id}`,
      now: Date.now,
      newId: () => crypto.randomUUID(),
      wakeAt: (time) => {
        wakeAt = time;
      },
      onFault: (where, error) => console.error(where, error),
      wordVectors: shippedWordVectors,
    });
    console.log(
      `About ${PASSAGES} passages of some ${PASSAGE_LENGTH} characters, texts grown from ${name}`,
    );
    for (const sync of ['first', 'again, nothing changed']) {
      const began = performance.now();
      library.startSync({ full: true });
      while (library.status(['*']).state !== 'idle') {
        await wait(Math.max(0, wakeAt - Date.now()));
        await library.work();
      }
      const report = library.status(['*']).last_report;
      const manifest = library.currentEdition();
      console.table([
        {
          sync,
          s: ((performance.now() - began) / 1000).toFixed(0),
          outcome: report?.outcome,
          writes: report?.writes,
          passages: manifest?.chunks,
          'edition MiB': ((manifest?.bytes ?? 0) / MEBIBYTE).toFixed(1),
          pages: manifest?.pages ?? 0,
          'peak MiB, all of this process': peakMemory(),
        },
      ]);
      if (report?.error) console.log(report.error.message);
    }
    await readAndAsk(samples, {
      readCurrent: async () => library.currentEdition(),
      parts: [{ readPart: async ({ edition }, part) => library.editionPart(edition, part) }],
    });
    const manifest = library.currentEdition();
    if (manifest === undefined) return;
    const part = (place: number) => library.editionPart(manifest.edition, place);
    await measureReader({ manifest, part }, drawQuestions(samples, QUESTIONS));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const readAndAsk = async (
  texts: readonly string[],
  source: Parameters<ReturnType<typeof createEditionReader>['read']>[0]['source'] & {
    parts: EditionParts[];
  },
): Promise<void> => {
  const reader = createEditionReader();
  const opened = performance.now();
  const { edition } = await reader.read({ workspace: 'bench', source });
  console.log(`  opening the edition ${(performance.now() - opened).toFixed(0)} ms`);
  const retrieve = createRetriever({ wordVectors: shippedWordVectors });
  const questions = drawQuestions(texts, QUESTIONS);
  const rows = [];
  for (const [what, ask] of [
    [
      'search, ten hits',
      (query: string) => searchKnowledge(edition, { query, limit: 10 }, { retrieve }),
    ],
    [
      'answer with quotes',
      (query: string) =>
        answerQuestion(edition, query, {
          retrieve,
          wordVectors: shippedWordVectors,
          timeLeftMs: () => 10_000,
        }),
    ],
  ] as const) {
    const times: number[] = [];
    for (const question of questions) {
      const began = performance.now();
      await ask(question);
      times.push(performance.now() - began);
    }
    times.sort((left, right) => left - right);
    const at = (share: number) => (times[Math.floor(share * times.length)] ?? 0).toFixed(1);
    rows.push({ what, questions: times.length, 'p50 ms': at(0.5), 'p99 ms': at(0.99) });
  }
  console.table(rows);
};

/** Pages that are made when they are asked for, in order. */
const hostOf = (articles: () => Iterator<HostArticleReply>, samples: string[]): HostKbClient => {
  let iterator = articles();
  return {
    readPage: async (_, cursor) => {
      if (cursor === undefined) iterator = articles();
      const page: HostArticleReply[] = [];
      let isLast = false;
      while (page.length < PAGE && !isLast) {
        const { value, done } = iterator.next();
        isLast = done === true;
        if (!done) page.push(value);
      }
      if (samples.length < 1000)
        samples.push(...page.slice(0, 10).map(({ content }) => content.slice(0, 5000)));
      const offset = (cursor?.kind === 'count' ? cursor.offset : 0) + page.length;
      const number = cursor?.kind === 'count' ? cursor.page : 1;
      return {
        articles: page,
        skipped: [],
        received: page.length,
        total: undefined,
        next: isLast ? undefined : { kind: 'count', page: number + 1, offset },
      };
    },
  };
};

/** The largest resident memory of this process so far, in MiB, as the kernel counts it; elsewhere as it is now. */
const peakMemory = (): number => {
  try {
    return Math.round(
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024,
    );
  } catch {
    return Math.round(process.memoryUsage().rss / MEBIBYTE);
  }
};
