import type { Progress } from '../../contract/core/ask.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import type { Turn } from '../../knowledge/search/analyse-query.ts';
import {
  type CheckedAnswer,
  type FailedAnswer,
  writeCheckedAnswer,
} from '../check/checked-answer.ts';
import type { CheckedStatement } from '../check/decide-statements.ts';
import type { AnswerRequest } from '../model/answer-prompt.ts';
import type { ShownPassage } from '../passages/shown-passages.ts';
import type { ProposedSearch } from '../understand/search-queries.ts';
import { type Finding, type FoundPassages, findMore } from './choose-passages.ts';
import { closestOf, statementOf } from './cite-sources.ts';
import { citedStatement } from './compose-model-answer.ts';

type Written = CheckedAnswer<ShownPassage> | FailedAnswer<ShownPassage>;

interface WritingOptions {
  finding: Finding;
  progress: Progress | undefined;
  task: AnswerRequest['task'];
  now: Date;
}

/** Writes an answer, and once more for what it leaves open when no query of the model has searched for that, from what was not shown yet. */
export function startWriting(edition: Edition, { finding, progress, task, now }: WritingOptions) {
  const { calls, question, history } = finding;
  const statementsSoFar: CheckedStatement<ShownPassage>[] = [];
  const write = (
    about: Pick<AnswerRequest, 'question' | 'history'>,
    passages: readonly ShownPassage[],
    parts?: readonly string[],
  ): Promise<Written> => {
    progress?.({ type: 'passages', passages: passages.map(placeOf) });
    return writeCheckedAnswer(
      { ...about, passages, parts, now, task },
      {
        calls,
        isScreened: true,
        onStatement:
          progress &&
          ((statement) => {
            // A second answer may give again what the first one has.
            if (!statementsSoFar.some(({ text }) => text === statement.text))
              progress({
                type: 'statement',
                index: statementsSoFar.push(statement) - 1,
                ...statementOf(citedStatement(statement, statement.probability)),
              });
          }),
        onRemoved: ({ text, reason }) =>
          progress?.({ type: 'removed', text: text.slice(0, 1000), reason }),
      },
    );
  };
  return {
    statementsSoFar,
    write: async (first: FoundPassages): Promise<WrittenAnswer> => {
      const { search, passages } = first;
      const written = await write(
        { question, history },
        passages,
        search?.parts.map(({ asked }) => asked),
      );
      const open = openPartsOf(written, question);
      if (search !== undefined || open.length === 0) return { written, passages, search };
      const more = await findMore(edition, finding, { first, open });
      if (more.passages.length === 0) return { written, passages, search: more.search };
      const text =
        'failure' in written
          ? ''
          : written.statements.map((statement) => statement.text).join('\n\n');
      // The checks take the words of a question for the customer's, so the second one is the same, and not in the model's words.
      const turns: readonly Turn[] =
        text === ''
          ? history
          : [...history, { speaker: 'user', text: question }, { speaker: 'assistant', text }];
      const second = await write({ question, history: turns }, more.passages, open);
      return {
        written: joined(written, second),
        passages: [...passages, ...more.passages],
        search: more.search,
      };
    },
  };
}

interface WrittenAnswer {
  written: Written;
  passages: readonly ShownPassage[];
  search: ProposedSearch | undefined;
}

/** What an answer leaves open or answers in part, in the model's words; the question when nothing answers it. */
const openPartsOf = (written: Written, question: string): string[] => {
  if ('failure' in written) return written.failure === 'no_answer' ? [question] : [];
  return written.parts.filter(isOpen).map(({ wording }) => wording.slice(0, MAX_PART_LENGTH));
};

/** In UTF-16 units. */
const MAX_PART_LENGTH = 300;

type Part = CheckedAnswer<ShownPassage>['parts'][number];
const isOpen = ({ state, wording }: Part): boolean => state !== 'answered' && wording !== '';

/** An answer with what a second search adds for its open parts. */
const joined = (first: Written, second: Written): Written => {
  const removed = [...first.removed, ...second.removed];
  if ('failure' in second) return { ...first, removed };
  if ('failure' in first) return { ...second, removed };
  const texts = new Set(first.statements.map(({ text }) => text));
  const open = first.parts.filter(isOpen);
  const isAligned = second.parts.length === open.length;
  const later = second.parts.filter(({ state }) => isAligned || state !== 'open');
  const answerTo = (part: Part): Part => {
    const answer = later[open.indexOf(part)];
    return answer === undefined || answer.state === 'open' ? part : answer;
  };
  return {
    ...second,
    statements: [...first.statements, ...second.statements.filter(({ text }) => !texts.has(text))],
    removed,
    removedQuotes: [...first.removedQuotes, ...second.removedQuotes],
    parts: first.parts.map((part) => (isOpen(part) ? answerTo(part) : part)),
    isJudged: first.isJudged && second.isJudged,
  };
};

const placeOf = ({ source, headings }: ShownPassage) => {
  const { title: name, url } = closestOf(source, undefined);
  return {
    name,
    ...(url === undefined ? {} : { url }),
    ...(headings.length === 0 ? {} : { section: headings.join(' > ').slice(0, 500) }),
  };
};
