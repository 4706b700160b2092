import { HostKbError } from '../../src/knowledge/library/fetch-host-listing.ts';
import {
  type LibraryVariables,
  readLibrarySettings,
} from '../../src/knowledge/library/library-settings.ts';
import { withDeadline } from '../../src/platform/http/deadline.ts';
import { SettingRefused } from '../../src/platform/settings/settings.ts';
import type { Finding } from './examine.ts';

const WHAT = 'freshness';
const TIMEOUT_MS = 10_000;
/** A retrieval for a ticket waits that long for a host. */
const FAST_MS = 50;
const DAY_MS = 86_400_000;

/** Whether hosts that are to be asked before each answer can tell, and fast, what they have changed. */
export async function examineHosts(variables: LibraryVariables): Promise<Finding[]> {
  try {
    const settings = readLibrarySettings(variables);
    if (!settings.isLive) return [];
    const workspaces = settings.workspaces();
    if (workspaces.length === 0)
      return [
        {
          what: WHAT,
          state: 'wrong',
          reported: 'KB_FRESHNESS is live, and neither KB_URL nor KB_SOURCES names a host',
        },
      ];
    return await Promise.all(workspaces.map((workspace) => examineHost(settings, workspace)));
  } catch (error) {
    return [{ what: WHAT, state: 'wrong', reported: messageOf(error) }];
  }
}

const examineHost = async (
  settings: ReturnType<typeof readLibrarySettings>,
  workspace: string,
): Promise<Finding> => {
  try {
    const { client, url } = settings.sourceOf(workspace);
    if (url.startsWith('https://sources.invalid/') || !/^https?:/.test(url))
      return {
        what: WHAT,
        state: 'worth knowing',
        reported: `${workspace}: the function sources is asked before each answer`,
      };
    const startedAt = performance.now();
    // Nothing has changed since tomorrow.
    const updatedSince = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
    const { received } = await withDeadline(() => client.readPage({ updatedSince }), {
      timeoutMs: TIMEOUT_MS,
    });
    const ms = Math.round(performance.now() - startedAt);
    if (received > 0)
      return {
        what: WHAT,
        state: 'worth knowing',
        reported: `${workspace}: the host ignores updated_since: before each answer it lists ${received} articles or more`,
      };
    const isFast = ms <= FAST_MS;
    const slow = isFast ? '' : `; retrieval for tickets waits ${FAST_MS} ms, answers up to 1,000`;
    return {
      what: WHAT,
      state: isFast ? 'well' : 'worth knowing',
      reported: `${workspace}: the host says in ${ms} ms what it has changed${slow}`,
    };
  } catch (error) {
    return { what: WHAT, state: 'wrong', reported: `${workspace}: ${messageOf(error)}` };
  }
};

const messageOf = (error: unknown): string =>
  error instanceof HostKbError || error instanceof SettingRefused
    ? error.message
    : `the host did not answer within ${TIMEOUT_MS / 1000} s`;
