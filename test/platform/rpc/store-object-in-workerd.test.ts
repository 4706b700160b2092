import { fileURLToPath } from 'node:url';
import type { Miniflare } from 'miniflare';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ANSWER_METHODS } from '../../../src/gateway/history/answer-store.ts';
import { CHECK_METHODS } from '../../../src/knowledge/checks/check-book.ts';
import { GAP_METHODS } from '../../../src/knowledge/gaps/gap-book.ts';
import { LIBRARY_METHODS } from '../../../src/knowledge/library/library.ts';
import { MEMORY_METHODS } from '../../../src/memory/store/remote-memory.ts';
import { DESK_METHODS, TICKET_METHODS } from '../../../src/support/tickets/ticket-objects.ts';
import { bundleModules } from '../../../tools/build/bundle-function.ts';
import { functionsInOrder } from '../../../tools/release/function-config.ts';
import { oneWorker } from '../storage/worker-for-test.ts';

/** By the class that a function exports. */
const METHODS: Record<string, readonly string[]> = {
  AnswersObject: ANSWER_METHODS,
  ChecksObject: CHECK_METHODS,
  CountersObject: ['add', 'raiseDirectory', 'read'],
  DeskObject: DESK_METHODS,
  GapsObject: GAP_METHODS,
  LibraryObject: LIBRARY_METHODS,
  MemoryObject: MEMORY_METHODS,
  TasksObject: ['answer', 'erase'],
  TicketObject: TICKET_METHODS,
};

let miniflare: Miniflare;
beforeAll(async () => {
  const entry = fileURLToPath(new URL('store-object-worker.mjs', import.meta.url));
  const classes = Object.keys(METHODS);
  miniflare = oneWorker('', {
    modules: await bundleModules(entry),
    durableObjects: Object.fromEntries(
      classes.map((className) => [className, { className, useSQLite: true }]),
    ),
  });
});
afterAll(() => miniflare?.dispose());

it('has no method that can be called but those that it names', async () => {
  const response = await miniflare.dispatchFetch('http://localhost/');
  const reached = (await response.json()) as Record<string, string[]>;
  const sorted = (methods: Record<string, readonly string[]>) =>
    Object.fromEntries(Object.entries(methods).map(([name, each]) => [name, each.toSorted()]));
  expect(sorted(reached)).toEqual(sorted(METHODS));
});

it('is run for every class that a function is deployed with', () => {
  const deployed = functionsInOrder().flatMap(({ raw }) =>
    (raw.migrations ?? []).flatMap((each) => each.new_sqlite_classes ?? []),
  );
  expect(deployed.toSorted()).toEqual(Object.keys(METHODS).toSorted());
});
