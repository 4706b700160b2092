/**
 * `npm run bench`: speed and size, on the machine named in the first line. Figures of one run compare with one another; figures of two
 * machines do not.
 */
import { cpus, totalmem } from 'node:os';
import { failUsage, readCommandLine } from '../../tools/command-line.ts';

interface BenchOptions {
  /** The folder of evaluation data. */
  data: string | undefined;
}

// Imported lazily, so that the help prints at once.
const PARTS: Record<string, () => Promise<(options: BenchOptions) => Promise<void> | void>> = {
  hostile: async () => {
    const [texts, documents] = await Promise.all([
      import('./hostile.ts'),
      import('./hostile-reading.ts'),
    ]);
    return () => {
      texts.benchHostile();
      documents.benchHostileReading();
    };
  },
  search: async () => (await import('./search.ts')).benchSearch,
  http: async () => (await import('./http.ts')).benchHttp,
  interfaces: async () => (await import('./interfaces.ts')).benchInterfaces,
  audiences: async () => (await import('./audiences.ts')).benchAudiences,
  delegation: async () => (await import('./delegation.ts')).benchDelegation,
  routing: async () => (await import('./routing.ts')).benchRouting,
  indexing: async () => (await import('./indexing.ts')).benchIndexing,
  large: async () => (await import('./large.ts')).benchLarge,
  'large-product': async () => (await import('./large-product.ts')).benchLargeProduct,
  context: async () => (await import('./context.ts')).benchContext,
  embeddings: async () => (await import('./embeddings.ts')).benchEmbeddings,
  'word-vectors': async () => (await import('./word-vectors.ts')).benchWordVectors,
  retrieval: async () => (await import('./retrieval.ts')).benchRetrieval,
  support: async () => (await import('./support.ts')).benchSupport,
  intents: async () => (await import('./intents.ts')).benchIntents,
  answers: async () => (await import('./answers.ts')).benchAnswers,
  tickets: async () => (await import('./tickets.ts')).benchTickets,
  console: async () => (await import('./console.ts')).benchConsole,
  size: async () => (await import('./size.ts')).benchSize,
};

const HELP = `Measures speed and size on this machine. Figures of one run compare with one another; figures of two machines do not.

  npm run bench -- [part ...] [--data <folder>]

  part             ${Object.keys(PARTS).join(', ')}; all when none is named
  --data <folder>  the folder of evaluation data that search, indexing and others read
  --help           this text
`;

const names = Object.keys(PARTS);
const { values, positionals } = readCommandLine(HELP, {
  options: { data: { type: 'string' } },
  maxPositionals: names.length,
});
const chosen = positionals.length === 0 ? names : positionals;
const unknown = chosen.filter((name) => !(name in PARTS));
if (unknown.length > 0)
  failUsage(`Cannot run ${unknown.join(', ')}: the parts are ${names.join(', ')}`);

const [cpu] = cpus();
console.log(
  `${cpu?.model ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
    `${process.platform} ${process.arch}, node ${process.version}\n`,
);
for (const [name, load] of Object.entries(PARTS))
  if (chosen.includes(name)) await (await load())({ data: values.data });
process.exit();
