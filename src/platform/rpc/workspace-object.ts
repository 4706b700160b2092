import { DurableObject } from 'cloudflare:workers';
import { backOffMs } from '../jobs/back-off.ts';
import { describeCause, logLine } from '../log.ts';
import { durableObjectSql } from '../storage/sql.ts';
import type { ObjectMethods } from './remote-store.ts';

/** Wait after an alarm that failed, such as one that met an invalid variable. */
const ALARM_RETRY_MS = 60_000;
/** After an alarm whose process ended the next one rings so soon, and after the tenth in a row later and later. */
const CRASH_RETRY = { retryMs: 500, random: Math.random };
const QUICK_RETRIES = 10;
/** Storage key of the number of alarms in a row whose process ended. */
const UNFINISHED = 'unfinished_alarms';

/**
 * A Durable Object with a store in its SQLite database, and the alarm for the work that waits in it. It serves the owner of its first
 * call and no other: a workspace, or a ticket. The name of the owner is stored, since alarms do not have it.
 */
export abstract class WorkspaceObject<Env, Store, Owner = string> extends DurableObject<Env> {
  /** Names of its RPC methods; the others of the class cannot be called from outside. */
  static readonly callable: readonly string[] = [];
  protected readonly sql = durableObjectSql(this.ctx.storage);
  /** Storage key of the owner. */
  protected readonly ownerKey: string = 'workspace';
  /** The function that the object belongs to, for the log. */
  protected abstract readonly librarian: string;
  #open: { name: string; store: Store } | undefined;
  #alarmAt: number | undefined;
  /** No alarm before this time, after one that failed. */
  #notBefore = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    hideMethods(this, new.target.callable);
  }

  /** Creates or migrates the tables. After an error the next call tries again. */
  protected abstract open(owner: Owner): Store;

  /** When `work` has something to do next, in milliseconds since 1970. Read after each call. */
  protected dueAt(_store: Store): number | undefined {
    return undefined;
  }

  /** Does what is due. */
  protected async work(_store: Store): Promise<void> {}

  /** Unique among the owners of a class. */
  protected nameOf(owner: Owner): string {
    return String(owner);
  }

  /** @throws For another owner. */
  protected storeOf(owner: Owner): Store {
    if (this.#open === undefined) {
      const memo = this.ctx.storage.kv;
      const stored = memo.get<Owner>(this.ownerKey);
      if (stored === undefined) memo.put(this.ownerKey, owner);
      this.#open = { name: this.nameOf(stored ?? owner), store: this.open(stored ?? owner) };
    }
    if (this.#open.name !== this.nameOf(owner))
      throw new Error('Cannot serve the call: the object belongs to another owner');
    return this.#open.store;
  }

  /**
   * Has the alarm ring when work is due; called after each change of the store. Only the alarm itself (`isWorkDone`) puts an earlier
   * time off: calls that come all the time would otherwise put it off for ever.
   */
  protected schedule(store: Store, { isWorkDone = false } = {}): void {
    const due = this.dueAt(store);
    const time = due === undefined ? undefined : Math.max(due, this.#notBefore);
    const isEarlier = time !== undefined && time < (this.#alarmAt ?? Number.POSITIVE_INFINITY);
    if (isWorkDone || isEarlier) this.wakeAt(time);
  }

  /** Replaces an earlier time. Storage keeps the order of writes, so there is no need to wait. */
  protected wakeAt(time: number | undefined): void {
    if (time === this.#alarmAt) return;
    this.#alarmAt = time;
    void (time === undefined ? this.ctx.storage.deleteAlarm() : this.ctx.storage.setAlarm(time));
  }

  /**
   * The runtime drops an alarm that has failed six times, and the work with it. It is therefore set again after a failure, and before
   * the work, in case that the process ends.
   */
  override async alarm(): Promise<void> {
    try {
      const owner = this.ctx.storage.kv.get<Owner>(this.ownerKey);
      if (owner === undefined) return;
      const store = this.storeOf(owner);
      this.#insure();
      await this.work(store);
      this.#notBefore = 0;
      this.schedule(store, { isWorkDone: true });
    } catch (error) {
      const { librarian } = this;
      const cause = describeCause(error);
      logLine({
        event: 'fault',
        time: Date.now(),
        librarian,
        where: 'alarm',
        code: 'INTERNAL_ERROR',
        cause,
      });
      this.#notBefore = Date.now() + ALARM_RETRY_MS;
      this.wakeAt(this.#notBefore);
    } finally {
      this.ctx.storage.kv.delete(UNFINISHED);
    }
  }

  /** Sets the alarm in case that the process ends during the work. */
  #insure(): void {
    const memo = this.ctx.storage.kv;
    const count = (memo.get<number>(UNFINISHED) ?? 0) + 1;
    memo.put(UNFINISHED, count);
    this.wakeAt(Date.now() + backOffMs(count - QUICK_RETRIES, CRASH_RETRY));
  }

  /** Gives the class RPC methods that call those of the store with the same names. */
  static expose<Env, Store, Owner>(
    base: { readonly prototype: WorkspaceObject<Env, Store, Owner> },
    names: readonly (keyof Store & string)[],
  ): void {
    for (const name of names) {
      const value = async function (
        this: WorkspaceObject<Env, Store, Owner>,
        owner: Owner,
        ...parameters: unknown[]
      ) {
        const store = this.storeOf(owner);
        const methods = store as Record<string, (...parameters: unknown[]) => unknown>;
        try {
          return await methods[name]?.(...parameters);
        } finally {
          this.schedule(store);
        }
      };
      Object.defineProperty(base.prototype, name, { value });
    }
  }
}

/** Called by the runtime alone, which refuses these names over RPC. */
const HANDLERS = ['constructor', 'alarm', 'fetch'];

/**
 * Makes the methods of an object its own members, but those that are named: the runtime lets other functions call whatever is on the
 * prototypes, also what the compiler calls protected, and nothing that is a member of the instance.
 */
const hideMethods = (object: object, callable: readonly string[]): void => {
  const shown = new Set([...callable, ...HANDLERS]);
  let level: unknown = Object.getPrototypeOf(object);
  while (level instanceof DurableObject) {
    // The most derived class comes first.
    for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(level)))
      if (!shown.has(name) && !Object.hasOwn(object, name))
        Object.defineProperty(object, name, member);
    level = Object.getPrototypeOf(level);
  }
};

/**
 * The base class of an object whose RPC methods are methods of its store, called as `env.NOTES.getByName('default').add('default', note)`.
 * Nothing else of the store can be called from outside.
 */
export function storeObject<Env, Store, Name extends keyof Store & string, Owner = string>(
  names: readonly Name[],
) {
  abstract class StoreObject extends WorkspaceObject<Env, Store, Owner> {
    static override readonly callable = names;
  }
  WorkspaceObject.expose<Env, Store, Owner>(StoreObject, names);
  // The methods were added by name, which the compiler does not see.
  return StoreObject as unknown as abstract new (
    ctx: DurableObjectState,
    env: Env,
  ) => WorkspaceObject<Env, Store, Owner> & ObjectMethods<Store, Name, Owner>;
}
