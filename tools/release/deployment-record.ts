import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { describeIssues, readAs } from '../../src/contract/core/error-info.ts';

const HexId = z.string().regex(/^[0-9a-f]{32}$/, 'is no id of 32 hexadecimal digits');
const Name = z.string().min(1).max(100);
const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'is no SHA-256 hash');

/** What `npm run setup` has created in an account, and what it has deployed there. Holds no secret. */
export const DeploymentRecord = z.strictObject({
  account_id: HexId.optional(),
  /** Ids of KV namespaces and of databases, by their names in the configurations. */
  kv: z.record(Name, HexId).default({}),
  d1: z.record(Name, z.uuid()).default({}),
  /** By function: a hash of everything that was deployed, and the version that the platform made of it. */
  functions: z
    .record(Name, z.strictObject({ hash: Hash, version: z.string().min(1).max(100) }))
    .default({}),
  /** Address of the gateway. */
  url: z.url({ protocol: /^https$/ }).optional(),
  /** Hash under which the first API key is stored. */
  api_key: Hash.optional(),
});
export type DeploymentRecord = z.infer<typeof DeploymentRecord>;

/** Beside the checkout's own files, and ignored by git. */
export const RECORD_FILE = 'deployment.json';

/**
 * The record of a file; an empty one when there is no such file.
 *
 * @throws {Error} When it is damaged.
 */
export function readRecord(file: string): DeploymentRecord {
  if (!existsSync(file)) return DeploymentRecord.parse({});
  const record = readAs(DeploymentRecord, jsonOf(file));
  if (record.ok) return record.value;
  throw new Error(
    `Cannot read ${file}: ${describeIssues(record.issues)}. Restore it, or delete it: npm run setup finds by name what exists`,
  );
}

/** Renamed into place, so that an interruption leaves the old one or the new one. */
export function writeRecord(file: string, record: DeploymentRecord): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

const jsonOf = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};
