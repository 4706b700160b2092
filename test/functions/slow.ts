interface Env {
  /** Where a request goes on to. */
  NEXT: { fetch(request: Request): Promise<Response> };
  /** Milliseconds that each waits before. */
  MS: string;
}

/** A function that another one answers for, later. */
export default {
  fetch: async (request: Request, { NEXT, MS }: Env): Promise<Response> => {
    await new Promise((resolve) => setTimeout(resolve, Number(MS)));
    return NEXT.fetch(request);
  },
};
