interface Env {
  /** The function behind this one. */
  NEXT: { fetch(request: Request): Promise<Response> };
  /** Delay of each request in milliseconds. */
  MS: string;
}

let requests = 0;

/** A function that passes each request on after a delay; `/requests` returns how many it got. */
export default {
  fetch: async (request: Request, { NEXT, MS }: Env): Promise<Response> => {
    if (new URL(request.url).pathname === '/requests') return Response.json(requests);
    requests += 1;
    await new Promise((resolve) => setTimeout(resolve, Number(MS)));
    return NEXT.fetch(request);
  },
};
