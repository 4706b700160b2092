import type { Context } from 'hono';

/** Continues work after the response, like `ExecutionContext.waitUntil`; outside of workerd it continues by itself. */
export type WaitUntil = (work: Promise<unknown>) => void;

export const waitUntilOf = (c: Context): WaitUntil => {
  try {
    const { executionCtx } = c;
    return (work) => executionCtx.waitUntil(work);
  } catch {
    return (work) => void work.catch(() => undefined);
  }
};
