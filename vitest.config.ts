import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Half of the time is spent waiting for workerd: all cores are used, of which vitest would leave one free.
    maxWorkers: '100%',
  },
});
