/** Caches the result of `make` for the lifetime of its argument. `make` must be pure, and callers must not change the result. */
export function oncePer<Of extends object, Value extends object>(
  make: (of: Of) => Value,
): (of: Of) => Value {
  const made = new WeakMap<Of, Value>();
  return (of) => {
    const known = made.get(of);
    if (known !== undefined) return known;
    const value = make(of);
    made.set(of, value);
    return value;
  };
}
