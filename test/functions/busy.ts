interface Env {
  /** The function behind this one. */
  NEXT: { fetch(request: Request): Promise<Response> };
}

/** Some hundred milliseconds on any machine; the clock of a function does not advance meanwhile. */
const ROUNDS = 100_000_000;

/** A function that blocks its thread before it passes a question on. */
export default {
  fetch: (request: Request, { NEXT }: Env): Promise<Response> => {
    let sum = 0;
    if (request.url.endsWith('/ask'))
      for (let at = 0; at < ROUNDS; at += 1) sum = (sum * 31 + at) | 0;
    return NEXT.fetch(
      new Request(request, {
        headers: { ...Object.fromEntries(request.headers), 'x-sum': `${sum}` },
      }),
    );
  },
};
