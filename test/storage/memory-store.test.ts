import { describeMemoryIsolation } from './describe-memory-isolation.ts';
import { describeMemoryStore } from './describe-memory-store.ts';
import { embeddedStore, upstashStore } from './memory-stores.ts';

describeMemoryStore('embedded', embeddedStore);
describeMemoryStore('Upstash', upstashStore);

describeMemoryIsolation('embedded', embeddedStore, { runs: 12, length: 240 });
// The vector index lags by a random number of operations, and still finds deleted vectors.
describeMemoryIsolation('Upstash', () => upstashStore({ indexingDelayMs: 10 }), { runs: 4, length: 240 });
