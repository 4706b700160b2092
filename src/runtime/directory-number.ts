import { waitAtMost } from '../http/deadline.ts';
import { type IdentityVariables, identityFrom } from '../signing/identity.ts';
import { DirectoryRefused } from '../signing/key-directory.ts';
import { describeCause, type Log } from './log.ts';
import type { MetricsBindings } from './metrics.ts';

/** The directory that a function starts with. */
export interface UsedDirectory {
  function: string;
  /** The public key that signed it: another root counts from the beginning. */
  root: string;
  sequence: number;
}

/** Storage of the numbers of the key directories that functions have had. */
interface DirectoryNumbers {
  /** Records a directory, and returns the highest number that its function has had from the same root. */
  raiseDirectory(used: UsedDirectory): Promise<number>;
}

/** Most time that the first request of an isolate waits, and the time until the question is repeated. Milliseconds. */
const WAIT_MS = 1000;
const AGAIN_MS = 60_000;

/**
 * Refuses a key directory whose number has fallen back, as then keys and librarians that were removed would be trusted again. The numbers
 * are in the object of the counters. Asked once per isolate, when its first request arrives: variables change with a deployment only, which
 * starts new isolates. Without the binding, or while the object does not answer, the directory counts.
 *
 * @returns Throws {DirectoryRefused} for an environment with an older directory.
 */
export const directoryCheck = (librarian: string, { log, now }: { log: Log; now: () => number }) => {
  const verdicts = new WeakMap<object, Verdict>();
  return async (env: IdentityVariables & MetricsBindings): Promise<void> => {
    let verdict = verdicts.get(env);
    if (verdict === undefined || verdict.untilMs <= now()) {
      verdict = await judge(env, { librarian, log, now });
      verdicts.set(env, verdict);
    }
    if (verdict.refused !== undefined) throw verdict.refused;
  };
};

interface Verdict {
  untilMs: number;
  refused?: DirectoryRefused;
}

const judge = async (
  env: IdentityVariables & MetricsBindings,
  { librarian, log, now }: { librarian: string; log: Log; now: () => number },
): Promise<Verdict> => {
  const { COUNTERS, CONTEXT_DIRECTORY = '', CONTEXT_DIRECTORY_ROOT: root = '' } = env;
  if (COUNTERS === undefined || CONTEXT_DIRECTORY === '') return { untilMs: Infinity };
  // A function that cannot read its directory refuses by itself what needs one.
  const identity = await identityFrom(env, librarian).catch(() => undefined);
  if (identity === undefined) return { untilMs: now() + AGAIN_MS };
  const { sequence } = identity.directory;
  try {
    // The class is CountersObject, whose type the namespace does not carry.
    const numbers = COUNTERS.getByName('deployment') as DirectoryNumbers;
    const highest = await waitAtMost(
      numbers.raiseDirectory({ function: librarian, root, sequence }),
      WAIT_MS,
      undefined,
    );
    if (highest === undefined) throw new Error(`no reply within ${WAIT_MS} ms`);
    if (highest <= sequence) return { untilMs: Infinity };
    const why = `it is number ${sequence}, and ${librarian} has had number ${highest}: what was removed since would be trusted again`;
    const refused = new DirectoryRefused(
      `Cannot use the key directory: ${why}. Deploy number ${highest}, or run npm run keys -- renew until its number is higher, and deploy`,
    );
    return { untilMs: now() + AGAIN_MS, refused };
  } catch (error) {
    const cause = describeCause(error);
    log({ event: 'fault', time: now(), librarian, where: 'directory number', code: 'SERVICE_UNAVAILABLE', cause });
    return { untilMs: now() + AGAIN_MS };
  }
};
