import type { SignedIn, SignInProvider } from '../../../contract/wire/access.ts';
import { navigate } from '../navigation/router.ts';
import { SIGN_IN_PATH, SignInBroken, signIn, signInFailure } from '../session/credential.ts';
import { call } from '../session/deployment.ts';

const STORED = 'constellation.sign-in';

/** What is remembered while the browser is at the provider. */
interface Pending {
  issuer: string;
  state: string;
  verifier: string;
  /** Path and query that the reader was at. */
  path: string;
}

/** Sends the browser to an identity provider: authorization code with PKCE (RFC 7636). */
export async function goToProvider(provider: SignInProvider): Promise<void> {
  const { issuer, authorization_endpoint: endpoint, client_id, scope, parameters } = provider;
  const [state, verifier] = [randomText(), randomText()];
  const path = location.pathname === SIGN_IN_PATH ? '/' : location.pathname + location.search;
  sessionStorage.setItem(
    STORED,
    JSON.stringify({ issuer, state, verifier, path } satisfies Pending),
  );
  const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const address = new URL(endpoint);
  for (const [name, value] of Object.entries({
    ...parameters,
    response_type: 'code',
    client_id,
    scope,
    state,
    redirect_uri: location.origin + SIGN_IN_PATH,
    code_challenge: base64url(new Uint8Array(challenge)),
    code_challenge_method: 'S256',
  }))
    address.searchParams.set(name, value);
  location.assign(address);
}

/** Redeems what the provider has sent the browser back with, and shows again what the reader looked at. */
export async function returnFromProvider(): Promise<void> {
  const reply = new URLSearchParams(location.search);
  const stored = sessionStorage.getItem(STORED);
  const pending = stored === null ? undefined : (JSON.parse(stored) as Pending); // written above
  sessionStorage.removeItem(STORED);
  navigate(pending?.path ?? '/', { replace: true });
  try {
    // Without the state of this tab, the code may be of somebody else's sign-in.
    if (pending === undefined || reply.get('state') !== pending.state)
      throw new SignInBroken('sign_in.lost');
    const code = reply.get('code');
    if (code === null) throw new SignInBroken('sign_in.declined');
    const body = { issuer: pending.issuer, code, code_verifier: pending.verifier };
    const { token } = await call<SignedIn>(
      'POST /v1/sign-in',
      { token: 'string' },
      { body, retries: 0 },
    );
    signIn(token);
  } catch (error) {
    signInFailure.value = error;
  }
}

const RANDOM_BYTES = 48;

const randomText = (): string => base64url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
