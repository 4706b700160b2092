import library from '../../../../functions/library/index.ts';
import { OpenAIEmbeddingProvider } from '../../../../src/ai/embeddings/openai.ts';
import type { LibraryEmbedding } from '../../../../src/knowledge/library/library-embedding.ts';
import {
  type LibraryObjectEnv,
  LibraryObject as PlainLibraryObject,
} from '../../../../src/knowledge/library/library-object.ts';
import { namespaceOf } from '../../../../src/storage/namespace-of.ts';
import { upstashVectorIndex } from '../../../../src/storage/upstash-vector-index.ts';

/** The variables that the test sets besides those of the library. */
interface TestVariables {
  TEST_OPENAI_URL: string;
  TEST_OPENAI_KEY: string;
  TEST_VECTOR_URL: string;
  TEST_VECTOR_TOKEN: string;
}

export class LibraryObject extends PlainLibraryObject {
  protected override embeddingOf(workspace: string, env: LibraryObjectEnv): LibraryEmbedding {
    // The environment of this test's worker, which the class of the product does not know.
    const variables = env as LibraryObjectEnv & TestVariables;
    const provider = new OpenAIEmbeddingProvider({
      baseURL: variables.TEST_OPENAI_URL,
      apiKey: variables.TEST_OPENAI_KEY,
      fetch: (input, init) => fetch(input, init),
    });
    // A workspace of which the test wants its vectors in the edition.
    if (workspace === 'embedded') return { provider };
    const [url, token] = [variables.TEST_VECTOR_URL, variables.TEST_VECTOR_TOKEN];
    const { dimensions } = provider;
    const index = upstashVectorIndex({ url, token, namespace: namespaceOf('kb', workspace), dimensions });
    return { provider, index, indexName: url };
  }
}

export default library;
