import { HIGH_FROM, PARTIAL_BELOW } from '../contract/confidence.ts';
import { decideAnswer } from '../grounding/decide-answer.ts';
import type { Quote } from '../grounding/quote-passages.ts';
import type { Unit } from '../grounding/read-passage.ts';
import { splitBlocks } from '../markup/split-blocks.ts';
import { escapeHtml } from '../runtime/escape-html.ts';
import { answeringModelOf, relevanceOfHits } from '../search/answering-model.ts';
import type { Edition } from '../search/open-edition.ts';
import type { SearchOutcome } from '../search/search-edition.ts';
import { wordsOf } from '../text/analyse-text.ts';
import { stem } from '../text/stem.ts';
import { placeQuote } from './answer-from-edition.ts';
import type { NavigatorAnswer } from './assemble-answer.ts';
import { assembleAnswer } from './assemble-answer.ts';
import { assessConfidence } from './assess-confidence.ts';
import { chooseHits } from './choose-hits.ts';
import { citationOf, oneLine, type PlacedQuote } from './compose-answer.ts';
import type { ModelReply } from './model-reply.ts';
import type { Cue } from './question-cues.ts';
import { plantedScreen } from './screen.ts';
import { placeOfQuote, type ShownPassage } from './shown-passages.ts';
import { compareWithOthers, cuesOf, framing } from './weigh-evidence.ts';

/** What a model's answer is made from. */
export interface ModelAnswerParts {
  edition: Edition;
  question: string;
  /** As screened. */
  outcome: SearchOutcome;
  passages: readonly ShownPassage[];
  /** With statements, whose passages are among those given. */
  reply: ModelReply;
  /** 0 to 1, how well the sources support the statement that they support least. */
  support: number;
  /** 0 to 1, how sure quotes were in its place: what a model chooses to cite makes an answer no surer. */
  ceiling?: number | undefined;
}

/** What the model says of its own answer limits how sure that may be; nothing it says makes it surer. */
const CEILINGS = { high: 1, medium: HIGH_FROM - 0.01, low: PARTIAL_BELOW - 0.01 } satisfies Record<
  ModelReply['confidence'],
  number
>;

/**
 * A model's statements in the shape of seed 004. Sources, sections, excerpts, confidence, its reason and related topics are
 * told from the evidence, as for quotes; the model's are the statements alone, each with what it rests on behind it.
 */
export const composeModelAnswer = (parts: ModelAnswerParts): NavigatorAnswer => {
  const { edition, question, outcome, reply, support } = parts;
  const model = answeringModelOf(edition);
  const chosen = chooseHits(edition, question, outcome.hits);
  const quotes = quotesOf(parts);
  const quoted = quotes.map(({ chunk }) => chunk.index);
  const decision = decideAnswer(outcome, model, { question, named: chosen.named, quoted });
  const cues = [
    ...cuesOf({ question, quotes, chosen }),
    ...otherPassage(outcome, quotes, relevanceOfHits(outcome, model)),
  ];
  const assessed = assessConfidence({
    outcome,
    decision,
    quotes,
    cues,
    comparisons: compareWithOthers(edition, quotes, chosen),
    ceiling: Math.min(CEILINGS[reply.confidence], parts.ceiling ?? 1),
    support,
    remarks: remarksOf(reply),
  });
  const text = compose(parts, framing({ probability: assessed.probability, quotes, chosen }));
  return assembleAnswer({ edition, text, outcome, chosen, quotes, decision, assessed });
};

const remarksOf = ({ confidence }: ModelReply): string[] => [
  'A model put the answer into words, and each statement was checked against the passage it cites',
  ...(confidence === 'high' ? [] : [`The model itself says that the passages answer ${SAID[confidence]}`]),
];

const SAID = { medium: 'only when they are put together', low: 'in part only' };

/** Passages that fit the question worse than the best one answer it less often. */
const otherPassage = (
  { hits, model }: SearchOutcome,
  quotes: readonly PlacedQuote[],
  relevances: readonly number[],
): Cue[] => {
  const best = hits[0];
  if (best === undefined || quotes.some(({ chunk }) => chunk.index === best.chunk)) return [];
  // Where meanings were compared, the order is theirs too, and the scores are of words alone.
  const fits = hits.map(({ score }, at) => (model === undefined ? score : (relevances[at] ?? 0)));
  const cited = quotes.map(({ chunk }) => fits[hits.findIndex((hit) => hit.chunk === chunk.index)] ?? 0);
  const factor = Math.min(1, Math.max(0.1, Math.max(0, ...cited) / Math.max(fits[0] ?? 0, Number.EPSILON)));
  return [{ reason: 'the answer rests on other passages than the one that fits the question best', factor }];
};

/** For each passage of each statement the words that the model copied from it, else those closest to the statement. */
const quotesOf = ({ edition, outcome, passages, reply }: ModelAnswerParts): PlacedQuote[] => {
  const relevances = relevanceOfHits(outcome, answeringModelOf(edition));
  const placed = new Map<string, PlacedQuote>();
  for (const { text, passages: ids } of reply.statements) {
    for (const passage of passages.filter(({ id }) => ids.includes(id))) {
      const copied = reply.citations
        .filter((citation) => citation.passage === passage.id)
        .flatMap(({ quote }) => placeOfQuote(passage, quote) ?? []);
      const spans = copied.length > 0 ? copied : [closestTo(text, passage)];
      for (const { start, end } of spans.slice(0, MAX_EXCERPTS)) {
        const { hit, chunk } = passage;
        const quote: Quote = {
          ...{ passage: 0, start, end, text: chunk.text.slice(start, end) },
          ...{ kind: kindOf(passage, { start, end }), score: hit.score, coverage: hit.coverage },
        };
        placed.set(`${chunk.index} ${start} ${end}`, placeQuote(quote, { hit, chunk, outcome, relevances }));
      }
    }
  }
  return [...placed.values()];
};

const MAX_EXCERPTS = 3;

const unitsOf = ({ chunk, parts }: ShownPassage): Unit[] =>
  plantedScreen
    .reading(chunk)
    .units.filter(({ start, end }) => parts.some((part) => start >= part.start && end <= part.end));

const kindOf = (passage: ShownPassage, { start, end }: { start: number; end: number }): Quote['kind'] =>
  unitsOf(passage).find((unit) => unit.start < end && unit.end > start)?.block ?? 'prose';

const closestTo = (text: string, passage: ShownPassage): { start: number; end: number } => {
  const stems = new Set(wordsOf(text).map(stem));
  let best: Unit | undefined;
  let most = -1;
  for (const unit of unitsOf(passage)) {
    const shared = new Set(unit.words.stems.filter((word) => stems.has(word))).size;
    if (shared > most) [best, most] = [unit, shared];
  }
  const [part = { start: 0, end: passage.chunk.text.length }] = passage.parts;
  return best ?? { start: part.start, end: Math.min(part.end, part.start + 300) };
};

/** Statements one after another; those that rest on the same passages share one reference, blocks are introduced by theirs. */
const compose = (
  { passages, reply: { statements } }: ModelAnswerParts,
  { prefix = '', namesDevices = false }: { prefix?: string; namesDevices?: boolean },
): string => {
  const paragraphs: string[] = [];
  for (let at = 0; at < statements.length; at++) {
    const statement = statements[at];
    if (statement === undefined) continue;
    const reference = referenceTo(statement.passages, passages);
    const devices = namesDevices ? devicesOf(statement.passages, passages) : '';
    if (isBlock(statement.text)) {
      const opening = devices === '' ? 'According' : `For ${devices}, according`;
      paragraphs.push(`${opening} to ${reference}:\n\n${closed(statement.text)}`);
      continue;
    }
    const said = [statement.text];
    for (let next = statements[at + 1]; next !== undefined && continues(next, statement); next = statements[at + 1]) {
      said.push(next.text);
      at++;
    }
    paragraphs.push(`${devices === '' ? '' : `For ${devices}: `}${said.join(' ')} (${reference})`);
  }
  return escapeHtml([prefix, ...paragraphs].filter((part) => part !== '').join('\n\n'));
};

type Statement = ModelReply['statements'][number];

const continues = (next: Statement, { passages }: Statement): boolean =>
  !isBlock(next.text) && next.passages.join() === passages.join();

const isBlock = (text: string): boolean => splitBlocks(text).some(({ kind }) => kind !== 'prose');

const referenceTo = (ids: readonly string[], passages: readonly ShownPassage[]): string => {
  const cited = passages.filter(({ id }) => ids.includes(id));
  return [...new Set(cited.map(({ chunk, hit }) => citationOf({ chunk, article: hit.source })))].join('; ');
};

const devicesOf = (ids: readonly string[], passages: readonly ShownPassage[]): string => {
  const cited = passages.filter(({ id }) => ids.includes(id));
  return oneLine([...new Set(cited.flatMap(({ hit }) => hit.source.devices))].join(', '));
};

/** With an open fence closed. */
const closed = (text: string): string => {
  const fences = text.match(/^[ \t]*(`{3,}|~{3,})/gm) ?? [];
  return fences.length % 2 === 1 ? `${text}\n${(fences[0] ?? '').trim()}` : text;
};
