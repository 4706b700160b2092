import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { DelegationTrace, LibrarianResponse } from '../../src/contract/core/response.ts';
import { isDeclined } from '../../src/librarians/delegation/abstention.ts';
import { type Product, startProduct } from '../../tools/run/product.ts';
import type { Measure } from './retrieval.ts';

const Labelled = z.object({
  question: z.string(),
  target: z.union([z.string(), z.array(z.string()).min(1)]),
  /** A greeting or thanks, which gets a reply of its own. */
  isSmallTalk: z.boolean().default(false),
});
type Labelled = z.infer<typeof Labelled>;

/** The librarian that got a question; several are joined by ` + `; `none` when the default librarian alone was asked and declined it. */
interface Routed {
  wanted: string;
  got: string;
}

/**
 * Asks the product the labelled questions over `POST /v1/ask`, the sample knowledge base and the local web search behind it. The
 * trace tells who was asked, the answer whether the question was declined. Nothing was tuned on the held-out half.
 */
export async function evaluateRouting(): Promise<Measure[]> {
  const product = await startProduct({ kb: 'sample', port: 0, webSearch: 'local' });
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
}

const readQuestions = (file: string): Labelled[] =>
  z.array(Labelled).parse(JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')));

const Answer = LibrarianResponse.and(
  z.object({
    metadata: z
      .object({ trace: DelegationTrace.optional(), small_talk: z.string().optional() })
      .optional(),
  }),
);

/**
 * An out-of-scope question must reach only the default librarian and be declined by it, or get the reply to small talk. A question for
 * another librarian was routed correctly even if that one found nothing.
 */
const route = async (
  product: Product,
  { question, target, isSmallTalk }: Labelled,
): Promise<Routed> => {
  const response = await product.fetch('/v1/ask', {
    method: 'POST',
    body: JSON.stringify({ query: question, include: ['trace'] }),
  });
  const answer = Answer.parse(await response.json());
  const wanted = wantedOf([target].flat());
  const asked = askedFirst(answer.metadata?.trace?.hops ?? []);
  const isRefused =
    isDeclined(answer) || (isSmallTalk && answer.metadata?.small_talk !== undefined);
  if (wanted === NONE && isRefused && asked.every((id) => id === DEFAULT))
    return { wanted, got: NONE };
  return { wanted, got: asked.length > 0 ? namesOf(asked) : `error ${answer.error?.code}` };
};

/** The librarians that the gateway chose: a librarian that was asked after another one failed only stood in for it. */
const askedFirst = (hops: DelegationTrace['hops']): string[] => {
  const own = hops.filter(({ from }) => from === 'gateway');
  return own.flatMap(({ to }, place) => {
    const before = own[place - 1];
    const standsIn =
      before !== undefined && before.to !== to && to === DEFAULT && !ANSWERED.has(before.outcome);
    return standsIn ? [] : [to];
  });
};

const DEFAULT = 'navigator';
const ANSWERED: ReadonlySet<string> = new Set(['answer', 'partial']);
const NONE = 'none';

/** In a message with one in-scope and one out-of-scope question, the in-scope one must reach its librarian. */
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
    {
      name: `${name}: right librarian`,
      value: share(ours),
      ...target,
      note: `${ours.length} questions`,
    },
    {
      name: `${name}: none of ours declined by the navigator`,
      value: share(foreign),
      ...target,
      note: `${foreign.length} questions`,
    },
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
  console.table(
    Object.fromEntries([...counts].sort(([left], [right]) => left.localeCompare(right))),
  );
};
