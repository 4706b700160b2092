type Json = Readonly<Record<string, unknown>>;

/** Applies a merge patch (RFC 7396, section 2) to an object: null removes a key, objects are merged, the rest replaces. */
export const mergePatch = (target: Json, patch: Json): Json => {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    const before = merged.get(key);
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? mergePatch(isObject(before) ? before : {}, value) : value);
  }
  return Object.fromEntries(merged);
};

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
