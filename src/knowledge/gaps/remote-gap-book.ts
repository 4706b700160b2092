import { StoreUnavailable } from '../../storage/store-unavailable.ts';
import type { GapBook, RemoteGapBook } from './gap-book.ts';

/** The methods that travel; nothing else of an object can be called from outside. */
export const GAP_METHODS = ['record', 'list', 'toCheck', 'noteChecked'] as const satisfies (keyof GapBook)[];
export type GapMethod = (typeof GAP_METHODS)[number];

/** A Durable Object that answers for one workspace; the one that is of none knows which there are. */
export interface GapsStub {
  ask(workspace: string, method: GapMethod, parameters: unknown[]): Promise<unknown>;
  noteWorkspace(workspace: string): Promise<void>;
  workspaces(): Promise<string[]>;
}

/** No workspace has this name: it begins with a dot. */
const DIRECTORY = '.workspaces';
/** So many workspaces are remembered as noted by an isolate. */
const MAX_NOTED = 10_000;

export interface GapBooks {
  of(workspace: string): RemoteGapBook;
  /** Those that have ever met a gap. */
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
          // First, so that no gap is kept that nobody would ever ask about again.
          await note(workspace);
          return ask('record', parameters);
        },
        list: (...parameters) => ask('list', parameters),
        toCheck: (...parameters) => ask('toCheck', parameters),
        noteChecked: (...parameters) => ask('noteChecked', parameters),
      };
    },
    workspaces: () => stubOf(DIRECTORY).workspaces(),
  };
};
