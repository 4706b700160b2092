import { describeMemoryStore } from './describe-memory-store.ts';
import { embeddedStore, upstashStore } from './memory-stores.ts';

describeMemoryStore('embedded', embeddedStore);
describeMemoryStore('Upstash', upstashStore);
