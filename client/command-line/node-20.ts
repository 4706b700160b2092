/** What Node 20 lacks and the code that the command line shares with the product uses (ECMAScript 2024). */
Promise.withResolvers ??= <T>() => {
  const parts = {} as PromiseWithResolvers<T>; // filled before it is returned: the function of a promise runs at once
  parts.promise = new Promise<T>((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};

Map.groupBy ??= <K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]> => {
  const groups = new Map<K, T[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
};
