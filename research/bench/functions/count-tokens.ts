import { cl100k, loadTokenizer } from '../../../src/ai/tokenizer.ts';

/** Counts the tokens of a POST's body, and answers a GET without having loaded anything. */
export default {
  fetch: async (request: Request): Promise<Response> => {
    if (request.method === 'GET') return new Response('ready');
    const tokenizer = await loadTokenizer('gpt-4', [cl100k]);
    return new Response(String(tokenizer.count(await request.text())));
  },
};
