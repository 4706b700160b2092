/** A function and the functions that it calls over service bindings. */
export interface Deployed {
  name: string;
  calls: readonly string[];
}

/**
 * The functions in an order in which each comes after those that it calls: a binding to one that does not exist yet is refused. Otherwise
 * the order is kept.
 *
 * @throws {Error} When functions call one another in a circle, which can never be deployed for the first time.
 */
export function deployOrder<T extends Deployed>(functions: readonly T[]): T[] {
  const ordered: T[] = [];
  const waiting = [...functions];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    const next = waiting.findIndex(({ calls }) => !calls.some((called) => names.has(called)));
    const [ready] = next < 0 ? [] : waiting.splice(next, 1);
    if (ready === undefined)
      throw new Error(`Cannot deploy: ${[...names].join(', ')} call one another in a circle`);
    ordered.push(ready);
  }
  return ordered;
}
