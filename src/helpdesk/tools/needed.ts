import { type HelpdeskConnection, HelpdeskFailed } from '../helpdesk-tool.ts';

/** What a connection has to tell. Throws `HelpdeskFailed` when it does not. */
export const neededOption = ({ options }: HelpdeskConnection, name: string, tool: string): string => {
  const value = options[name];
  if (value !== undefined && value !== '') return value;
  throw new HelpdeskFailed(`Cannot call ${tool}: its connection has no option ${name}`);
};

/** The secret for the API; the same. */
export const neededToken = ({ apiToken }: HelpdeskConnection, tool: string): string => {
  if (apiToken !== undefined && apiToken !== '') return apiToken;
  throw new HelpdeskFailed(`Cannot call ${tool}: its connection has no API token`);
};
