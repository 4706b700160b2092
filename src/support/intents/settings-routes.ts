import type { Hono } from 'hono';
import { DeskSettings } from '../../contract/wire/desk-settings.ts';
import {
  contextGuard,
  type GuardedEnv,
  type GuardOptions,
  refusal,
  requireCapability,
} from '../../platform/context/context-guard.ts';
import { memoryReplayStore } from '../../platform/context/verify-context.ts';
import { jsonAnswer, readJson } from '../../platform/http/json-http.ts';
import { readSettings, type TaxonomyStore } from './current-taxonomy.ts';

interface SettingsRouteParts {
  /** The guard of the function that mounts the routes. */
  guard: GuardOptions;
  store: TaxonomyStore;
  /** Drops what this isolate has cached of a workspace. */
  forget: (workspace: string) => void;
}

const PATH = '/v1/support/settings';

/** `GET` and `PUT /v1/support/settings` of the workspace that the verified context names. Other isolates see a change within two minutes. */
export function settingsRoutes(
  app: Hono<GuardedEnv>,
  { guard, store, forget }: SettingsRouteParts,
): void {
  app.get(PATH, contextGuard(guard), requireCapability('support:analyze'), async (c) =>
    jsonAnswer(await readSettings(store, c.get('context').workspace)),
  );
  app.put(
    PATH,
    // A replayed call would restore older settings.
    contextGuard({ ...guard, replay: memoryReplayStore() }),
    requireCapability('support:taxonomy:write'),
    async (c) => {
      const { workspace, self } = c.get('context');
      const request = readJson(c.get('body'), DeskSettings);
      if (!request.ok) {
        c.set('outcome', 'INVALID_QUERY');
        return refusal('INVALID_QUERY', {
          librarian: self,
          message: request.problem,
          suggestion: request.suggestion,
        });
      }
      await store.writeSettings(workspace, JSON.stringify(request.value));
      forget(workspace);
      return jsonAnswer(request.value);
    },
  );
}
