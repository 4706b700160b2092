let requests = 0;

/** A function that never answers; `/requests` returns how many requests it got. */
export default {
  fetch: (request: Request): Promise<Response> | Response => {
    if (new URL(request.url).pathname === '/requests') return Response.json(requests);
    requests += 1;
    return new Promise(() => setTimeout(() => {}, 60_000));
  },
};
