/** A `fetch` that modifies JSON replies, for replies that the real service never sends. */
export const changeReply =
  (change: (json: never) => unknown): typeof fetch =>
  async (...request) => {
    const response = await fetch(...request);
    const { status, headers } = response;
    // The reply is the one of the test's own server.
    return new Response(JSON.stringify(change((await response.json()) as never)), {
      status,
      headers: { 'content-type': headers.get('content-type') ?? '' },
    });
  };

/** A `fetch` that replaces the status, headers or body of replies. */
export const replyWith =
  (reply: () => Response): typeof fetch =>
  async () =>
    reply();
