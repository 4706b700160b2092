import type { LocalDesk } from './desk/local-desk.ts';

/** The variables of the webhooks function that connect a workspace with stand-ins: HELPDESKS, and the secrets that it names. */
export function deskVariables(
  desks: Readonly<Record<string, readonly LocalDesk[]>>,
  { write = 'note' }: { write?: 'note' | 'draft' | 'both' | undefined } = {},
): Record<string, string> {
  const secrets: Record<string, string> = {};
  const named = (name: string, secret: string): string => {
    secrets[name] = secret;
    return name;
  };
  const workspaces = Object.entries(desks).map(([workspace, tools]) => {
    const connections = tools.map(
      ({ id, connection: { apiUrl, secrets: shared, apiToken, options } }) => {
        const prefix = `${workspace}_${id}`.toUpperCase().replace(/[^A-Z0-9]/g, '_');
        const setting = {
          apiUrl,
          secrets: shared.map((secret, at) => named(`${prefix}_SECRET_${at}`, secret)),
          token: named(`${prefix}_TOKEN`, apiToken),
          options,
          write,
        };
        return [id, setting];
      },
    );
    return [workspace, Object.fromEntries(connections)];
  });
  return { HELPDESKS: JSON.stringify(Object.fromEntries(workspaces)), ...secrets };
}
