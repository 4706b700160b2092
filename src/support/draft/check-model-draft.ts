import type { Passage } from '../../grounding/answer-prompt.ts';
import { checkStatement } from '../../grounding/check-statement.ts';
import type { CheckedStatement } from '../../grounding/checked-answer.ts';
import { splitBlocks } from '../../markup/split-blocks.ts';
import { type Span, splitSentences } from '../../text/split-sentences.ts';
import { primaryOf } from '../languages.ts';
import type { AnswerPassage } from './answer-passages.ts';
import { isProhibition } from './prohibitions.ts';

/** A passage that the draft quotes, as a model is shown it. */
export interface DraftPassage extends Passage {
  quoted: AnswerPassage;
}

/** A step that shares less than this of its content words with the draft is not said in it. */
const SAID_FROM = 0.5;

/**
 * Whether statements that are each supported give only a part of a procedure: a step in the middle or the last one may be what makes
 * it safe. One step may be told by itself, where nothing was removed around it.
 */
export const isProcedureCut = (
  statements: readonly CheckedStatement<DraftPassage>[],
  { passages, removed }: { passages: readonly DraftPassage[]; removed: number },
): boolean =>
  passages.some((passage) => {
    const citing = (list: Span) =>
      statements.filter(({ quotes }) =>
        quotes.some((quote) => quote.passage === passage && quote.span.start < list.end && list.start < quote.span.end),
      );
    return proceduresIn(passage.text).some(({ list, steps }) => {
      const cited = citing(list);
      if (cited.length === 0) return false;
      const body = [{ text: bodyOf(statements), headings: [] }];
      const said = steps.filter((step) => checkStatement(step, body, { question: '' }).coverage >= SAID_FROM).length;
      const isGivenAsList = cited.some(({ text }) => proceduresIn(text).length > 0);
      return said < steps.length && (said > 1 || removed > 0 || isGivenAsList);
    });
  });

const proceduresIn = (text: string): { list: Span; steps: string[] }[] =>
  splitBlocks(text)
    .filter(({ kind, start, items }) => kind === 'list' && items.length > 1 && /^\s*\d/.test(text.slice(start)))
    .map(({ start, end, items }) => ({
      list: { start, end },
      steps: items.map((item) => text.slice(item.start, item.end)),
    }));

/** What the passages forbid and the statements do not say, as the articles write it: no warning gets lost. */
export const missingWarnings = (
  statements: readonly CheckedStatement<DraftPassage>[],
  { passages, language = '' }: { passages: readonly DraftPassage[]; language?: string | undefined },
): { sentence: string; passage: DraftPassage }[] => {
  const body = [{ text: bodyOf(statements), headings: [] }];
  return passages.flatMap((passage) =>
    sentencesIn(passage.text)
      .filter((sentence) => isProhibition(sentence, primaryOf(passage.quoted.language ?? language)))
      .filter((sentence) => checkStatement(sentence, body, { question: '' }).verdict !== 'supported')
      .map((sentence) => ({ sentence, passage })),
  );
};

const bodyOf = (statements: readonly CheckedStatement[]): string => statements.map(({ text }) => text).join('\n\n');

/** Of prose and list items, without list marks. */
const sentencesIn = (text: string): string[] =>
  splitBlocks(text)
    .flatMap((block) => (block.kind === 'prose' ? [block] : block.kind === 'list' ? block.items : []))
    .flatMap((part) => splitSentences(text, part).map(({ start, end }) => text.slice(start, end)))
    .map((sentence) => sentence.replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/, '').trim());
