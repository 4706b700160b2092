import { LibrarianDirectory } from '../../../contract/core/librarian.ts';
import type {
  A2aCaller,
  A2aFunction,
  A2aReply,
  A2aRequest,
  TaskErasureQuery,
} from '../../../contract/wire/a2a.ts';
import type { GatewayCall } from '../../../contract/wire/gateway-call.ts';
import { createMask } from '../../../language/privacy/mask.ts';
import { type maskSettings, readMaskKinds } from '../../../language/privacy/mask-settings.ts';
import { covers } from '../../../platform/context/capabilities.ts';
import { WorkspaceObject } from '../../../platform/rpc/workspace-object.ts';
import { readSettings, type Variables } from '../../../platform/settings/settings.ts';
import { held, type Routes, routesOf } from '../gateway-routes.ts';
import { extendedCard } from './agent-card.ts';
import type { Ask, Question } from './run.ts';
import { serveA2a } from './serve.ts';
import { taskSettings } from './task-settings.ts';
import { type TaskStore, taskStore } from './task-store.ts';
import { createTasks, type TaskCaller } from './tasks.ts';

type TasksEnv = Variables<typeof taskSettings & typeof maskSettings>;

/** The tasks of one workspace (A2A 1.0), and the work on them. */
export class TasksObject
  extends WorkspaceObject<TasksEnv, Store>
  implements Omit<A2aFunction, 'card'>
{
  static override readonly callable = ['answer', 'erase'];
  protected readonly librarian = 'a2a';

  async answer(request: A2aRequest, caller: A2aCaller, remote: GatewayCall): Promise<A2aReply> {
    const call = held(remote);
    const asked = new Set<Promise<unknown>>();
    const ask: Ask = (question, reporting) => {
      const answering = askThrough(routesOf(call, caller), { caller })(question, reporting);
      asked.add(answering);
      return answering.finally(() => asked.delete(answering));
    };
    const card = () => cardFor(routesOf(call, caller), caller);
    const { owner, workspace } = caller;
    const { tasks } = this.storeOf(workspace);
    const handlerFor = (gone: AbortSignal) => tasks.handlerFor({ owner, ask, card, gone });
    const response = await serveA2a(request, handlerFor, caller);
    const settled = Promise.allSettled(asked).then(() => call[Symbol.dispose]());
    const isAtWork = asked.size > 0;
    return { response, ...(isAtWork ? { finished: () => settled } : {}) };
  }

  async erase(
    workspace: string,
    { context_id: contextId, person_id: personId = '' }: TaskErasureQuery,
    owner: string,
  ): Promise<number> {
    const { tasks } = this.storeOf(workspace);
    return contextId === undefined
      ? tasks.erase('person', personId, owner)
      : tasks.erase('context', contextId, owner);
  }

  protected open(): Store {
    const store = taskStore(this.sql, { lifetimeMs: lifetimeOf(this.env) });
    const mask = createMask(readMaskKinds(this.env)).mask;
    const onStored = () => this.wakeAt(store.nextExpiry());
    return { store, tasks: createTasks({ store, mask, onStored }) };
  }

  /** Objects of earlier versions have not stored whose they are, and expire their tasks as well. */
  override async alarm(): Promise<void> {
    await super.alarm();
    if (this.ctx.storage.kv.get(this.ownerKey) !== undefined) return;
    const store = taskStore(this.sql, { lifetimeMs: lifetimeOf(this.env) });
    store.expire(Date.now());
    this.wakeAt(store.nextExpiry());
  }

  /** The end of the next task's lifetime. */
  protected override dueAt({ store }: Store): number | undefined {
    return store.nextExpiry();
  }

  protected override async work({ store }: Store): Promise<void> {
    store.expire(Date.now());
  }
}

interface Store {
  store: TaskStore;
  tasks: ReturnType<typeof createTasks>;
}

const HOUR_MS = 3_600_000;

/** @throws {SettingRefused} */
const lifetimeOf = (env: TasksEnv): number => readSettings(taskSettings, env).TASK_HOURS * HOUR_MS;

/** Work goes on for half a minute at most after its caller has gone. */
const TIMEOUT_MS = 25_000;

/** A message that names its context is a turn of that conversation, which is stored as memories where the key may do so. */
const askThrough =
  (routes: Routes, { caller }: { caller: A2aCaller }): Ask =>
  async ({ query, librarian, contextId, turns, metadata, namesContext }: Question, reporting) => {
    const isStored =
      namesContext &&
      ['memory:read', 'memory:write'].every((right) => covers(caller.capabilities, right));
    const history = turns.length === 0 ? {} : { history: turns };
    const body = {
      query,
      ...(librarian === undefined ? {} : { librarian }),
      ...(isStored ? { conversation_id: contextId } : {}),
      metadata: { ...metadata, ...history },
      timeout_ms: TIMEOUT_MS,
    };
    return routes.ask(body, reporting);
  };

/** The librarians that a caller holds the capabilities for. */
const cardFor = async (
  routes: Routes,
  { capabilities }: A2aCaller,
): ReturnType<TaskCaller['card']> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const [card, listed] = await Promise.all([
    routes.json('GET', '/.well-known/agent-card.json', { signal }),
    routes.json('GET', '/v1/librarians', { signal }),
  ]);
  const { librarians } = LibrarianDirectory.parse(listed);
  return extendedCard(
    card,
    librarians.filter(({ capabilities: needed = [] }) =>
      needed.every((right) => covers(capabilities, right)),
    ),
  );
};
