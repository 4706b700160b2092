/**
 * `npm run bench`: speed and size, on the machine named in the first line. Figures of one run compare with one another;
 * figures of two machines do not.
 *
 *   npm run bench -- [search] [http] [delegation] [routing] [indexing] [embeddings] [word-vectors] [retrieval] [support] [intents] [tickets] [size] [--data <folder of eval data>]
 */
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { benchContext } from './bench-context.ts';
import { benchDelegation } from './bench-delegation.ts';
import { benchEmbeddings } from './bench-embeddings.ts';
import { benchHttp } from './bench-http.ts';
import { benchIndexing } from './bench-indexing.ts';
import { benchIntents } from './bench-intents.ts';
import { benchRetrieval } from './bench-retrieval.ts';
import { benchRouting } from './bench-routing.ts';
import { benchSearch } from './bench-search.ts';
import { benchSize } from './bench-size.ts';
import { benchSupport } from './bench-support.ts';
import { benchTickets } from './bench-tickets.ts';
import { benchWordVectors } from './bench-word-vectors.ts';

const PARTS = {
  search: benchSearch,
  http: benchHttp,
  delegation: benchDelegation,
  routing: benchRouting,
  indexing: benchIndexing,
  context: benchContext,
  embeddings: benchEmbeddings,
  'word-vectors': benchWordVectors,
  retrieval: benchRetrieval,
  support: benchSupport,
  intents: benchIntents,
  tickets: benchTickets,
  size: benchSize,
};

const { values, positionals } = parseArgs({ options: { data: { type: 'string' } }, allowPositionals: true });
const chosen = positionals.length === 0 ? Object.keys(PARTS) : positionals;
const unknown = chosen.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`Cannot run ${unknown.join(', ')}: the parts are ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}

const [cpu] = cpus();
console.log(
  `${cpu?.model ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
    `${process.platform} ${process.arch}, node ${process.version}\n`,
);
for (const [name, run] of Object.entries(PARTS)) if (chosen.includes(name)) await run({ data: values.data });
process.exit(0);
