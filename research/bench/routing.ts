import type { LibrarianInfo } from '../../src/contract/core/librarian.ts';
import { wordsOf } from '../../src/language/analyse-text.ts';
import { createConcierge } from '../../src/librarians/concierge/concierge.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { readBenchArticles } from './corpus.ts';

const LIBRARIANS = 50;
const EXAMPLES = 20;
const QUESTIONS = 2000;
/** Limit of a decision in milliseconds of CPU. */
const MAX_DECISION_MS = 1;

/** What the concierge's decision costs among 50 librarians with 20 example questions each, in this process. */
export async function benchRouting(): Promise<void> {
  const random = seededRandom(11);
  const librarians = Array.from({ length: LIBRARIANS }, (_, at) => librarianOf(at, random));
  const startedAt = performance.now();
  const concierge = createConcierge({ librarians, defaultLibrarian: 'librarian-0' });
  const user = { id: 'user:bench', capabilities: ['kb:read'] };
  await concierge('the first question builds the index', { user });
  const buildMs = performance.now() - startedAt;
  const questions = Array.from({ length: QUESTIONS }, (_, at) =>
    questionOf(Math.floor(random() * LIBRARIANS), at, random),
  );
  for (const question of questions.slice(0, 300)) await concierge(question, { user });
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (const question of questions) {
    const before = performance.now();
    await concierge(question, { user });
    times.push(performance.now() - before);
  }
  const { user: userTime, system } = process.cpuUsage(cpu);
  times.sort((left, right) => left - right);
  const at = (share: number) => `${times[Math.floor(share * times.length)]?.toFixed(3)} ms`;
  console.log(
    `Routing, one of ${LIBRARIANS} librarians with ${EXAMPLES} examples each, ${QUESTIONS} questions\n`,
  );
  console.log(
    `  decision p50 ${at(0.5)}   p99 ${at(0.99)}   CPU, mean ${((userTime + system) / 1000 / QUESTIONS).toFixed(3)} ms (at most ${MAX_DECISION_MS} ms)`,
  );
  console.log(
    `  first decision, which lays the descriptions into an index: ${buildMs.toFixed(0)} ms\n`,
  );
}

const librarianOf = (at: number, random: () => number): LibrarianInfo => ({
  id: `librarian-${at}`,
  name: `Librarian ${at}`,
  description: `Knows ${Array.from({ length: 20 }, () => wordOf(at, random)).join(' ')}.`,
  capabilities: ['kb:read'],
  examples: Array.from({ length: EXAMPLES }, (_, place) => questionOf(at, place, random)),
});

const FRAMES = [
  'How do I',
  'What is the',
  'Why does the',
  'How many',
  'Which',
  'Find the',
  'Can we',
  'Show me the',
];
const COMMON =
  'price order device error setting customer report network update account limit page guide value'.split(
    ' ',
  );

/** Eight to twelve words: some of all librarians, most of the one that it is for. Every third has a typing mistake, every fourth a second clause. */
const questionOf = (librarian: number, at: number, random: () => number): string => {
  const words = Array.from({ length: 4 }, () => wordOf(librarian, random));
  const common = COMMON[Math.floor(random() * COMMON.length)];
  const first = `${FRAMES[at % FRAMES.length]} ${common} ${words.join(' ')}`;
  const misspelt = at % 3 === 0 ? first.replace(/(\w)(\w)$/, '$2$1') : first;
  return at % 4 === 0
    ? `${misspelt} and how many ${wordOf(librarian + 1, random)} are there?`
    : `${misspelt}?`;
};

/** Real words, so that the search for typing mistakes has as much to do as it would have. */
const WORDS = [
  ...new Set(
    readBenchArticles(undefined).articles.flatMap(({ text }) => wordsOf(text.toLowerCase())),
  ),
].filter((word) => /^[a-z]{4,}$/.test(word));

/** One of 200 words of a librarian, half of them shared with the next librarian. */
const wordOf = (librarian: number, random: () => number): string =>
  WORDS[((librarian * 100 + Math.floor(random() * 200)) * SPREAD) % WORDS.length] ?? '';

/** A prime, so that adjacent words go to different librarians. */
const SPREAD = 7919;
