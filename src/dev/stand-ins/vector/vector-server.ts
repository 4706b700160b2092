import { randomUUID } from 'node:crypto';
import type { LocalReply, LocalServer } from '../server/local-server.ts';
import { startLocalServer } from '../server/local-server.ts';
import type { RecordedRequest } from '../server/request-log.ts';
import { createLocalIndex, type IndexConfig, type LocalIndex } from './local-index.ts';
import { NAMESPACE_OPERATIONS } from './namespace-operations.ts';
import type { Operation } from './operation.ts';
import { QUERY_OPERATIONS } from './query-operations.ts';
import { READ_OPERATIONS } from './read-operations.ts';
import { VectorRefusal } from './vector-error.ts';
import type { Indexing } from './vector-records.ts';
import { WRITE_OPERATIONS } from './write-operations.ts';

export interface VectorServerOptions {
  /** Any free one when it is not said. */
  port?: number;
  /** Token of the first index; random when absent. */
  token?: string;
  /** The indexes, distinguished by their tokens. One index of 1536 dimensions by COSINE when it is not said. */
  indexes?: readonly IndexConfig[];
  /** Milliseconds until queries see a write, 150 when it is not said; infinite: not before `finishIndexing`. */
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
  /** May be changed while the server runs. */
  indexing: Pick<Indexing, 'delayMs' | 'deletesLinger'>;
  /** Lets queries see all writes at once. */
  finishIndexing(): void;
}

const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  Object.entries({ ...WRITE_OPERATIONS, ...READ_OPERATIONS, ...QUERY_OPERATIONS, ...NAMESPACE_OPERATIONS }),
);

/** Speaks the REST protocol of Upstash Vector, as its SDK 1.2.3 uses it, over indexes in memory. */
export const startVectorServer = async (options: VectorServerOptions = {}): Promise<VectorServer> => {
  const { indexingDelayMs = 150, deletesLinger = false, now = Date.now } = options;
  const indexing: Indexing = { delayMs: indexingDelayMs, deletesLinger, now };
  const configs = options.indexes ?? [{}];
  const tokens = configs.map(({ token }, at) => token ?? (at === 0 ? options.token : undefined) ?? randomUUID());
  const access = new Map<string, { index: LocalIndex; mayWrite: boolean }>();
  const indexes = configs.map((config, at) => {
    const index = createLocalIndex(config, `local-${at}`, indexing);
    access.set(tokens[at] ?? '', { index, mayWrite: true });
    if (config.readOnlyToken) access.set(config.readOnlyToken, { index, mayWrite: false });
    return index;
  });

  const server = await startLocalServer({
    port: options.port,
    refusal: (status, message = USUAL_MESSAGES[status] ?? 'Internal error') => ({ error: message, status }),
    handle: (request, fault): LocalReply => {
      try {
        const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
        const { index, mayWrite } = access.get(token) ?? refuse(401);
        const { operation, namespace } = findOperation(request);
        if (operation.writes && !mayWrite) refuse(403);
        const body = readJson(request.body);
        return {
          status: 200,
          body: { result: operation.run({ index, namespace, body, query: request.query, fault }) },
        };
      } catch (error) {
        if (!(error instanceof VectorRefusal)) throw error;
        return { status: error.status, body: { error: error.message, status: error.status } };
      }
    },
  });
  return {
    ...server,
    token: tokens[0] ?? '',
    tokens,
    indexing,
    finishIndexing: () => {
      for (const index of indexes) for (const records of index.namespaces.values()) records.finishIndexing();
    },
  };
};

const USUAL_MESSAGES: Record<number, string> = {
  401: 'Unauthorized: Invalid auth token',
  403: 'Forbidden: this token may only read',
  404: 'Not found',
  405: 'Method not allowed',
  429: 'Exceeded daily query limit',
  503: 'Service unavailable',
};

const refuse = (status: number, message = USUAL_MESSAGES[status] ?? ''): never => {
  throw new VectorRefusal(status, message);
};

const findOperation = ({ method, path }: RecordedRequest): { operation: Operation; namespace: string } => {
  const [name = '', namespace = '', ...rest] = path.slice(1).split('/');
  const operation = OPERATIONS.get(name) ?? refuse(404);
  if (method !== 'POST' && !operation.methods.some((each) => each === method)) refuse(405);
  const isMisplaced = operation.namespace === 'none' ? namespace !== '' : rest.length > 0;
  if (isMisplaced || (operation.namespace === 'required' && namespace === '')) refuse(404);
  return { operation, namespace: decode(namespace) };
};

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return refuse(400, 'Invalid namespace');
  }
};

const readJson = (body: string): unknown => {
  if (body === '') return {};
  try {
    return JSON.parse(body);
  } catch {
    return refuse(400, 'Request body is not valid JSON');
  }
};
