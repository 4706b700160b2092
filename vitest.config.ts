import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A third of the time is spent waiting for workerd and for what has to time out: one more than there are cores.
    maxWorkers: availableParallelism() + 1,
  },
});
