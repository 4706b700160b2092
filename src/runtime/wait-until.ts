import type { Context } from 'hono';

/** Lets work go on after the answer, as `ExecutionContext.waitUntil` does; outside of workerd it goes on by itself. */
export type WaitUntil = (work: Promise<unknown>) => void;

export const waitUntilOf = (c: Context): WaitUntil => {
  try {
    const { executionCtx } = c;
    return (work) => executionCtx.waitUntil(work);
  } catch {
    return (work) => void work.catch(() => undefined);
  }
};
