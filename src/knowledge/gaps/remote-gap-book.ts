import { StoreUnavailable } from '../../storage/store-unavailable.ts';
import type { GapBook, RemoteGapBook } from './gap-book.ts';

/** The remote methods; no other member can be called from outside. */
export const GAP_METHODS = [
  'record',
  'remove',
  'erasePerson',
  'list',
  'records',
  'restore',
  'toCheck',
  'noteChecked',
  'audienceLists',
] as const satisfies (keyof GapBook)[];
export type GapMethod = (typeof GAP_METHODS)[number];

/** A Durable Object for one workspace, or the one that lists the workspaces. */
export interface GapsStub {
  ask(workspace: string, method: GapMethod, parameters: unknown[]): Promise<unknown>;
  noteWorkspace(workspace: string): Promise<void>;
  workspaces(): Promise<string[]>;
}

/** No workspace has this name, since it begins with a dot. */
const DIRECTORY = '.workspaces';
/** Bound of the isolate's cache of registered workspaces. */
const MAX_NOTED = 10_000;

export interface GapBooks {
  of(workspace: string): RemoteGapBook;
  /** Workspaces that have ever recorded a gap. */
  workspaces(): Promise<string[]>;
}

/** The gap books of all workspaces, each in the object of its name. */
export const remoteGapBooks = (stubOf: (name: string) => GapsStub): GapBooks => {
  const noted = new Set<string>();
  const note = async (workspace: string): Promise<void> => {
    if (noted.has(workspace)) return;
    await stubOf(DIRECTORY).noteWorkspace(workspace);
    if (noted.size >= MAX_NOTED) noted.clear();
    noted.add(workspace);
  };
  return {
    of: (workspace) => {
      const ask = async <T>(method: GapMethod, parameters: unknown[]): Promise<T> => {
        try {
          // The object's method of this name answers with this type.
          return (await stubOf(workspace).ask(workspace, method, parameters)) as T;
        } catch (cause) {
          throw new StoreUnavailable('unavailable', 'Cannot ask the gaps of a workspace', { cause });
        }
      };
      return {
        record: async (...parameters) => {
          // Registered first, so that every stored gap is retried later.
          await note(workspace);
          return ask('record', parameters);
        },
        remove: (...parameters) => ask('remove', parameters),
        erasePerson: (...parameters) => ask('erasePerson', parameters),
        list: (...parameters) => ask('list', parameters),
        records: (...parameters) => ask('records', parameters),
        restore: async (...parameters) => {
          await note(workspace);
          return ask('restore', parameters);
        },
        toCheck: (...parameters) => ask('toCheck', parameters),
        noteChecked: (...parameters) => ask('noteChecked', parameters),
        audienceLists: (...parameters) => ask('audienceLists', parameters),
      };
    },
    workspaces: () => stubOf(DIRECTORY).workspaces(),
  };
};
