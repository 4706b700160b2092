/** Methods of a store as another function calls them: the same parameters, the result after a while. */
export type Remote<Store, Name extends keyof Store = keyof Store> = {
  [Key in Name]: Store[Key] extends (...parameters: infer Parameters) => infer Result
    ? (...parameters: Parameters) => Promise<Awaited<Result>>
    : never;
};

/** RPC methods of the Durable Object that holds a store: the owner of the object comes first, and is compared. */
export type ObjectMethods<Store, Name extends keyof Store = keyof Store, Owner = string> = {
  [Key in Name]: Store[Key] extends (...parameters: infer Parameters) => infer Result
    ? (owner: Owner, ...parameters: Parameters) => Promise<Awaited<Result>>
    : never;
};

/**
 * A binding to Durable Objects whose RPC methods the compiler knows. Cloudflare's `DurableObjectNamespace<T>` says the same, but has no
 * type for results with members of type `unknown`, such as the metadata of a memory.
 */
export interface ObjectNamespace<Methods> {
  getByName(name: string): Methods;
}

/**
 * The store in the object of an owner, called without naming the owner each time.
 *
 * @param names Methods of the object that are called.
 * @param options.stub Makes a stub, which belongs to one request, so each call has its own.
 * @param options.failure The error to throw for one of a call; the call's own when absent.
 */
export function remoteStore<Store, Name extends keyof Store & string>(
  names: readonly Name[],
  {
    workspace,
    stub,
    failure = (cause) => cause,
  }: {
    workspace: string;
    stub: (workspace: string) => ObjectMethods<Store, Name>;
    failure?: (cause: unknown) => unknown;
  },
): Remote<Store, Name> {
  const call =
    (name: Name) =>
    async (...parameters: unknown[]): Promise<unknown> => {
      try {
        const methods = stub(workspace) as Record<
          string,
          (...parameters: unknown[]) => Promise<unknown>
        >;
        return await methods[name]?.(workspace, ...parameters);
      } catch (cause) {
        throw failure(cause);
      }
    };
  // Each method calls the one of its name: the compiler does not see that names and types go together.
  return Object.fromEntries(names.map((name) => [name, call(name)])) as Remote<Store, Name>;
}
