/** An own property of a value of unknown shape; `undefined` where there is none. */
export const ownProperty = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name] // an object; what it holds stays unknown
    : undefined;

/** The first of these properties that is a non-blank string. */
export const stringProperty = (value: unknown, ...names: string[]): string | undefined => {
  for (const name of names) {
    const property = ownProperty(value, name);
    if (typeof property === 'string' && /\S/.test(property)) return property;
  }
  return undefined;
};

/** A property that is a finite number. */
export const numberProperty = (value: unknown, name: string): number | undefined => {
  const property = ownProperty(value, name);
  return typeof property === 'number' && Number.isFinite(property) ? property : undefined;
};
