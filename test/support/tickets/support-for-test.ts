import { type ExecutionContext, Hono } from 'hono';
import { SupportRequest } from '../../../src/contract/wire/support-response.ts';
import {
  contextGuard,
  type GuardedEnv,
  refusal,
  requireCapability,
} from '../../../src/platform/context/context-guard.ts';
import { type IdentityVariables, identityFrom } from '../../../src/platform/context/identity.ts';
import { jsonAnswer, readJson } from '../../../src/platform/http/json-http.ts';
import { serveApp } from '../../../src/platform/serve/serve-app.ts';

/** Stands for `support`: its draft repeats the message and what came with it, so that a test sees what was asked. */
const fetch = serveApp('support', async (env: IdentityVariables) => {
  const identity = await identityFrom(env, 'support');
  const app = new Hono<GuardedEnv>();
  const guard = contextGuard({ ...identity, self: 'support', access: 'signed' });
  app.post('/v1/support/analyze', guard, requireCapability('support:analyze'), (c) => {
    const request = readJson(c.get('body'), SupportRequest);
    if (!request.ok)
      return refusal('INVALID_QUERY', { librarian: 'support', message: request.problem });
    const { workspace, subject } = c.get('context');
    const text = `In ${workspace} for ${subject}: ${JSON.stringify(request.value)}`;
    return jsonAnswer({
      intent_classification: { primary_intent: 'not_hashing', confidence: 0.92 },
      draft: { text, auto_send: false },
      knowledge_retrieval: {
        sources_consulted: [],
        coverage: 'none',
        gaps: ['No article'],
        retrieval_time_ms: 1,
      },
      agent_guidance: {
        recommended_steps: [],
        missing_information: [],
        risks: [],
        escalation: { needed: false, reasons: [] },
        auto_send: { allowed: false, reasons: ['The intent does not allow it.'] },
      },
    });
  });
  return app;
});

export default {
  fetch: (request: Request, env: IdentityVariables, ctx: ExecutionContext): Promise<Response> =>
    fetch(request, env, ctx),
};
