import type { ExecutionContext } from 'hono';
import * as z from 'zod';
import { readAs } from '../../../src/contract/core/error-info.ts';
import type { Librarian } from '../../../src/contract/core/librarian.ts';
import { LibrarianId } from '../../../src/contract/core/names.ts';
import { delegateTo } from '../../../src/librarians/delegation/delegates.ts';
import {
  httpsTargets,
  serviceTargets,
} from '../../../src/librarians/delegation/librarian-directory.ts';
import { serveLibrarian } from '../../../src/librarians/serve/serve-librarian.ts';
import { type IdentityVariables, identityFrom } from '../../../src/platform/context/identity.ts';
import { serveApp } from '../../../src/platform/serve/serve-app.ts';

/** Instructions for relays in the metadata of a question; each part reaches the relay that it concerns. */
export interface Plan {
  /** Relays that the question goes through first, one after the other; the last one does what follows. */
  via?: string[] | undefined;
  /** Before anything else. */
  waitMs?: number | undefined;
  /** One is handed on to alone, several in parallel. */
  delegates?: { to: string; plan?: Plan | undefined; fallback?: string | undefined }[] | undefined;
  /** What to answer instead. */
  answer?: string | undefined;
}

interface Env extends IdentityVariables {
  RELAY_ID: string;
}

const Plan: z.ZodType<Plan> = z.object({
  via: z.array(LibrarianId).max(16).optional(),
  waitMs: z.number().optional(),
  delegates: z
    .array(
      z.object({
        to: LibrarianId,
        get plan() {
          return Plan.optional();
        },
        fallback: LibrarianId.optional(),
      }),
    )
    .optional(),
  answer: z.string().optional(),
});

/** Answers, waits or delegates as the question's metadata says; used by benchmarks and tests of delegation. */
const relay =
  (id: string): Librarian =>
  async (_query, context) => {
    const read = readAs(Plan, context?.metadata?.plan ?? {});
    const { via: [next, ...via] = [], ...plan } = read.ok ? read.value : {};
    if (next !== undefined) return { delegate: { to: next, context: { plan: { ...plan, via } } } };
    if (plan.waitMs !== undefined) await new Promise((resolve) => setTimeout(resolve, plan.waitMs));
    if (plan.delegates === undefined)
      return { answer: plan.answer ?? `${id} has answered.`, confidence: 0.9 };
    const requests = plan.delegates.map(({ to, plan: next = {}, fallback }) => ({
      to,
      context: { plan: next },
      ...(fallback === undefined ? {} : { fallback }),
    }));
    const [first] = requests;
    return { delegate: requests.length === 1 && first !== undefined ? first : requests };
  };

/** One code, many relays, each in an isolate of its own. */
let handler: ReturnType<typeof serveRelay> | undefined;

const serveRelay = (id: string) =>
  serveApp(id, async (env: Env) => {
    const identity = await identityFrom(env, id);
    const targets = delegateTo({ ...httpsTargets(identity.directory), ...serviceTargets(env) });
    const app = serveLibrarian(relay(id), { id, name: id }, { ...identity, targets });
    // The same answer without signatures, for comparison.
    app.post('/unsigned', async (c) =>
      c.json(await relay(id)('', { metadata: await c.req.json() })),
    );
    return app;
  });

export default {
  fetch: (request: Request, env: Env, ctx: ExecutionContext): Promise<Response> => {
    handler ??= serveRelay(env.RELAY_ID);
    return handler(request, env, ctx);
  },
};
