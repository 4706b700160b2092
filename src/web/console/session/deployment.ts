import { effect, signal } from '@preact/signals';
import { type Connection, connect } from '../../../../client/connection.ts';
import { Constellation } from '../../../../client/constellation.ts';
import { ConstellationError } from '../../../../client/constellation-error.ts';
import type { Healthz, LibrarianEntry } from '../../../contract/core/librarian.ts';
import type { CallerAccess } from '../../../contract/wire/access.ts';
import type { SyncStatus } from '../../../contract/wire/sync.ts';
import { credential, isRefused } from './credential.ts';
import { isReachable, recordingFetch } from './sent-requests.ts';

const STORED = 'constellation.workspace';

/** The workspace that was chosen in this tab; the first one of the key when absent. */
export const chosenWorkspace = sessionStorage.getItem(STORED) ?? undefined;

const OPTIONS = {
  url: location.origin,
  key: () => credential.value ?? '',
  workspace: chosenWorkspace,
  interface: 'console',
  fetch: recordingFetch({ isShown: true }),
};
/** For what the header shows, and for checks: they are not among the requests that a reader sees. */
const UNSHOWN = { ...OPTIONS, fetch: recordingFetch({ isShown: false }) };

/** The public API by its typed client. */
export const client = new Constellation(OPTIONS);

export const background = new Constellation(UNSHOWN);

const connection = connect(OPTIONS);

/** Routes that the typed client has no method for: `call<Taxonomy>('GET /v1/support/taxonomy', { intents: 'objects' })`. */
export const call: Connection['json'] = connection.json;

/** As `call`, for replies that are read as they arrive. */
export const callForStream: Connection['open'] = connection.open;

export const health = signal<Healthz | undefined>(undefined);
export const syncStatus = signal<SyncStatus | undefined>(undefined);
/** What the key may do; undefined until that is known. */
export const access = signal<CallerAccess | undefined>(undefined);
export const librarians = signal<readonly LibrarianEntry[]>([]);

/** Reads what the header shows. What cannot be read stays as it was: the header is no place for errors. */
export async function refreshDeployment(): Promise<void> {
  const once = { retries: 0, timeoutMs: 10_000 };
  health.value = await background.health(once).catch(() => health.value);
  if (credential.value === undefined) return;
  syncStatus.value = await background.sync.status(once).catch(() => undefined);
}

let reading = Promise.resolve();

/** Waits until the rights of the key are known, or cannot be. */
export function accessIsRead(): Promise<void> {
  return reading;
}

/** What stays the same while somebody is signed in. */
const readOnce = async (): Promise<void> => {
  const directory = background.librarians().catch((error: unknown) => void noteRefusal(error));
  access.value = await connect(UNSHOWN)
    .json<CallerAccess>('GET /v1/access', { rate: 'string' })
    .catch(() => undefined);
  librarians.value = (await directory)?.librarians ?? librarians.value;
};

/** Whether the key holds a right; undefined until that is known. `kb:*` covers `kb:read`. */
export function may(capability: string): boolean | undefined {
  return access.value?.capabilities.some(
    (held) =>
      held === '*' ||
      held === capability ||
      (held.endsWith(':*') && capability.startsWith(held.slice(0, -1))),
  );
}

const REFRESH_MS = 20_000;

/** Keeps the header true while somebody looks at it. */
export function watchDeployment(): void {
  const refresh = (): void => {
    if (document.visibilityState === 'visible') void refreshDeployment();
  };
  effect(() => {
    if (credential.value === undefined) return;
    void refreshDeployment();
    reading = readOnce();
  });
  setInterval(refresh, REFRESH_MS);
  addEventListener('online', refresh);
  addEventListener('offline', () => {
    isReachable.value = false;
  });
  document.addEventListener('visibilitychange', refresh);
}

/** The capability that the key lacks for what failed; undefined when that is not the reason. */
export function missingCapability(error: unknown): string | undefined {
  if (!(error instanceof ConstellationError)) return undefined;
  const missing = error.info?.details?.missing;
  return typeof missing === 'string' ? missing : undefined;
}

/**
 * Asks for another key when this one is no longer accepted. A refusal may be for one workspace or right alone, so a route that any key may
 * use decides.
 */
export async function noteRefusal(error: unknown): Promise<void> {
  if (
    !(error instanceof ConstellationError) ||
    error.status !== 401 ||
    missingCapability(error) !== undefined
  )
    return;
  isRefused.value = !(await isAccepted(credential.value ?? ''));
}

/** What another key than that of the reader may do. */
export function accessOf(key: string): Promise<CallerAccess> {
  return connect({ ...UNSHOWN, key, workspace: undefined }).json(
    'GET /v1/access',
    { rate: 'string' },
    { retries: 0 },
  );
}

/** @throws {ConstellationError} When that cannot be found out. */
export async function isAccepted(key: string): Promise<boolean> {
  try {
    await new Constellation({ ...UNSHOWN, key }).librarians({ retries: 0, timeoutMs: 15_000 });
    return true;
  } catch (error) {
    if (error instanceof ConstellationError && error.status === 401) return false;
    throw error;
  }
}

/** Shows another workspace: everything on the page is of the one before, so it begins again. */
export function chooseWorkspace(workspace: string): void {
  sessionStorage.setItem(STORED, workspace);
  location.assign('/');
}
