import { useSignal } from '@preact/signals';
import type { SignInOptions, SignInProvider } from '../../../contract/wire/access.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/states.tsx';
import { isKey, isRefused, SignInBroken, signIn, signInFailure } from '../session/credential.ts';
import { call, isAccepted } from '../session/deployment.ts';
import { useLoaded } from '../session/loaded.ts';
import { t } from '../texts/texts.ts';

/**
 * Asks for a key, and takes it once the deployment accepts it.
 *
 * @param keyText Asks for a key alone, in these words: in a frame, where identity providers refuse to be shown.
 */
export function SignIn({ keyText }: { keyText?: string }) {
  const problem = useSignal<string | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const key = String(
      new FormData(event.currentTarget as HTMLFormElement).get('key') ?? '',
    ).trim(); // the form below
    failure.value = undefined;
    problem.value = isKey(key) ? undefined : t('sign_in.malformed');
    if (problem.value !== undefined) return;
    isBusy.value = true;
    try {
      if (await isAccepted(key)) signIn(key);
      else problem.value = t('sign_in.unknown');
    } catch (error) {
      failure.value = error;
    }
    isBusy.value = false;
  };
  return (
    <form class="sign-in" onSubmit={submit}>
      <p>{isRefused.value ? t('sign_in.refused') : (keyText ?? t('sign_in.text'))}</p>
      {keyText === undefined ? <Providers /> : null}
      <label for="key">{t('sign_in.key')}</label>
      <input
        id="key"
        name="key"
        type="password"
        autocomplete="off"
        spellcheck={false}
        placeholder="ck_…"
        aria-invalid={problem.value !== undefined}
        aria-describedby="key-problem"
      />
      <p id="key-problem" class="problem" role="alert">
        {problem}
      </p>
      <Button kind="primary" type="submit" disabled={isBusy.value}>
        {t('sign_in.action')}
      </Button>
      {failure.value === undefined ? null : <Failure error={failure.value} />}
      <p class="quiet small">{t('sign_in.stored')}</p>
    </form>
  );
}

/** The identity providers of the deployment; nothing where it has none. */
const Providers = () => {
  const { value } = useLoaded<SignInOptions>(
    (signal) => call('GET /v1/sign-in', { providers: 'objects' }, { signal, retries: 0 }),
    [],
  );
  const failure = signInFailure.value;
  const go = async (provider: SignInProvider): Promise<void> => {
    const { goToProvider } = await import('./identity-provider.ts');
    await goToProvider(provider);
  };
  return (
    <>
      {failure === undefined ? null : failure instanceof SignInBroken ? (
        <p class="problem" role="alert">
          {t(failure.text)}
        </p>
      ) : (
        <Failure error={failure} />
      )}
      {value?.providers.map((provider) => (
        <Button key={provider.issuer} icon="shield" onClick={() => go(provider)}>
          {t('sign_in.provider', { name: new URL(provider.issuer).host })}
        </Button>
      ))}
    </>
  );
};
