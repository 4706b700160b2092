import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TicketsResponse } from '../../../src/contract/wire/tickets.ts';
import { ROOT } from '../../../tools/functions.ts';
import { seededRandom } from '../../../tools/sample/shop/seeded-random.ts';
import { startHelpdesks } from '../../../tools/stand-ins/helpdesks/start-helpdesks.ts';
import { startOpenAIServer } from '../../../tools/stand-ins/openai/openai-server.ts';
import { quotingModel } from '../../../tools/stand-ins/quoting-model.ts';
import { type FaultCounts, helpdeskFaults, modelFaults, serviceFaults } from './chaos-faults.ts';
import {
  type ChaosTicket,
  createChaosTickets,
  dealDeliveries,
  deliveryOf,
  judgeNotes,
} from './chaos-tickets.ts';
import { startFaultPlan } from './fault-plan.ts';
import { type ProductWithDesks, startWithDesks } from './product-with-desks.ts';
import { signCall } from './sign-call.ts';

export interface ChaosOptions {
  /** Seed of messages, deliveries and faults; the order in which calls meet faults differs between runs. */
  seed: number;
  tickets: number;
  /** Restarts of all functions while deliveries arrive and are processed. */
  restarts: number;
  /** Whether to configure models, which also fail. */
  withModels: boolean;
  /** First wait after a failure; longer with many tickets, as they wait for each other. */
  retryMs: number;
  /** Time until a late write has taken effect; some take three quarters of it. */
  settleMs: number;
  /** Time after which the run counts as stuck. */
  timeoutMs: number;
}

export interface ChaosResult {
  tickets: number;
  deliveries: number;
  /** Deliveries without a 200 response, which were sent again. */
  refusedDeliveries: number;
  restarts: number;
  /** Durable Objects that were reset during their work. */
  crashes: number;
  faults: FaultCounts;
  notes: number;
  /** Notes that call their customer by name. */
  own: number;
  /** Problems, one sentence each; empty for a passed run. */
  problems: string[];
  seconds: number;
}

/** Deliveries in flight at a time. */
const AT_ONCE = 12;
const WORKSPACES = ['default', 'acme'];
const VARIABLES = {
  TICKET_CALL_MS: '1500',
  TICKET_ANALYSE_MS: '4000',
  TICKET_ATTEMPTS: '100',
  CRASHES: '0.03',
};

/**
 * Many tickets, each delivered one to five times, while calls of every service fail, objects are reset and all functions are restarted on
 * the state that they left: in the end every ticket must have exactly one note of its own.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { seed, tickets: count, restarts, withModels, retryMs, settleMs, timeoutMs } = options;
  const startedAt = performance.now();
  const random = seededRandom(seed);
  const faults: FaultCounts = {};
  let crashes = 0;
  const state = mkdtempSync(join(tmpdir(), 'constellation-chaos-'));
  const chooser = () =>
    helpdeskFaults(seededRandom(random.between(0, 1e9)), faults, { lateMs: 0.75 * settleMs });
  const [ours, theirs] = await Promise.all([
    startHelpdesks({ faults: chooser() }),
    startHelpdesks({ faults: chooser() }),
  ]);
  const model = withModels ? await startOpenAIServer() : undefined;
  model?.answerWith(quotingModel);
  let choose = (_service: string): ReturnType<ReturnType<typeof serviceFaults>> => 'none';
  const plan = await startFaultPlan((service) => choose(service));
  const start = (): Promise<ProductWithDesks> =>
    startWithDesks({
      plan,
      state,
      desks: { default: Object.values(ours.desks), acme: Object.values(theirs.desks) },
      adapters: model === undefined ? {} : { OPENAI_BASE_URL: model.url },
      main: join(ROOT, 'research/bench/chaos/crashing-webhooks.mjs'),
      variables: {
        ...VARIABLES,
        TICKET_RETRY_MS: String(retryMs),
        TICKET_SETTLE_MS: String(settleMs),
      },
      onLog: (line) => {
        if (line.includes('"event":"crash"')) crashes += 1;
      },
    });
  let running: ProductWithDesks | undefined = await start();
  const isLate = () => performance.now() - startedAt > timeoutMs;

  await running.product.sync({ full: true });
  choose = serviceFaults(seededRandom(random.between(0, 1e9)), faults);
  model?.faults.sometimes(modelFaults(seededRandom(random.between(0, 1e9)), faults));
  const tickets = createChaosTickets({ default: ours, acme: theirs }, { count, random });
  const queue = dealDeliveries(tickets, random);
  const deliveries = queue.length;
  let refusedDeliveries = 0;

  const deliver = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && !isLate(); next = queue.shift()) {
      if (running !== undefined && (await isTaken(next, running))) continue;
      // A tool sends it again.
      refusedDeliveries += 1;
      queue.push(next);
      await delay(100);
    }
  };
  const restart = async (): Promise<void> => {
    await running?.stop();
    running = undefined;
    running = await start();
  };
  // Restarts at given shares of the deliveries, and one after the last of them.
  const marks = Array.from({ length: restarts }, (_, at) =>
    Math.floor((deliveries * (restarts - 1 - at)) / restarts),
  );
  const delivering = Promise.all(Array.from({ length: AT_ONCE }, deliver));
  for (const left of marks) {
    while (queue.length > left && !isLate()) await delay(20);
    if (left === 0) await delivering;
    await restart();
  }
  await delivering;

  while (!isLate() && !(await isQuiet(running, count))) await delay(250);
  // Lets the helpdesks finish late writes.
  await Promise.all([ours.finishLate(), theirs.finishLate()]);
  const judged = judgeNotes(tickets);
  await running.stop();
  await Promise.all([plan.stop(), ours.stop(), theirs.stop(), model?.stop()]);
  rmSync(state, { recursive: true, force: true });
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    tickets: count,
    deliveries,
    refusedDeliveries,
    restarts,
    crashes,
    faults,
    ...judged,
    seconds,
  };
}

const isTaken = async (ticket: ChaosTicket, { webhooks }: ProductWithDesks): Promise<boolean> => {
  const path =
    ticket.workspace === 'default'
      ? `/webhooks/${ticket.desk.id}`
      : `/webhooks/${ticket.desk.id}/${ticket.workspace}`;
  try {
    const answer = await fetch(new URL(path, webhooks), {
      method: 'POST',
      ...deliveryOf(ticket),
      signal: AbortSignal.timeout(5000),
    });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
};

/** Whether every ticket has ended, one way or the other. */
const isQuiet = async ({ webhooks }: ProductWithDesks, tickets: number): Promise<boolean> => {
  const totalOf = async (state: string): Promise<number> => {
    const call = {
      to: 'webhooks',
      url: webhooks,
      method: 'GET',
      path: `/v1/support/tickets?state=${state}&limit=1`,
    };
    const totals = await Promise.all(
      WORKSPACES.map(async (workspace) => {
        const { json } = await signCall({ ...call, workspace, capabilities: ['helpdesk:write'] });
        return TicketsResponse.parse(json).total;
      }),
    );
    return totals.reduce((sum, total) => sum + total, 0);
  };
  try {
    const [open = 0, done = 0, dead = 0] = await Promise.all(['open', 'done', 'dead'].map(totalOf));
    return open === 0 && done + dead >= tickets;
  } catch {
    return false;
  }
};
