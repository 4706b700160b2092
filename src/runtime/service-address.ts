import { isPublicName } from './librarian-host.ts';

/** A variable that a function must not start with. The message names it, and never says a secret's value. */
export class SettingRefused extends Error {
  override readonly name = 'SettingRefused';
}

/**
 * The address of a service that secrets are sent to: https, and a public host. In development this machine's own will do,
 * and may be http. Without a slash at the end.
 *
 * @throws {SettingRefused} When keys must not be sent there.
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

/** Whether an address leads to this machine and nowhere else. */
export const isOwnAddress = (text: string): boolean => URL.canParse(text) && isOwn(new URL(text));

const isOwn = ({ protocol, hostname }: URL): boolean => /^https?:$/.test(protocol) && LOOPBACK.has(hostname);

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);
const MAX_LENGTH = 2048;
