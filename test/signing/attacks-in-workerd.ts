import { createKit } from './attack-kit.ts';
import { ATTACKS, CONTROLS, outcomeOf } from './attacks.ts';
import { DIRECTORY_ATTACKS } from './directory-attacks.ts';
import { realRuntime } from './real-runtime.ts';
import { expectation, honestReceipt, RECEIPT_ATTACKS } from './receipt-attacks.ts';

/** Runs the tables where the product runs. Answers with the cases that came out otherwise, or with how often one part ran. */
export default {
  fetch: async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    return Response.json(url.pathname === '/repeat' ? await repeat(url.searchParams) : await runTables());
  },
};

const runTables = async () => {
  const kit = await createKit(realRuntime);
  const wrong: unknown[] = [];
  const attacks = [...ATTACKS, ...RECEIPT_ATTACKS, ...DIRECTORY_ATTACKS];
  for (const { number, refused, run } of attacks) {
    const outcome = await outcomeOf(run(kit));
    if (outcome.join() !== refused.join()) wrong.push({ number, refused, outcome });
  }
  for (const { number, run, gives, expected } of CONTROLS) {
    const given = await run(kit).then(gives, (error) => String(error));
    if (JSON.stringify(given) !== JSON.stringify(expected)) wrong.push({ number, expected, given });
  }
  return { attacks: attacks.length, controls: CONTROLS.length, wrong };
};

/** One part, `times` times, for measuring from outside: the clock stands still in here. */
const repeat = async (parameters: URLSearchParams) => {
  const kit = await createKit(realRuntime);
  const times = Number(parameters.get('times') ?? 1000);
  const depth = Number(parameters.get('depth') ?? 1);
  const path = ['gateway', ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7'].slice(0, depth - 1), 'billing'];
  const token = await kit.travel(path);
  const cache = realRuntime.linkCache();
  const expected = await expectation(kit);
  const receipt = await honestReceipt(kit, expected.linkHash);
  const parts: Record<string, () => Promise<unknown>> = {
    nothing: async () => undefined,
    verify: () => kit.verify(token),
    cached: () => kit.verify(token, { cache }),
    mint: () => kit.travel(['gateway', 'billing']),
    sign: () => honestReceipt(kit, expected.linkHash),
    receipt: () => realRuntime.verifyReceipt(receipt, expected),
  };
  const part = parts[parameters.get('part') ?? 'nothing'];
  for (let round = 0; round < times; round += 1) await part?.();
  return { times };
};
