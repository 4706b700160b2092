import { describeMemoryIsolation } from './describe-memory-isolation.ts';
import { embeddedStore, upstashStore } from './memory-stores.ts';

describeMemoryIsolation('embedded', embeddedStore, { runs: 12, length: 240 });
// The vector index is behind by a random number of the operations, and what was deleted lingers in it.
describeMemoryIsolation('Upstash', () => upstashStore({ indexingDelayMs: 10 }), { runs: 4, length: 240 });
