/**
 * The secrets that a function's settings name: `tokenSecret` of a host or a source (`{"acme": {"tokenSecret": "ACME_KB_TOKEN"}}`),
 * `secrets` and `token` of a connection to a helpdesk.
 */
export function secretsNamedFor(
  functionId: string,
  variables: Readonly<Record<string, string | undefined>>,
): string[] {
  if (functionId === 'library')
    return membersOf(variables.KB_SOURCES).flatMap(({ tokenSecret }) => textsIn(tokenSecret));
  if (functionId === 'sources')
    return membersOf(variables.ARTICLE_SOURCES).flatMap(({ tokenSecret }) => textsIn(tokenSecret));
  if (functionId !== 'webhooks') return [];
  const connections = membersOf(variables.HELPDESKS).flatMap((tools) =>
    membersOf(JSON.stringify(tools)),
  );
  return connections.flatMap(({ secrets, token }) => [...textsIn(secrets), ...textsIn(token)]);
}

/** The members of an object as JSON that are objects. The function says at its start what is wrong with it. */
const membersOf = (json = '{}'): Record<string, unknown>[] => {
  try {
    const value: unknown = JSON.parse(json || '{}');
    return Object.values(Object(value)).filter(
      (member): member is Record<string, unknown> => typeof member === 'object' && member !== null,
    );
  } catch {
    return [];
  }
};

const textsIn = (value: unknown): string[] =>
  [value].flat().filter((text) => typeof text === 'string');
