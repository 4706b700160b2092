/**
 * Builds something once for each environment object, which on Cloudflare lives as long as its isolate. What fails is
 * built anew at the next request.
 */
export const perEnvironment = <Env extends object, Built>(
  build: (env: Env) => Promise<Built>,
): ((env: Env) => Promise<Built>) => {
  const built = new WeakMap<Env, Promise<Built>>();
  return (env) => {
    const known = built.get(env);
    if (known !== undefined) return known;
    const building = build(env);
    built.set(env, building);
    building.catch(() => built.delete(env));
    return building;
  };
};
