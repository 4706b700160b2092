/** A function that declares ten bytes and sends 64 MB, as a compromised one could. */
export default {
  fetch: async (): Promise<Response> => {
    const chunk = new Uint8Array(1_000_000);
    let left = 64;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (left === 0) return controller.close();
        left -= 1;
        controller.enqueue(chunk);
      },
    });
    return new Response(body, { headers: { 'Content-Length': '10', 'Context-Receipt': 'a.b.c' } });
  },
};
