import { kvApiKeys } from '../../src/gateway/api-keys.ts';
import { createApp } from '../../src/gateway/app.ts';
import type { RateLimit } from '../../src/gateway/limits.ts';
import { type IdentityVariables, identityFrom } from '../../src/runtime/identity.ts';
import { serveApp } from '../../src/runtime/serve-app.ts';
import { signedClient, type Target } from '../../src/runtime/signed-client.ts';

interface Env extends IdentityVariables {
  API_KEYS: KVNamespace;
  LIBRARY: Fetcher;
  NAVIGATOR: Fetcher;
  RATE_STANDARD: RateLimit;
  RATE_HIGH: RateLimit;
  RATE_STRANGER: RateLimit;
  CORS_ORIGINS?: string;
}

const fetch = serveApp('gateway', async (env: Env) => {
  const functions: Record<string, Target> = { library: targetOf(env.LIBRARY), navigator: targetOf(env.NAVIGATOR) };
  const identity = await identityFrom(env, 'gateway');
  return createApp({
    keys: kvApiKeys(env.API_KEYS),
    limits: { standard: env.RATE_STANDARD, high: env.RATE_HIGH, stranger: env.RATE_STRANGER },
    client: signedClient({ ...identity, targets: functions }),
    functions,
    librarians: ['navigator'],
    corsOrigins: (env.CORS_ORIGINS ?? '')
      .split(',')
      .map((origin) => origin.trim())
      .filter((origin) => origin !== ''),
    health: { status: 'ok', adapters: { knowledge: 'embedded', embeddings: 'none', model: 'none' } },
  });
});

const targetOf = (binding: Fetcher): Target => ({ fetch: (request) => binding.fetch(request) });

export default {
  fetch,
} satisfies ExportedHandler<Env>;
