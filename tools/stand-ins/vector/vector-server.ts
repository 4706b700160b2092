import { randomUUID } from 'node:crypto';
import { type LocalReply, type LocalServer, startLocalServer } from '../server/local-server.ts';
import type { RecordedRequest } from '../server/request-log.ts';
import { type LocalIndex, OPERATIONS, type Operation } from './vector-index.ts';
import { createNamespaceRecords, type Indexing } from './vector-records.ts';
import { refusalBody, VectorRefusal } from './vector-refusal.ts';

interface IndexConfig {
  /** The token that may do everything; random when absent. */
  token?: string;
  readOnlyToken?: string;
  /** 1536 when absent. */
  dimension?: number;
  /** Whether records have a sparse vector beside the dense one; false when absent. */
  isHybrid?: boolean;
  /** COSINE when absent. An index with another one reports it, and refuses queries. */
  similarityFunction?: LocalIndex['similarityFunction'];
}

export interface VectorServerOptions {
  /** Token of the first index; random when absent. */
  token?: string;
  /** The indexes, distinguished by their tokens; one when absent. */
  indexes?: readonly IndexConfig[];
  /** Milliseconds until queries see a write, 150 when absent; infinite: not before `finishIndexing`. */
  indexingDelayMs?: number;
  /** Whether queries still find deleted vectors for that long. */
  deletesLinger?: boolean;
  /** Milliseconds since 1970. */
  now?: () => number;
}

export interface VectorServer extends LocalServer {
  /** Token of the first index. */
  token: string;
  /** Tokens of all indexes, in order. */
  tokens: readonly string[];
  /** Lets queries see all writes at once. */
  finishIndexing(): void;
}

/**
 * Speaks the part of the REST protocol of Upstash Vector that an index without a hosted model needs, as SDK 1.2.3 uses it: a dense one, and a hybrid one
 * with queries of one component. Vectors are in memory. Anything else (fusion, texts to embed, resumable queries, updates) is refused with
 * 400, 404 or 501.
 */
export async function startVectorServer(options: VectorServerOptions = {}): Promise<VectorServer> {
  const { indexingDelayMs = 150, deletesLinger = false, now = Date.now } = options;
  const indexing: Indexing = { delayMs: indexingDelayMs, deletesLinger, now };
  const access = new Map<string, { index: LocalIndex; mayWrite: boolean }>();
  const indexes = (options.indexes ?? [{}]).map((config, at) => {
    const { dimension = 1536, similarityFunction = 'COSINE', readOnlyToken } = config;
    const { isHybrid = false } = config;
    const token = config.token ?? (at === 0 ? options.token : undefined) ?? randomUUID();
    const namespaces = new Map([['', createNamespaceRecords(indexing)]]);
    const index: LocalIndex = {
      name: `local-${at}`,
      isHybrid,
      dimension,
      similarityFunction,
      indexing,
      namespaces,
    };
    access.set(token, { index, mayWrite: true });
    if (readOnlyToken) access.set(readOnlyToken, { index, mayWrite: false });
    return { index, token };
  });

  const server = await startLocalServer({
    refusal: refusalBody,
    handle: (request, fault): LocalReply => {
      try {
        const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
        const { index, mayWrite } = access.get(token) ?? refuse(401);
        const { operation, namespace } = operationOf(request);
        if (operation.writes && !mayWrite) refuse(403);
        const call = {
          index,
          namespace,
          body: readJson(request.body),
          query: request.query,
          fault,
        };
        return { status: 200, body: { result: operation.run(call) } };
      } catch (error) {
        if (!(error instanceof VectorRefusal)) throw error;
        return { status: error.status, body: refusalBody(error.status, error.message) };
      }
    },
  });
  const tokens = indexes.map(({ token }) => token);
  return {
    ...server,
    token: tokens[0] ?? '',
    tokens,
    finishIndexing: () => {
      for (const { index } of indexes)
        for (const records of index.namespaces.values()) records.finishIndexing();
    },
  };
}

const refuse = (status: number, message?: string): never => {
  throw new VectorRefusal(status, message);
};

/** `/query/a` is the operation `query` in the namespace `a`. */
const operationOf = ({
  method,
  path,
}: RecordedRequest): { operation: Operation; namespace: string } => {
  const [name = '', namespace = '', ...rest] = path.slice(1).split('/');
  const operation = OPERATIONS.get(name) ?? refuse(404);
  if (method !== 'POST') refuse(405);
  const isMisplaced = operation.namespace === 'none' ? namespace !== '' : rest.length > 0;
  if (isMisplaced || (operation.namespace === 'required' && namespace === '')) refuse(404);
  return { operation, namespace: decodeURIComponent(namespace) };
};

const readJson = (body: string): unknown => {
  try {
    return JSON.parse(body || '{}');
  } catch {
    return refuse(400, 'Request body is not valid JSON');
  }
};
