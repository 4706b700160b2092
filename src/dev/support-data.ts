import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Comparison, compareSentence } from '../grounding/support/compare-sentence.ts';
import { type PreparedSource, prepareSource } from '../grounding/support/prepare-source.ts';
import { isSought, readWords } from '../grounding/support/read-words.ts';
import { plainOf, statementSpans } from '../grounding/support/statements.ts';
import { readLines } from './eval-data.ts';

/** An answer that people judged against its source. */
export interface JudgedAnswer {
  set: string;
  answer: string;
  title: string;
  source: string;
  isSupported: boolean;
  /** On which half it is; answers with one source are on one half. Weights are fitted on `tuning` alone. */
  half: 'tuning' | 'held-out';
}

/** An answer with what is measured of each of its sentences; none of a sentence that stands literally in the source. */
export interface MeasuredAnswer extends JudgedAnswer {
  sentences: Comparison['found'][];
}

export const SUPPORT_SETS = ['rag-answers', 'begin', 'fever-symmetric', 'fool-me-twice', 'summedits'] as const;

/** Which files of the evaluation data `folder` lacks. */
export const missingSupportFiles = (folder: string): string[] =>
  SUPPORT_SETS.map((set) => `truth-dev/${set}.jsonl`).filter((file) => !existsSync(join(folder, file)));

export const readJudgedAnswers = (folder: string): JudgedAnswer[] =>
  SUPPORT_SETS.flatMap((set) =>
    readLines<SourceLine>(folder, `truth-dev/${set}.jsonl`).map(({ source, title = '', answer, label, group }) => ({
      set,
      answer,
      title,
      // A source with a title begins with it.
      source: source.startsWith(title) ? source.slice(title.length).trim() : source,
      isSupported: label === 'supported',
      half: halfOf(group ?? source),
    })),
  );

interface SourceLine {
  source: string;
  title?: string;
  answer: string;
  label: 'supported' | 'unsupported' | 'contradicted';
  group?: string;
}

const halfOf = (group: string): JudgedAnswer['half'] =>
  (createHash('sha256').update(group).digest()[0] ?? 0) % 2 === 0 ? 'tuning' : 'held-out';

/** What the product measures of an answer, before any weight. */
export const measureAnswer = (judged: JudgedAnswer): MeasuredAnswer => {
  const sources: PreparedSource[] = [prepareSource({ text: judged.source, title: judged.title })];
  const sentences = statementSpans(judged.answer).flatMap(({ start, end }) => {
    const text = judged.answer.slice(start, end);
    const words = readWords(text);
    if (!words.some(isSought)) return [];
    const isQuote = sources.some(({ quotes }) => quotes.has(plainOf(text)));
    return [isQuote ? new Map() : compareSentence(text, words, sources).found];
  });
  return { ...judged, sentences };
};
