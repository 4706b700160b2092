import { signal } from '@preact/signals';

const STORED = 'constellation.key';

/** The key of an API key's holder, or a token of an identity provider; undefined when signed out. It lasts as long as the tab. */
export const credential = signal<string | undefined>(undefined);

/** Whether the deployment no longer accepts the credential. */
export const isRefused = signal(false);

/** A sign-in at an identity provider that did not come back as it went: `lost` in this tab, or `declined` there. */
export class SignInBroken extends Error {
  override readonly name = 'SignInBroken';
  readonly text: 'sign_in.lost' | 'sign_in.declined';

  constructor(text: SignInBroken['text']) {
    super(text);
    this.text = text;
  }
}

/** Why a sign-in at an identity provider has failed. */
export const signInFailure = signal<unknown>(undefined);

/** Path that identity providers send the browser back to. */
export const SIGN_IN_PATH = '/sign-in';

/** The key of a link, which the reader has to accept: whoever made the link reads what is written with that key. */
export const offeredKey = signal<string | undefined>(undefined);

/**
 * Takes the key that the local runner hands over in the fragment, and removes it from the address at once. On a deployment, and where somebody
 * is signed in already, any page can make such a link: there it is only offered.
 */
export function takeCredential(): void {
  restoreCredential();
  const { hash, pathname, search, hostname } = location;
  const handedOver = new URLSearchParams(hash.slice(1)).get('key');
  if (handedOver === null) return;
  history.replaceState(history.state, '', pathname + search);
  if (!isKey(handedOver) || handedOver === credential.value) return;
  if (credential.value === undefined && isLoopback(hostname)) signIn(handedOver);
  else offeredKey.value = handedOver;
}

/** Whether the console is shown by a gateway on this machine. */
const isLoopback = (hostname: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** Replaces the key by the one of a link. Answers, drafts and the workspace of this tab are of the other key: everything begins again. */
export function acceptOfferedKey(): void {
  const { value: key } = offeredKey;
  if (key === undefined) return;
  sessionStorage.clear();
  sessionStorage.setItem(STORED, key);
  location.reload();
}

/** Takes the key that was entered in this tab before. */
export function restoreCredential(): void {
  credential.value = sessionStorage.getItem(STORED) ?? undefined;
}

export function signIn(key: string): void {
  sessionStorage.setItem(STORED, key);
  credential.value = key;
  signInFailure.value = undefined;
  isRefused.value = false;
}

export function signOut(): void {
  sessionStorage.clear();
  credential.value = undefined;
  isRefused.value = false;
}

/** Whether a text can be a key or a token at all: what does not fit into a header is none. */
export function isKey(text: string): boolean {
  return /^[\x21-\x7e]{16,8000}$/.test(text);
}
