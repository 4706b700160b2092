import { createHash, randomUUID } from 'node:crypto';
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { openClassifier } from '../../src/support/intents/classifier.ts';
import {
  contentHash,
  InvalidModel,
  type TrainingSource,
} from '../../src/support/intents/intent-model.ts';
import { IS_PUBLISHED } from '../command-line.ts';
import { ROOT } from '../functions.ts';
import { type TrainedAhead, trainAhead } from './train-ahead.ts';

/** A model takes a megabyte or two; the least recently used are deleted. */
const MAX_KEPT = 8;

export interface KeptModelOptions {
  /** Folder of stored models; beside the installed packages when absent. */
  folder?: string | undefined;
  train?: ((taxonomy: TrainingSource) => Pick<TrainedAhead, 'packed'>) | undefined;
}

/**
 * The trained model of a taxonomy, so that a start does not wait seconds for what an earlier one has trained. Keyed by the training data
 * and the training code: a change of either retrains. A model that cannot be stored is retrained next time.
 */
export function keptModel(
  taxonomy: TrainingSource,
  { folder = FOLDER, train = trainAhead }: KeptModelOptions = {},
): Uint8Array {
  const file = join(folder, `${contentHash(taxonomy)}-${codeHash()}.model`);
  const kept = readKept(file, taxonomy);
  if (kept !== undefined) return kept;
  const { packed } = train(taxonomy);
  keep(file, { packed, folder });
  return packed;
}

const FOLDER = join(ROOT, 'node_modules', '.cache', 'constellation-intents');

/** What decides how a model comes out, beside the taxonomy: the code that trains, or the version that it is published in. */
const codeHash = (): string => {
  const code = createHash('sha256');
  const files = IS_PUBLISHED
    ? ['package.json']
    : globSync(['src/support/intents/*.ts', 'src/language/*.ts'], { cwd: ROOT });
  for (const file of files.sort()) code.update(file).update(readFileSync(join(ROOT, file)));
  return code.digest('hex').slice(0, 16);
};

/** Undefined when it is missing or unusable. */
const readKept = (file: string, taxonomy: TrainingSource): Uint8Array | undefined => {
  try {
    const packed = new Uint8Array(readFileSync(file));
    openClassifier(packed, taxonomy);
    return packed;
  } catch (error) {
    if (isFileError(error) || error instanceof InvalidModel) return undefined;
    throw error;
  }
};

/** Renamed into place, so that another start never reads half of it. */
const keep = (file: string, { packed, folder }: { packed: Uint8Array; folder: string }): void => {
  try {
    mkdirSync(folder, { recursive: true });
    const half = `${file}.${randomUUID()}`;
    writeFileSync(half, packed);
    renameSync(half, file);
    const byAge = readdirSync(folder)
      .map((name) => join(folder, name))
      .map((path) => ({ path, writtenMs: statSync(path).mtimeMs }))
      .sort((left, right) => right.writtenMs - left.writtenMs);
    for (const { path } of byAge.slice(MAX_KEPT)) rmSync(path, { force: true });
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
};

const isFileError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && 'syscall' in error;
