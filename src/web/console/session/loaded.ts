import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { noteRefusal } from './deployment.ts';

export interface Loaded<Value> {
  /** What was read last; it stays while it is read again. */
  value: Value | undefined;
  failure: unknown;
  isLoading: boolean;
  /** Reads it again. */
  load: () => void;
}

/** What failed in the page itself, said in the reader's language. */
export class PageError extends Error {
  override readonly name = 'PageError';
}

/** Reads something while a component is shown, and again when an input changes. What another reading has overtaken is dropped. */
export function useLoaded<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly (string | undefined)[],
): Loaded<Value> {
  const value = useSignal<Value | undefined>(undefined);
  const { start, ...state } = useRunning();
  const load = (): void =>
    start(read, (found) => {
      value.value = found;
    });
  useEffect(() => {
    value.value = undefined;
    load();
  }, inputs);
  return { value: value.value, load, ...state };
}

const FIRST_PAUSE_MS = 3000;
const LONGEST_PAUSE_MS = 60_000;

/** Reads again while a change is awaited and the page is visible: after each reply, more and more seldom. */
export function useAwaited(
  isAwaited: boolean,
  { load, isLoading }: Pick<Loaded<unknown>, 'load' | 'isLoading'>,
): void {
  const pauseMs = useRef(FIRST_PAUSE_MS);
  useEffect(() => {
    pauseMs.current = FIRST_PAUSE_MS;
  }, [isAwaited]);
  useEffect(() => {
    if (!isAwaited || isLoading) return;
    let timer: ReturnType<typeof setTimeout>;
    const wait = (): void => {
      timer = setTimeout(look, pauseMs.current);
    };
    const look = (): void => {
      pauseMs.current = Math.min(pauseMs.current * 1.5, LONGEST_PAUSE_MS);
      if (document.visibilityState === 'visible') load();
      else wait();
    };
    wait();
    return () => clearTimeout(timer);
  }, [isAwaited, isLoading]);
}

interface Pages<Item, Page> {
  items: readonly Item[];
  /** The page that was read last. */
  last: Page | undefined;
  failure: unknown;
  isLoading: boolean;
  /** Begins again with the first page. */
  load: () => void;
  /** Reads the next page; absent on the last one. */
  more: (() => void) | undefined;
  /** Removes what was deleted. */
  drop: (isDropped: (item: Item) => boolean) => void;
}

/** A list of the deployment that is read page by page, as far as the reader wants it. */
export function usePages<Item, Page extends { next_cursor?: string | null | undefined }>(
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page>,
  {
    itemsOf,
    inputs,
  }: { itemsOf: (page: Page) => readonly Item[]; inputs: readonly (string | undefined)[] },
): Pages<Item, Page> {
  const items = useSignal<readonly Item[]>([]);
  const last = useSignal<Page | undefined>(undefined);
  const { start, ...state } = useRunning();
  const from = (cursor: string | undefined): void =>
    start(
      (signal) => read(cursor, signal),
      (page) => {
        items.value = [...(cursor === undefined ? [] : items.value), ...itemsOf(page)];
        last.value = page;
      },
    );
  const load = (): void => from(undefined);
  useEffect(() => {
    items.value = [];
    last.value = undefined;
    load();
  }, inputs);
  const cursor = last.value?.next_cursor ?? undefined;
  return {
    items: items.value,
    last: last.value,
    load,
    more: cursor === undefined ? undefined : () => from(cursor),
    drop: (isDropped) => {
      items.value = items.value.filter((item) => !isDropped(item));
    },
    ...state,
  };
}

interface Running {
  failure: unknown;
  isLoading: boolean;
  start: <Value>(
    work: (signal: AbortSignal) => Promise<Value>,
    done: (value: Value) => void,
  ) => void;
}

/** One thing at a time: a further one, and leaving the view, break off the one before. */
export function useRunning(): Running {
  const failure: Signal<unknown> = useSignal(undefined);
  const isLoading = useSignal(false);
  const current = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => current.current?.abort(), []);
  return {
    failure: failure.value,
    isLoading: isLoading.value,
    start: (work, done) => {
      current.current?.abort();
      const running = new AbortController();
      current.current = running;
      failure.value = undefined;
      isLoading.value = true;
      work(running.signal)
        .then(
          (value) => {
            if (!running.signal.aborted) done(value);
          },
          (error: unknown) => {
            if (running.signal.aborted) return;
            failure.value = error;
            void noteRefusal(error);
          },
        )
        .finally(() => {
          if (current.current === running) isLoading.value = false;
        });
    },
  };
}
