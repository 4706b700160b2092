import { signedClient, type Target } from '../signed-client.ts';
import { type Circuits, createCircuits } from './circuits.ts';
import { createDelegates } from './delegates.ts';
import { followDelegates } from './follow-delegates.ts';
import type { Reach } from './reach.ts';

/**
 * Whom a librarian may hand questions on to, with all that it takes to ask them and to join their answers. A function that
 * reaches nobody leaves it away, and is a third smaller.
 *
 * @param targets Service bindings and public hosts by librarian id: `serviceTargets(env)`, `httpsTargets(directory)`.
 * @param circuits Which targets are left alone for a while.
 */
export const reachable = (
  targets: Readonly<Record<string, Target>>,
  { circuits = createCircuits() }: { circuits?: Circuits } = {},
): Reach => ({
  start: (options) => {
    const client = signedClient({ ...options, targets });
    return {
      ids: client.targets,
      delegatesFor: (question) => createDelegates({ ...options, ...question, client, circuits }),
      follow: followDelegates,
    };
  },
});
