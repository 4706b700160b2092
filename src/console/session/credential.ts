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

/** Takes the key that the local runner hands over in the fragment, and removes it from the address at once. */
export const takeCredential = (): void => {
  const { hash, pathname, search } = location;
  const handedOver = new URLSearchParams(hash.slice(1)).get('key');
  if (handedOver !== null) {
    history.replaceState(history.state, '', pathname + search);
    if (isKey(handedOver)) sessionStorage.setItem(STORED, handedOver);
  }
  restoreCredential();
};

/** Takes the key that was entered in this tab before. */
export const restoreCredential = (): void => {
  credential.value = sessionStorage.getItem(STORED) ?? undefined;
};

export const signIn = (key: string): void => {
  sessionStorage.setItem(STORED, key);
  credential.value = key;
  signInFailure.value = undefined;
  isRefused.value = false;
};

export const signOut = (): void => {
  sessionStorage.clear();
  credential.value = undefined;
  isRefused.value = false;
};

/** Whether a text can be a key or a token at all: what does not fit into a header is none. */
export const isKey = (text: string): boolean => /^[\x21-\x7e]{16,8000}$/.test(text);
