/** A `fetch` whose JSON replies arrive changed: for what the real service never says. */
export const changeReply =
  (change: (json: never) => unknown): typeof fetch =>
  async (...request) => {
    const response = await fetch(...request);
    const { status, headers } = response;
    // The test knows what its service says.
    return new Response(JSON.stringify(change((await response.json()) as never)), {
      status,
      headers: { 'content-type': headers.get('content-type') ?? '' },
    });
  };

/** A `fetch` whose replies arrive with another status, other headers or another body, as they are given. */
export const replyWith =
  (reply: () => Response): typeof fetch =>
  async () =>
    reply();
