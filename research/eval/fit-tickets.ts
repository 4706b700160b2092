/** Fits `ANSWERS` of src/support/drafts/ticket-units.ts. */
import { RETRIEVAL_MIN_SCORE } from '../../src/contract/wire/knowledge.ts';
import { applyLogistic } from '../../src/knowledge/search/logistic.ts';
import { analyze } from '../../src/support/analyze.ts';
import { rankTicketUnits, signsOfArticles } from '../../src/support/drafts/ticket-units.ts';
import type { Knowledge } from '../../src/support/retrieval/knowledge.ts';
import { readCommandLine } from '../../tools/command-line.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { type Example, fitLogistic } from './fit-logistic.ts';
import { readSampleTickets, requestOf } from './read-tickets.ts';
import { evalScope, partsFor } from './recorded-tickets.ts';
import { readSample } from './tickets.ts';

const HELP = `Fits how probably an article answers a ticket (ANSWERS of src/support/drafts/ticket-units.ts) on the development half of the
sample tickets, and prints it with what it does on both halves. To be run when ranking changes.

  node research/eval/fit-tickets.ts

  --help  this text
`;

readCommandLine(HELP, { options: {} });

/** An article that may answer a ticket. */
interface Candidate extends Example {
  split: 'development' | 'held out';
  /** Its relevance by search. */
  before: number;
}

/** Lowers the fitted log-odds, as a quote that does not answer costs more than one that is missing. */
const LOWERED = 0.3;

const candidates: Candidate[] = [];
const parts = partsFor(await readSample());
for (const ticket of readSampleTickets()) {
  let found: Knowledge | undefined;
  let product: string | undefined;
  await analyze(requestOf(ticket), evalScope(), {
    ...parts,
    retrieveKnowledge: async (question, options) => {
      product =
        typeof question.metadata?.product === 'string' ? question.metadata.product : undefined;
      found = await parts.retrieveKnowledge(question, options);
      return found;
    },
  });
  const evidence = found?.evidence;
  if (evidence === undefined) continue;
  const { units } = rankTicketUnits(evidence, { product, vectors: shippedWordVectors() });
  for (const [article, features] of signsOfArticles(evidence, units)) {
    const id = units.find(({ source }) => source.index === article)?.source.id ?? '';
    const label = ticket.expected.articles.includes(id);
    candidates.push({
      features,
      label,
      split: ticket.split,
      before: evidence.relevance.get(article) ?? 0,
    });
  }
}

const fitted = fitLogistic(
  candidates.filter(({ split }) => split === 'development'),
  { l2: 0.003, weigh: 'examples', signs: [1, 1, 1] },
);
const model = { ...fitted, bias: fitted.bias - LOWERED };
console.log(
  JSON.stringify(model, (_, value) =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value,
  ),
);
for (const split of ['development', 'held out'] as const) {
  const own = candidates.filter((each) => each.split === split);
  const sure = own.filter(
    ({ before, features }) =>
      Math.max(before, applyLogistic(model, features)) >= RETRIEVAL_MIN_SCORE,
  );
  const right = sure.filter(({ label }) => label).length;
  console.log(
    `${split}: from ${RETRIEVAL_MIN_SCORE} on ${right} of ${sure.length} answer, of ${own.filter(({ label }) => label).length} that do`,
  );
}
