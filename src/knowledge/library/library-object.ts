import { DurableObject } from 'cloudflare:workers';
import { EmbeddingFailed } from '../../ai/embeddings/base.ts';
import type { WordVectors } from '../../ai/embeddings/word-vectors.ts';
import type { ErrorCode } from '../../contract/core/error-info.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import { describeCause, logLine } from '../../platform/log.ts';
import { kvEditionStorage } from '../../platform/storage/edition-storage.ts';
import { durableObjectSql } from '../../platform/storage/sql.ts';
import { StoreUnavailable } from '../../platform/storage/store-unavailable.ts';
import { completeEdition } from '../edition/current-edition.ts';
import { createLibrary, type Library, REMOTE_METHODS, type RemoteMethod } from './library.ts';
import { type LibraryVariables, readLibrarySettings } from './library-settings.ts';
import type { LibraryEmbedding } from './vector-store.ts';

export interface LibraryObjectEnv extends LibraryVariables {
  EDITIONS: KVNamespace;
}

const WORKSPACE = 'workspace';

/**
 * The single writer of one workspace's knowledge base: SQLite holds what is known, alarms drive what
 * takes time. An alarm is called again after a crash, and each step commits with the state that it changes, so that no
 * queue has to agree with the database.
 */
export class LibraryObject extends DurableObject<LibraryObjectEnv> {
  #library: Library | undefined;

  constructor(ctx: DurableObjectState, env: LibraryObjectEnv) {
    super(ctx, env);
    // After a restart the alarm may be lost while there is work left.
    ctx.blockConcurrencyWhile(async () => {
      const workspace = await ctx.storage.get<string>(WORKSPACE);
      if (workspace === undefined) return;
      this.#library = this.#open(workspace);
      if (this.#library.isBusy() && (await ctx.storage.getAlarm()) === null) await ctx.storage.setAlarm(Date.now());
    });
  }

  /** Calls one of the remote methods. */
  async ask(workspace: string, method: RemoteMethod, parameters: unknown[]): Promise<unknown> {
    if (!REMOTE_METHODS.includes(method)) throw new Error(`Cannot ask the library: it has no method ${method}`);
    if (this.#library === undefined) {
      await this.ctx.storage.put(WORKSPACE, workspace);
      this.#library ??= this.#open(workspace);
    }
    // The parameters are those of `remoteLibrary`, which knows the method's type.
    const answer = this.#library[method] as (...parameters: unknown[]) => unknown;
    return answer(...parameters);
  }

  /** What turns chunks into vectors; none unless a function overrides it. Called once, when the library is opened. */
  protected embeddingOf(_workspace: string, _env: LibraryObjectEnv): LibraryEmbedding | undefined {
    return undefined;
  }

  /** The table of word vectors for editions without an embedding model; none unless a function overrides it. */
  protected wordVectors(): (() => WordVectors) | undefined {
    return undefined;
  }

  override async alarm(): Promise<void> {
    await this.#library?.work();
  }

  #open(workspace: string): Library {
    const { storage } = this.ctx;
    const settings = readLibrarySettings(this.env);
    return createLibrary({
      workspace,
      sql: durableObjectSql(storage),
      editionStorage: kvEditionStorage(this.env.EDITIONS),
      source: () => settings.sourceOf(workspace),
      articleUrl: settings.articleUrl,
      history: settings.history,
      isLive: settings.isLive,
      now: Date.now,
      newId: () => crypto.randomUUID(),
      // Storage keeps the order of writes: nothing that follows is lost by not waiting.
      wakeAt: (time) => void storage.setAlarm(time),
      onFault: (where, error) =>
        logLine({
          event: 'fault',
          time: Date.now(),
          librarian: 'library',
          where,
          code: codeOf(error),
          cause: describeCause(error),
        }),
      complete: completeEdition,
      embedding: this.embeddingOf(workspace, this.env),
      wordVectors: this.wordVectors(),
    });
  }
}

/** An unavailable model or index is not an internal failure. */
const codeOf = (error: unknown): ErrorCode => {
  if (error instanceof CodedError) return error.code;
  return error instanceof EmbeddingFailed || error instanceof StoreUnavailable ? 'DATA_SOURCE_ERROR' : 'INTERNAL_ERROR';
};
