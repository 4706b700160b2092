import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { Taxonomy } from '../../src/contract/wire/taxonomy.ts';
import { seededRandom, shuffle } from '../../src/platform/seeded-random.ts';
import { openClassifier } from '../../src/support/intents/classifier.ts';
import type { TrainingSource } from '../../src/support/intents/intent-model.ts';
import { trainClassifier } from '../../src/support/intents/train-classifier.ts';
import { SAMPLE_TAXONOMY } from '../../tools/sample/files.ts';
import { benchIntentsInWorkerd } from './intents-workerd.ts';

const RUNS = 10;
/** Milliseconds, at most. */
const LIMITS = { classify: 0.5, open: 5, train: 250 };

/** What intents cost: training 20 intents of 20 examples when they are loaded, opening a packed model, sorting a message. */
export async function benchIntents(): Promise<void> {
  const sample = readSample();
  const twenty = cutTo(sample, 20);
  const large = invented(77, 130);
  console.log('Intents, without a model\n');
  for (const [name, taxonomy] of [
    ['20 intents, 20 examples', twenty],
    ['the sample taxonomy', sample],
    ['77 intents, 130 examples', large],
  ] as const) {
    const packed = trainClassifier(taxonomy);
    const training = timesOf(taxonomy === large ? 1 : RUNS, () => trainClassifier(taxonomy));
    const opening = timesOf(RUNS, () => openClassifier(packed, taxonomy));
    const classifier = openClassifier(packed, taxonomy);
    const messages = taxonomy.intents.flatMap(({ examples }) => examples);
    for (const message of messages.slice(0, 300)) classifier.classify(message);
    const times = messages
      .slice(0, 2000)
      .map((message) => timesOf(1, () => classifier.classify(message))[0] ?? 0);
    const mail = messages.slice(0, 40).join('. ');
    const long = timesOf(50, () => classifier.classify(mail.repeat(32)));
    console.log(
      `  ${name}: packed ${kib(packed.byteLength)}, gzip ${kib(gzipSync(packed).byteLength)}`,
    );
    const limit = taxonomy === twenty ? ` (at most ${LIMITS.train} ms)` : ', ahead';
    console.log(`    train    ${inMs(training)}${limit}`);
    console.log(`    open     ${inMs(opening)} (at most ${LIMITS.open} ms)`);
    console.log(
      `    classify ${inMs(times)} (at most ${LIMITS.classify} ms); 32,000 characters ${inMs(long)}`,
    );
  }
  await benchIntentsInWorkerd(twenty, { runs: RUNS });
  console.log();
}

const readSample = (): Taxonomy =>
  Taxonomy.parse(JSON.parse(readFileSync(SAMPLE_TAXONOMY, 'utf8')));

/** A taxonomy of the given size: intents of the sample, padded with combinations of two. */
const cutTo = (taxonomy: Taxonomy, count: number): TrainingSource => ({
  intents: taxonomy.intents.slice(0, count).map((intent) => {
    const { examples } = intent;
    const more = examples.map((text, at) => `${text}, and ${examples[(at + 5) % examples.length]}`);
    return { ...intent, examples: [...examples, ...more].slice(0, count) };
  }),
  out_of_scope_examples: [],
});

/** Examples of made-up intents, each with words of its own among those that all share. */
const invented = (intents: number, examples: number): TrainingSource => {
  const random = seededRandom(3);
  const word = (from: number, count: number) =>
    `w${(from + Math.floor(random() * count)).toString(36)}ord`;
  const message = (intent: number): string => {
    const own = Array.from({ length: 4 }, () => word(100 + intent * 17, 30));
    const shared = Array.from({ length: 6 }, () => word(0, 100));
    const all = [...own, ...shared];
    return Array.from(
      shuffle(
        Uint32Array.from(all, (_, at) => at),
        random,
      ),
      (at) => all[at],
    ).join(' ');
  };
  return {
    intents: Array.from({ length: intents }, (_, intent) => ({
      id: `intent_${intent}`,
      title: `Intent ${intent}`,
      examples: Array.from({ length: examples }, () => message(intent)),
    })),
    out_of_scope_examples: [],
  };
};

const timesOf = (runs: number, work: () => unknown): number[] =>
  Array.from({ length: runs }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });

const inMs = (times: readonly number[]): string => {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(2);
  return `p50 ${at(0.5)} p99 ${at(0.99)} ms`;
};

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KiB`;
