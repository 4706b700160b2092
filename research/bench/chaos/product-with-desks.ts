import { join } from 'node:path';
import type { AdapterVariables } from '../../../src/ai/adapters/settings.ts';
import { ROOT } from '../../../tools/functions.ts';
import type { LocalWorker } from '../../../tools/run/local-cloud.ts';
import { type Product, type ProductOptions, startProduct } from '../../../tools/run/product.ts';
import type { LocalDesk } from '../../../tools/stand-ins/helpdesks/desk/local-desk.ts';
import { deskVariables } from '../../../tools/stand-ins/helpdesks/desk-variables.ts';
import type { FaultPlan } from './fault-plan.ts';

export interface WithDesksOptions {
  /** Desks by workspace. */
  desks: Readonly<Record<string, readonly LocalDesk[]>>;
  /** Faults between functions: `support` and `library` (called by webhooks), `articles` (called by support). No faults when absent. */
  plan?: FaultPlan | undefined;
  /** Folder for state that survives a restart. */
  state?: string | undefined;
  /** Variables of the webhooks function: ticket times. */
  variables?: Readonly<Record<string, string>> | undefined;
  adapters?: AdapterVariables | undefined;
  /** What to write into tickets; notes when absent. */
  write?: 'note' | 'draft' | 'both' | undefined;
  /** Replaces the support function; the real one when absent. */
  support?: LocalWorker | undefined;
  /** Entry of the webhooks function; its own when absent. */
  main?: string | undefined;
  onLog?: ((line: string) => void) | undefined;
}

/** The product, connected to helpdesks of this machine, with unreliable services between its functions. */
export interface ProductWithDesks {
  product: Product;
  /** The webhooks function's own socket, without the gateway before it. */
  webhooks: URL;
  stop(): Promise<void>;
}

const WEBHOOKS = 'constellation-webhooks';
const SUPPORT = 'constellation-support';
const LIBRARY = 'constellation-library';

export async function startWithDesks(options: WithDesksOptions): Promise<ProductWithDesks> {
  const {
    desks,
    write,
    plan,
    state,
    support,
    main,
    variables,
    adapters,
    onLog = () => {},
  } = options;
  const between = plan === undefined ? {} : unreliable(plan, support?.name ?? SUPPORT);
  const product = await startProduct({
    kb: 'sample',
    port: 0,
    state,
    adapters,
    onLog,
    functions: ['webhooks', 'support', 'library'],
    mains: main === undefined ? {} : { [WEBHOOKS]: main },
    helpdesks: { ...deskVariables(desks, { write }), ...variables },
    ...between,
    moreWorkers: [...(support === undefined ? [] : [support]), ...(between.moreWorkers ?? [])],
  });
  return {
    product,
    webhooks: await product.miniflare.unsafeGetDirectURL(WEBHOOKS),
    stop: product.stop,
  };
}

/** The unreliable proxies, and the bindings that lead to them. */
const unreliable = (
  plan: FaultPlan,
  support: string,
): Pick<ProductOptions, 'moreWorkers' | 'moreServices'> => {
  const before = (name: string, target: string): LocalWorker => ({
    name: `unreliable-${name}`,
    main: join(ROOT, 'research/bench/chaos/unreliable-service.ts'),
    vars: { PLAN_URL: plan.urlOf(name) },
    services: { TARGET: target },
  });
  return {
    moreWorkers: [
      before('support', support),
      before('library', LIBRARY),
      before('articles', LIBRARY),
    ],
    moreServices: {
      [WEBHOOKS]: { SUPPORT: 'unreliable-support', LIBRARY: 'unreliable-library' },
      [SUPPORT]: { LIBRARY: 'unreliable-articles' },
    },
  };
};
