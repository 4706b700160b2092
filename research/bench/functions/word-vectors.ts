import table from '../../../src/ai/embeddings/static-words-2.bin';
import { wordVectorsIn } from '../../../src/ai/embeddings/word-vectors.ts';

const words = wordVectorsIn(table);

/** Computes the vectors of a POST's lines, and answers a GET without having opened the table. */
export default {
  fetch: async (request: Request): Promise<Response> => {
    if (request.method === 'GET') return new Response('ready');
    const lines = (await request.text()).split('\n');
    const known = lines.filter((line) => words().vectorOfText(line) !== undefined);
    return new Response(String(known.length));
  },
};
