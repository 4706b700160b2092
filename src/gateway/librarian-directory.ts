import { LibrarianDescription, type LibrarianDirectory, type LibrarianEntry } from '../contract/librarian-directory.ts';
import { readAs } from '../contract/read-as.ts';
import type { Target } from '../runtime/signed-client.ts';

const TIMEOUT_MS = 2000;

/** Asks every librarian to describe itself; one that does not answer in two seconds stands there as `down`. */
export const describeLibrarians = async (
  functions: Readonly<Record<string, Target>>,
  ids: readonly string[],
): Promise<LibrarianDirectory> => ({ librarians: await Promise.all(ids.map((id) => describe(functions[id], id))) });

const describe = async (target: Target | undefined, id: string): Promise<LibrarianEntry> => {
  try {
    const request = new Request(`http://${id}/librarians/${id}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const response = await target?.fetch(request);
    const described = readAs(LibrarianDescription, response?.ok ? await response.json() : undefined);
    if (!described.ok) return { id, name: id, health: 'down' };
    const { name, description, capabilities } = described.value;
    return { id, name, description, capabilities, health: 'ok' };
  } catch {
    return { id, name: id, health: 'down' };
  }
};
