import type { ObjectMethods } from '../../../src/platform/rpc/remote-store.ts';

/** The Durable Object of a store, with the methods of its class: parameters and results are cloned, as in a call of another function. */
export function objectOf<Store extends object, Name extends keyof Store = keyof Store>(
  store: Store,
): ObjectMethods<Store, Name> {
  return new Proxy(store, {
    get:
      (target, name) =>
      async (_owner: string, ...parameters: unknown[]) => {
        // The store's method of this name.
        const method = Reflect.get(target, name) as (...parameters: unknown[]) => unknown;
        return structuredClone(await method(...structuredClone(parameters)));
      },
  }) as unknown as ObjectMethods<Store, Name>;
}
