import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { EditionEntry } from '../../src/knowledge/articles/article.ts';
import { buildEdition } from '../../src/knowledge/edition/build-edition.ts';
import { type Edition, openEdition } from '../../src/knowledge/edition/open-edition.ts';
import { searchEdition } from '../../src/knowledge/search/search-edition.ts';
import { drawQuestions, growCorpus, readBenchArticles } from './corpus.ts';

const SIZES = [5_000, 50_000];
const QUESTIONS = 2_000;
const MEBIBYTE = 2 ** 20;

/** Building, opening and searching editions in this process, without network and without a runtime around it. */
export function benchSearch({ data }: { data: string | undefined }): void {
  const { name, articles } = readBenchArticles(data);
  console.log(`Search, ${QUESTIONS} different questions, texts grown from ${name}\n`);
  console.log(
    '  chunks   words     build   peak    edition  per 10,000  open p50  search p50    p99    with texts p50',
  );
  for (const size of SIZES) {
    const corpus = growCorpus(articles, size);
    const built = measureBuild(corpus, size);
    const edition = openEdition(built.bytes);
    const openMs = percentile(
      timesOf(21, () => openEdition(built.bytes)),
      0.5,
    );
    const stride = Math.max(1, Math.floor(size / 4_000));
    const texts = Array.from(
      { length: Math.floor(edition.chunkCount / stride) },
      (_, at) => edition.chunk(at * stride).text,
    );
    const questions = drawQuestions(texts, QUESTIONS);
    for (const question of questions.slice(0, 200)) searchEdition(edition, question);
    const times = questions.map((question) =>
      percentile(
        timesOf(3, () => searchEdition(edition, question)),
        0.5,
      ),
    );
    const shown = questions.map((question) =>
      percentile(
        timesOf(3, () => searchAndRead(edition, question)),
        0.5,
      ),
    );
    console.log(
      [
        String(edition.chunkCount).padStart(8),
        String(edition.index.words.count).padStart(8),
        `${(built.ms / 1000).toFixed(2)} s`.padStart(9),
        `${(built.peakBytes / MEBIBYTE).toFixed(0)} MiB`.padStart(8),
        `${(edition.byteLength / MEBIBYTE).toFixed(1)} MiB`.padStart(10),
        `${((edition.byteLength / edition.chunkCount) * (10_000 / MEBIBYTE)).toFixed(1)} MiB`.padStart(
          10,
        ),
        `${openMs.toFixed(2)} ms`.padStart(9),
        `${percentile(times, 0.5).toFixed(3)} ms`.padStart(11),
        `${percentile(times, 0.99).toFixed(2)} ms`.padStart(9),
        `${percentile(shown, 0.5).toFixed(3)} ms`.padStart(13),
      ].join(''),
    );
  }
  console.log('\n  search: from query text to ten hits, the middle of three runs of each question');
  console.log(
    '  peak: alive while building, the edition included, the articles not; per 10,000: bytes of an open edition, texts included\n',
  );
}

/** Builds from a corpus that is made while it is read; now and then it looks at what is alive. */
const measureBuild = (
  corpus: Iterable<EditionEntry>,
  chunkCount: number,
): { bytes: Uint8Array<ArrayBuffer>; ms: number; peakBytes: number } => {
  const before = liveBytes();
  let peakBytes = 0;
  let lookingMs = 0;
  const watched = {
    *[Symbol.iterator]() {
      let next = chunkCount / 10;
      let count = 0;
      for (const entry of corpus) {
        count += entry.chunks.length;
        if (count >= next) {
          const started = performance.now();
          peakBytes = Math.max(peakBytes, liveBytes() - before);
          next += chunkCount / 10;
          lookingMs += performance.now() - started;
        }
        yield entry;
      }
    },
  };
  const started = performance.now();
  const bytes = buildEdition(watched, {
    id: 'bench',
    workspace: 'bench',
    createdAt: '1970-01-01T00:00:00Z',
  });
  return { bytes, ms: performance.now() - started - lookingMs, peakBytes };
};

/** What is alive after garbage has been collected: objects and buffers. */
const liveBytes = (): number => {
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void; // exposed by the flag above

const searchAndRead = (edition: Edition, question: string): number =>
  searchEdition(edition, question).hits.reduce(
    (length, { chunk }) => length + edition.chunk(chunk).text.length,
    0,
  );

const timesOf = (runs: number, work: () => unknown): number[] =>
  Array.from({ length: runs }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });

const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};
