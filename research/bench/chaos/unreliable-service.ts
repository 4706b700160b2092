import type { ExecutionContext } from 'hono';

interface Env {
  /** The proxied service. */
  TARGET: { fetch(request: Request): Promise<Response> };
  /** Returns the fault of each request: see `startFaultPlan`. */
  PLAN_URL: string;
}

/** A proxy that makes some calls of a service fail, as controlled by another process. */
export default {
  fetch: async (
    request: Request,
    { TARGET, PLAN_URL }: Env,
    _ctx: ExecutionContext,
  ): Promise<Response> => {
    const plan = (await (await fetch(PLAN_URL)).json()) as { kind: string };
    if (plan.kind === 'hang') await new Promise(() => setTimeout(() => {}, 60_000));
    if (plan.kind === 'status') return new Response('upstream connect error', { status: 502 });
    if (plan.kind === 'reset') throw new Error('connection lost');
    const answer = await TARGET.fetch(request);
    if (plan.kind !== 'lost') return answer;
    await answer.body?.cancel();
    throw new Error('connection lost after the work was done');
  },
};
