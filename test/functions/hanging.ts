/** A function that takes every request and never answers. */
export default {
  fetch: (): Promise<Response> => new Promise(() => setTimeout(() => {}, 60_000)),
};
