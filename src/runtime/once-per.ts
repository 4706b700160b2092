/**
 * Remembers what `make` gives for an object as long as that object lives, so that what is derived from one thing is
 * derived once. `make` must be pure; who asks must not change what comes back.
 */
export const oncePer = <Of extends object, Value extends object>(make: (of: Of) => Value): ((of: Of) => Value) => {
  const made = new WeakMap<Of, Value>();
  return (of) => {
    const known = made.get(of);
    if (known !== undefined) return known;
    const value = make(of);
    made.set(of, value);
    return value;
  };
};
