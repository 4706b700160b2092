import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Compiled modules for the workers and all processes that tests start: loading them is most of the time of a script.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'constellation-compile-cache');

/** Folders whose files take longest: begun last, they would keep one core busy while the others have nothing to do. */
const LONG = [
  '/test/web/console/',
  '/test/functions/',
  '/test/client/',
  '/test/tools/',
  '/test/conformance/',
  '/test/librarians/',
  '/test/platform/storage/',
  '/test/knowledge/',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = LONG.findIndex((folder) => moduleId.includes(folder));
      return rank < 0 ? LONG.length : rank;
    };
    return files.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/fixed-seed.ts'],
    // An Ollama that runs on this machine is never found; a test of finding one names its own.
    env: { OLLAMA_HOST: '127.0.0.1:1' },
    // Only what hangs takes so long, on a busy machine too.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // A fixed limit of the product, such as ten seconds for one call of a store, may pass on a machine that stands still for
    // a moment. A wrong result fails twice; the report names what passed only at its second attempt.
    retry: 1,
    // A worker evaluates a module once for all its files, not again for each: what the product keeps outside a request is a
    // cache, and a test puts back what it replaces.
    isolate: false,
    // Part of the time is spent waiting for what has to time out: one more than there are cores.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongFirst },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/documents/node/**'],
      reporter: ['text-summary', 'html', 'json-summary'],
      // Lower bounds in percent of lines; retrieval and drafts have the higher one.
      thresholds: {
        lines: 85,
        'src/support/retrieval/**': { lines: 90 },
        'src/knowledge/edition/**': { lines: 90 },
        'src/knowledge/search/**': { lines: 90 },
        'src/support/drafts/**': { lines: 90 },
      },
    },
  },
});
