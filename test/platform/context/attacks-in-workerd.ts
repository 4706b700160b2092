import { createKit } from './attack-kit.ts';
import { ATTACKS, CONTROLS, outcomeOf } from './attacks.ts';
import { DIRECTORY_ATTACKS } from './directory-attacks.ts';
import { realRuntime } from './real-runtime.ts';
import { RECEIPT_ATTACKS } from './receipt-attacks.ts';

/** Runs the tables in the runtime of the product, and returns the cases with another outcome. */
const runTables = async (): Promise<Response> => {
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
  return Response.json({ attacks: attacks.length, controls: CONTROLS.length, wrong });
};

export default { fetch: runTables };
