interface Env {
  /** The function behind this one. */
  NEXT: { fetch(request: Request): Promise<Response> };
  /** Delay of each request in milliseconds. */
  MS: string;
}

/** A function that passes each request on after a delay. */
export default {
  fetch: async (request: Request, { NEXT, MS }: Env): Promise<Response> => {
    await new Promise((resolve) => setTimeout(resolve, Number(MS)));
    return NEXT.fetch(request);
  },
};
