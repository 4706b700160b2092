import { isPublicName } from '../signing/librarian-host.ts';

/** A variable has an invalid value, so the function must not start. The message names it and never contains a secret. */
export class SettingRefused extends Error {
  override readonly name = 'SettingRefused';
}

/**
 * The address of a service that receives secrets: https and a public host; in development also localhost, over http or https. Without a
 * trailing slash.
 *
 * @throws {SettingRefused} When secrets must not be sent there.
 */
export const serviceAddress = (text: string, { name, isLocal }: { name: string; isLocal: boolean }): string => {
  const url = URL.canParse(text) && text.length <= MAX_LENGTH ? new URL(text) : undefined;
  const isOwnMachine = isLocal && url !== undefined && isOwn(url);
  if (url === undefined || (url.protocol !== 'https:' && !isOwnMachine))
    throw new SettingRefused(`Cannot use ${name}: it is not an https address`);
  if (!isPublicName(url.hostname) && !isOwnMachine)
    throw new SettingRefused(`Cannot use ${name}: it does not name a public host`);
  if (url.username !== '' || url.password !== '') throw new SettingRefused(`Cannot use ${name}: it holds credentials`);
  if (url.search !== '' || url.hash !== '')
    throw new SettingRefused(`Cannot use ${name}: it has a query or a fragment`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
};

/** Whether an address is a loopback address. */
export const isOwnAddress = (text: string): boolean => URL.canParse(text) && isOwn(new URL(text));

const isOwn = ({ protocol, hostname }: URL): boolean => /^https?:$/.test(protocol) && LOOPBACK.has(hostname);

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);
const MAX_LENGTH = 2048;
