/** `npx constellation chaos`: many tickets while services fail and functions restart. */

import { failUsage, readCommandLine } from '../../../tools/command-line.ts';
import type { ChaosResult } from './run-chaos.ts';

const HELP = `Delivers many tickets, each one to five times, while services fail and all functions are restarted, and checks that
every ticket gets exactly one note, with nothing of another ticket in it.

  npx constellation chaos [options]

  --seeds <number>     how many runs, each with a random seed of its own (default 20)
  --first <number>     the first seed (default 1)
  --tickets <number>   tickets in each run (default 500)
  --restarts <number>  restarts in each run (default 4)
  --help               this text
`;

const { values } = readCommandLine(HELP, {
  options: {
    seeds: { type: 'string', default: '20' },
    first: { type: 'string', default: '1' },
    tickets: { type: 'string', default: '500' },
    restarts: { type: 'string', default: '4' },
  },
});
const [seeds, first, tickets, restarts] = [
  values.seeds,
  values.first,
  values.tickets,
  values.restarts,
].map(Number);
if (
  ![seeds, first, tickets, restarts].every(
    (number) => Number.isInteger(number) && (number ?? -1) >= 0,
  )
)
  failUsage('--seeds, --first, --tickets and --restarts are whole numbers');

const { runChaos } = await import('./run-chaos.ts');
const results: Record<string, object> = {};
let broken = 0;
for (let seed = first ?? 1; seed < (first ?? 1) + (seeds ?? 0); seed += 1) {
  const withModels = seed % 2 === 0;
  const result = await runChaos({
    seed,
    tickets: tickets ?? 0,
    restarts: restarts ?? 0,
    withModels,
    retryMs: 150,
    settleMs: 8000,
    timeoutMs: 1_200_000,
  });
  results[`seed ${seed}`] = row(result, { withModels });
  console.log(`seed ${seed}: ${JSON.stringify(results[`seed ${seed}`])}`);
  for (const problem of result.problems.slice(0, 20)) console.error(`  ${problem}`);
  if (result.problems.length > 0) broken += 1;
}
console.table(results);
console.log(
  broken === 0 ? 'Each ticket has one note, of its own.' : `${broken} seeds do not hold.`,
);
process.exit(broken === 0 ? 0 : 1);

function row(result: ChaosResult, { withModels }: { withModels: boolean }) {
  const {
    tickets,
    deliveries,
    refusedDeliveries,
    restarts,
    crashes,
    faults,
    notes,
    own,
    problems,
    seconds,
  } = result;
  return {
    tickets,
    deliveries,
    'sent again': refusedDeliveries,
    restarts,
    crashes,
    'calls failed': Object.values(faults).reduce((sum, count) => sum + count, 0),
    'written unseen': unseen(faults),
    models: withModels,
    notes,
    'with own name': own,
    problems: problems.length,
    seconds: Math.round(seconds),
  };
}

/** Writes that took effect, at once or later, without a reply to the caller. */
function unseen(faults: ChaosResult['faults']): number {
  const names = [
    'reset, carried out',
    'reset, carried out late',
    'hanging, carried out',
    'reply cut',
    'hanging in the body',
  ];
  return names.reduce((sum, name) => sum + (faults[`write: ${name}`] ?? 0), 0);
}
