import { DurableObject } from 'cloudflare:workers';
import { LibrarianDirectory } from '../../../contract/core/librarian.ts';
import type { A2aCaller, A2aFunction, A2aReply, A2aRequest, TaskErasureQuery } from '../../../contract/wire/a2a.ts';
import type { GatewayCall } from '../../../contract/wire/http-routes.ts';
import { createMask } from '../../../language/privacy/mask.ts';
import { type maskSettings, readMaskKinds } from '../../../language/privacy/mask-settings.ts';
import { covers } from '../../../platform/context/capabilities.ts';
import { readSettings, type Variables } from '../../../platform/settings/settings.ts';
import { durableObjectSql } from '../../../platform/storage/sql.ts';
import { held, type Routes, routesOf } from '../gateway-routes.ts';
import { extendedCard } from './agent-card.ts';
import type { Ask, Question } from './run.ts';
import { serveA2a } from './serve.ts';
import { taskSettings } from './task-settings.ts';
import { taskStore } from './task-store.ts';
import { createTasks, type TaskCaller } from './tasks.ts';

type TasksEnv = Variables<typeof taskSettings & typeof maskSettings>;

/** The tasks of one workspace (A2A 1.0), and the work on them. */
export class TasksObject extends DurableObject<TasksEnv> implements Omit<A2aFunction, 'card'> {
  #isScheduled = false;
  readonly #store = taskStore(durableObjectSql(this.ctx.storage), { lifetimeMs: lifetimeOf(this.env) });
  readonly #tasks = createTasks({
    store: this.#store,
    mask: createMask(readMaskKinds(this.env)).mask,
    onStored: () => void this.#schedule(),
  });

  async answer(request: A2aRequest, caller: A2aCaller, remote: GatewayCall): Promise<A2aReply> {
    const call = held(remote);
    const asked = new Set<Promise<unknown>>();
    const ask: Ask = (question, reporting) => {
      const answering = askThrough(routesOf(call, caller), { caller })(question, reporting);
      asked.add(answering);
      return answering.finally(() => asked.delete(answering));
    };
    const card = () => cardFor(routesOf(call, caller), caller);
    const { owner } = caller;
    const handlerFor = (gone: AbortSignal) => this.#tasks.handlerFor({ owner, ask, card, gone });
    const response = await serveA2a(request, handlerFor, caller);
    const settled = Promise.allSettled(asked).then(() => call[Symbol.dispose]());
    const isAtWork = asked.size > 0;
    return { response, ...(isAtWork ? { finished: () => settled } : {}) };
  }

  async erase(
    _workspace: string,
    { context_id: contextId, person_id: personId = '' }: TaskErasureQuery,
    owner: string,
  ): Promise<number> {
    return contextId === undefined
      ? this.#tasks.erase('person', personId, owner)
      : this.#tasks.erase('context', contextId, owner);
  }

  override async alarm(): Promise<void> {
    this.#isScheduled = false;
    await this.#schedule();
  }

  /** Sets the alarm for the next task to expire. */
  async #schedule(): Promise<void> {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const next = this.#store.expire(Date.now());
    if (next === undefined) this.#isScheduled = false;
    else await this.ctx.storage.setAlarm(next);
  }
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
      namesContext && ['memory:read', 'memory:write'].every((right) => covers(caller.capabilities, right));
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
const cardFor = async (routes: Routes, { capabilities }: A2aCaller): ReturnType<TaskCaller['card']> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const [card, listed] = await Promise.all([
    routes.json('GET', '/.well-known/agent-card.json', { signal }),
    routes.json('GET', '/v1/librarians', { signal }),
  ]);
  const { librarians } = LibrarianDirectory.parse(listed);
  return extendedCard(
    card,
    librarians.filter(({ capabilities: needed = [] }) => needed.every((right) => covers(capabilities, right))),
  );
};
