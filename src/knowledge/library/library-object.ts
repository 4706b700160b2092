import { EmbeddingFailed } from '../../ai/embeddings/base.ts';
import type { WordVectors } from '../../ai/embeddings/word-vectors.ts';
import type { ErrorCode } from '../../contract/core/error-info.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import { describeCause, logLine } from '../../platform/log.ts';
import { storeObject } from '../../platform/rpc/workspace-object.ts';
import { kvEditionStorage } from '../../platform/storage/edition-storage.ts';
import { StoreUnavailable } from '../../platform/storage/store-unavailable.ts';
import { completeEdition } from '../edition/current-edition.ts';
import type { LargeMode } from '../large/publishing-ports.ts';
import { createLibrary, LIBRARY_METHODS, type Library } from './library.ts';
import { type LibraryVariables, readLibrarySettings } from './library-settings.ts';
import type { LibraryEmbedding } from './vector-store.ts';

export interface LibraryObjectEnv extends LibraryVariables {
  EDITIONS: KVNamespace;
}

/**
 * The single writer of one workspace's knowledge base: SQLite holds what is known, alarms drive what
 * takes time. An alarm is called again after a crash, and each step commits with the state that it changes, so that no
 * queue has to agree with the database.
 */
export class LibraryObject extends storeObject<
  LibraryObjectEnv,
  Library,
  (typeof LIBRARY_METHODS)[number]
>(LIBRARY_METHODS) {
  protected readonly librarian = 'library';

  /** What turns chunks into vectors; none unless a function overrides it. Called once, when the library is opened. */
  protected embeddingOf(_workspace: string, _env: LibraryObjectEnv): LibraryEmbedding | undefined {
    return undefined;
  }

  /** The table of word vectors for editions without an embedding model; none unless a function overrides it. */
  protected wordVectors(): (() => WordVectors) | undefined {
    return undefined;
  }

  /** The hybrid index of a workspace; none unless a function overrides it. Called once, when the library is opened. */
  protected largeModeOf(_workspace: string, _env: LibraryObjectEnv): LargeMode | undefined {
    return undefined;
  }

  /** A library sets its alarm by itself: most calls read, and finding the time of the next work costs more than they do. */
  protected override schedule(): void {}

  protected override async work(library: Library): Promise<void> {
    await library.work();
    this.wakeAt(library.dueAt());
  }

  protected open(workspace: string): Library {
    const settings = readLibrarySettings(this.env);
    const library = createLibrary({
      workspace,
      sql: this.sql,
      editionStorage: kvEditionStorage(this.env.EDITIONS),
      source: () => settings.sourceOf(workspace),
      articleUrl: settings.articleUrl,
      history: settings.history,
      isLive: settings.isLive,
      now: Date.now,
      newId: () => crypto.randomUUID(),
      wakeAt: (time) => this.wakeAt(time),
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
      large: this.largeModeOf(workspace, this.env),
    });
    // After a restart the alarm may be lost while there is work left.
    this.wakeAt(library.dueAt());
    return library;
  }
}

/** An unavailable model or index is not an internal failure. */
const codeOf = (error: unknown): ErrorCode => {
  if (error instanceof CodedError) return error.code;
  return error instanceof EmbeddingFailed || error instanceof StoreUnavailable
    ? 'DATA_SOURCE_ERROR'
    : 'INTERNAL_ERROR';
};
