import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { DelegationTrace } from '../contract/delegation-trace.ts';
import type { Measure } from './eval-retrieval.ts';
import { type Product, startProduct } from './product.ts';

const Labelled = z.object({ question: z.string(), target: z.union([z.string(), z.array(z.string()).min(1)]) });
type Labelled = z.infer<typeof Labelled>;

/** Where a question went, several librarians joined by ` + `; `none` when it was taken for none of ours. */
interface Routed {
  wanted: string;
  got: string;
}

/**
 * Asks the product the labelled questions over `POST /v1/ask`, the sample knowledge base behind it. The trace tells who
 * was asked, the answer whether the question was taken for none of ours. Nothing was tuned on the held-out half.
 */
export const evaluateRouting = async (): Promise<Measure[]> => {
  const product = await startProduct({ kb: 'sample', port: 0 });
  try {
    await product.sync({ full: true });
    const halves = [
      { name: 'development half', file: 'routing-questions-dev.json', isHeldOut: false },
      { name: 'held-out half', file: 'routing-questions-test.json', isHeldOut: true },
    ];
    const measures: Measure[] = [];
    for (const { name, file, isHeldOut } of halves) {
      const routed: Routed[] = [];
      for (const labelled of readQuestions(file)) routed.push(await route(product, labelled));
      printConfusion(name, routed);
      measures.push(...measuresOf(name, routed, isHeldOut));
    }
    return measures;
  } finally {
    await product.stop();
  }
};

const readQuestions = (file: string): Labelled[] =>
  z.array(Labelled).parse(JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')));

const Answer = z.object({
  answer: z.string().optional(),
  error: z.object({ code: z.string() }).optional(),
  metadata: z.object({ trace: DelegationTrace.optional() }).optional(),
});

/**
 * The final answer decides whether a question was taken for none of ours. For one that is somebody's, a specialist that was
 * chosen and found nothing was still the one to ask; the default librarian is asked about anything, so that its answer counts.
 */
const route = async (product: Product, { question, target }: Labelled): Promise<Routed> => {
  const response = await product.fetch('/v1/ask', { method: 'POST', body: JSON.stringify({ query: question }) });
  const { answer, error, metadata } = Answer.parse(await response.json());
  const wanted = wantedOf([target].flat());
  const asked = askedFirst(metadata?.trace?.hops ?? []);
  const isNone = answer === undefined && error?.code === 'NOT_FOUND';
  const isNoneForAll = isNone && (wanted === NONE || asked.every((id) => id === DEFAULT));
  if (isNoneForAll) return { wanted, got: NONE };
  return { wanted, got: asked.length > 0 ? namesOf(asked) : `error ${error?.code}` };
};

/** Whom the gateway chose: a librarian that was asked after another one failed only stood in for it. */
const askedFirst = (hops: DelegationTrace['hops']): string[] => {
  const own = hops.filter(({ from }) => from === 'gateway');
  return own.flatMap(({ to }, place) => {
    const before = own[place - 1];
    const standsIn = before !== undefined && before.to !== to && to === DEFAULT && !ANSWERED.has(before.outcome);
    return standsIn ? [] : [to];
  });
};

const DEFAULT = 'navigator';
const ANSWERED: ReadonlySet<string> = new Set(['answer', 'partial']);
const NONE = 'none';

/** Of a message in which one question is ours and another is not, the one that is ours has to find its librarian. */
const wantedOf = (targets: readonly string[]): string => {
  const ours = targets.filter((id) => id !== NONE);
  return ours.length > 0 ? namesOf(ours) : NONE;
};

const namesOf = (targets: readonly string[]): string => [...targets].sort().join(' + ');

const measuresOf = (name: string, routed: readonly Routed[], isHeldOut: boolean): Measure[] => {
  const ours = routed.filter(({ wanted }) => wanted !== NONE);
  const foreign = routed.filter(({ wanted }) => wanted === NONE);
  const share = (of: readonly Routed[]) =>
    of.filter(({ wanted, got }) => wanted === got).length / Math.max(1, of.length);
  const target = isHeldOut ? { target: 0.9 } : {};
  return [
    { name: `${name}: right librarian`, value: share(ours), ...target, note: `${ours.length} questions` },
    { name: `${name}: none of ours recognised`, value: share(foreign), ...target, note: `${foreign.length} questions` },
  ];
};

const printConfusion = (name: string, routed: readonly Routed[]): void => {
  const counts = new Map<string, Record<string, number>>();
  for (const { wanted, got } of routed) {
    const row = counts.get(wanted) ?? {};
    row[got] = (row[got] ?? 0) + 1;
    counts.set(wanted, row);
  }
  console.log(`\nRouting, ${name}: labelled (rows) against chosen (columns)`);
  console.table(Object.fromEntries([...counts].sort(([left], [right]) => left.localeCompare(right))));
};
