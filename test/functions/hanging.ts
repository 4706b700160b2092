let requests = 0;

/** A function that takes every request and never answers; at `/requests` it says how many there were. */
export default {
  fetch: (request: Request): Promise<Response> | Response => {
    if (new URL(request.url).pathname === '/requests') return Response.json(requests);
    requests += 1;
    return new Promise(() => setTimeout(() => {}, 60_000));
  },
};
