/**
 * A typed client for every route that programs use (docs/client.md).
 *
 * @module @constellation/client
 */
export type { AskEvent } from './answer-stream.ts';
export type { CallOptions, ClientOptions } from './connection.ts';
export { Constellation, type WaitOptions } from './constellation.ts';
export { ConstellationError, type ConstellationErrorCode } from './constellation-error.ts';
export type * from './contract.ts';
