import { Hono } from 'hono/tiny';
import { ASKER_FACTS, AskerFacts } from '../contract/ask.ts';
import { readAs } from '../contract/error-info.ts';
import type { AIClient } from '../contract/librarian.ts';
import { SupportRequest } from '../contract/support-response.ts';
import { timeToAnswer } from '../http/deadline.ts';
import { waitUntilOf } from '../runtime/concurrency.ts';
import {
  contextGuard,
  faultHandler,
  type GuardedEnv,
  type GuardOptions,
  refusal,
  requireCapability,
} from '../runtime/context-guard.ts';
import { jsonAnswer, readJson } from '../runtime/json-http.ts';
import { budgetedModel, settleModel, type TokenPrice } from '../runtime/model-budget.ts';
import { requestBudget } from '../signing/limits.ts';
import { type AnalysisParts, analyze } from './analyze.ts';

const SUPPORT = 'support';

export interface SupportAppOptions extends Omit<GuardOptions, 'access'>, AnalysisParts {
  ai?: AIClient | undefined;
  aiPrice?: TokenPrice | undefined;
  /** Mounts further routes of the function. */
  mount?: ((app: Hono<GuardedEnv>, guard: GuardOptions) => void) | undefined;
}

/** `POST /v1/support/analyze`, and the routes that `mount` adds. */
export const createApp = ({ ai, aiPrice, mount, ...options }: SupportAppOptions): Hono<GuardedEnv> => {
  const { now = Date.now } = options;
  const guard: GuardOptions = { ...options, access: 'signed', self: SUPPORT };
  const app = new Hono<GuardedEnv>();
  app.post('/v1/support/analyze', contextGuard(guard), requireCapability('support:analyze'), async (c) => {
    const request = readJson(c.get('body'), SupportRequest);
    if (!request.ok) {
      c.set('outcome', 'INVALID_QUERY');
      return refusal('INVALID_QUERY', { librarian: SUPPORT, message: request.problem });
    }
    const context = c.get('context');
    const { [ASKER_FACTS]: given, ...metadata } = request.value.metadata ?? {};
    // A helpdesk's metadata come from forms that customers fill in; only the gateway reads what is stored.
    const facts = readAs(AskerFacts, context.caller === 'gateway' ? given : undefined);
    const model = ai && budgetedModel(ai, { budget: requestBudget(context), price: aiPrice });
    const analysis = await analyze(
      { ...request.value, metadata },
      {
        facts: facts.ok ? facts.value : [],
        context,
        waitUntil: waitUntilOf(c),
        ai: model?.ai,
        signal: c.req.raw.signal,
        timeLeftMs: () => timeToAnswer(context.deadlineMs - now()),
        now: now(),
      },
      options,
    );
    settleModel(c, model);
    return jsonAnswer(analysis);
  });
  mount?.(app, guard);
  app.notFound(() => refusal('NOT_FOUND', { librarian: SUPPORT }));
  app.onError(faultHandler(guard));
  return app;
};
