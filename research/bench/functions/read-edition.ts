import table from '../../../src/ai/embeddings/static-words-2.bin';
import { wordVectorsIn } from '../../../src/ai/embeddings/word-vectors.ts';
import { createEditionReader } from '../../../src/knowledge/edition/edition-reader.ts';
import { createRetriever, searchKnowledge } from '../../../src/knowledge/search/retrieve.ts';
import { answerQuestion } from '../../../src/librarians/navigator/answer-question.ts';
import { EditionManifest } from '../../../src/platform/storage/edition-storage.ts';

const wordVectors = wordVectorsIn(table);
const retrieve = createRetriever({ wordVectors });
const reader = createEditionReader();

/** A reader of the edition that `ORIGIN` serves: `?q=` searches, `?q=&answer=1` answers. Without `q` nothing is opened. */
export default {
  fetch: async (request: Request, { ORIGIN }: { ORIGIN: string }): Promise<Response> => {
    const { searchParams } = new URL(request.url);
    const query = searchParams.get('q');
    if (query === null) return new Response('ready');
    const source = {
      readCurrent: async () =>
        EditionManifest.parse(await (await fetch(`${ORIGIN}/current`)).json()),
      parts: [
        {
          readPart: async (_: EditionManifest, part: number) => {
            const response = await fetch(`${ORIGIN}/${part}`);
            return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
          },
        },
      ],
    };
    const { edition } = await reader.read({ workspace: 'bench', source });
    if (searchParams.has('answer')) {
      const { answer, metadata } = await answerQuestion(edition, query, {
        retrieve,
        wordVectors,
        timeLeftMs: () => 10_000,
      });
      return Response.json({
        sources: answer.response.sources.length,
        degraded: metadata.degraded ?? [],
      });
    }
    const { hits, degraded = [] } = await searchKnowledge(
      edition,
      { query, limit: 10 },
      { retrieve },
    );
    return Response.json({ hits: hits.length, degraded });
  },
};
