/** Entries of an isolate, of which the least recently used goes first. What stays for the life of an object is `oncePer`. */
export interface LruCache<Key, Value> {
  get(key: Key): Value | undefined;
  /** The value of a key, made where there is none. */
  getOr(key: Key, make: () => Value): Value;
  /** Its time starts now, also where the key was there before. */
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  clear(): void;
  /** Least recently used first, with those that have expired and were not read since. */
  values(): Iterable<Value>;
  /** With those that have expired and were not read since. */
  readonly size: number;
}

/**
 * @param options.max Most entries.
 * @param options.ttlMs Time after which an entry is none, in milliseconds; without end when absent.
 * @example
 * const names = lruCache<string, string>({ max: 1000, ttlMs: 60_000 });
 * names.set('kb-001', 'Setting up');
 */
export function lruCache<Key, Value extends NonNullable<unknown>>({
  max,
  ttlMs = Number.POSITIVE_INFINITY,
  now = Date.now,
}: {
  max: number;
  ttlMs?: number;
  now?: () => number;
}): LruCache<Key, Value> {
  // A Map iterates in the order of insertion.
  const entries = new Map<Key, { value: Value; expiresAt: number }>();
  const hasEnd = ttlMs !== Number.POSITIVE_INFINITY;
  const get = (key: Key): Value | undefined => {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    if (hasEnd && entry.expiresAt <= now()) return undefined;
    entries.set(key, entry);
    return entry.value;
  };
  const set = (key: Key, value: Value): void => {
    entries.delete(key);
    entries.set(key, { value, expiresAt: hasEnd ? now() + ttlMs : ttlMs });
    const [oldest] = entries.size > max ? entries.keys() : [];
    if (oldest !== undefined) entries.delete(oldest);
  };
  return {
    get,
    getOr: (key, make) => {
      const cached = get(key);
      if (cached !== undefined) return cached;
      const value = make();
      set(key, value);
      return value;
    },
    set,
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
    values: () => entries.values().map(({ value }) => value),
    get size() {
      return entries.size;
    },
  };
}

/**
 * A pure function whose results are cached until there are `max`, and then all forgotten: for tables of words, where the order of use
 * costs more than it gains.
 *
 * @param options.isCached Whether the result for an argument is worth a place; every one by default.
 */
export function memo<Argument, Value extends NonNullable<unknown>>(
  make: (argument: Argument) => Value,
  { max, isCached = () => true }: { max: number; isCached?: (argument: Argument) => boolean },
): (argument: Argument) => Value {
  const values = new Map<Argument, Value>();
  return (argument) => {
    const cached = values.get(argument);
    if (cached !== undefined) return cached;
    const value = make(argument);
    if (!isCached(argument)) return value;
    if (values.size >= max) values.clear();
    values.set(argument, value);
    return value;
  };
}

/**
 * Options of a `memo` by text, for texts that several callers analyse: at most 200 texts of up to
 * 300 UTF-16 units. The texts take at most 120 kB; their results come on top, and may be larger.
 */
export const SHORT_TEXTS = { max: 200, isCached: ({ length }: string): boolean => length <= 300 };
