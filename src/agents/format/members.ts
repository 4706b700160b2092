/** An own member of an object of unknown shape; `undefined` where there is none. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? // An own member of an object; what it holds stays unknown.
      (value as Record<string, unknown>)[name]
    : undefined;

/** The first of some members that is a text with something in it. */
export const textMemberOf = (value: unknown, ...names: string[]): string | undefined => {
  for (const name of names) {
    const member = memberOf(value, name);
    if (typeof member === 'string' && /\S/.test(member)) return member;
  }
  return undefined;
};

/** A member that is a finite number. */
export const numberMemberOf = (value: unknown, name: string): number | undefined => {
  const member = memberOf(value, name);
  return typeof member === 'number' && Number.isFinite(member) ? member : undefined;
};
