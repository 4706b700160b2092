import { answerPhrases, languageOfAsker } from '../../../answering/write/answer-phrases.ts';
import type { NavigatorAnswer } from '../../../answering/write/navigator-answer.ts';
import { shortenAnswer } from '../../../answering/write/shorten-answer.ts';
import type { AIClient } from '../../../contract/core/librarian.ts';
import { isUnsure } from '../../../contract/core/response.ts';
import type {
  CheckAnswer,
  CheckLack,
  CheckResult,
  KnowledgeCheckInput,
} from '../../../contract/wire/checks.ts';
import { markdownToText } from '../../../documents/markdown/render-markdown.ts';
import {
  type ArticleMarks,
  articleMarks,
  changeSince,
  readMarks,
} from '../../../knowledge/checks/article-marks.ts';
import type { CheckBook, StoredCheck } from '../../../knowledge/checks/check-book.ts';
import type { SearchToDo } from '../../../knowledge/edition/current-edition.ts';
import type { Edition } from '../../../knowledge/edition/open-edition.ts';
import { turnOfOthers } from '../../../platform/concurrency.ts';
import { backOffMs } from '../../../platform/jobs/back-off.ts';
import { answerQuestion, type QuestionOptions, searchesFor } from '../answer-question.ts';

/** How a question is asked: as `POST /v1/navigate` does it, without a conversation, facts or other librarians. */
export interface CheckOptions
  extends Pick<QuestionOptions, 'retrieve' | 'reranker' | 'wordVectors' | 'waitUntil' | 'signal'> {
  ai?: AIClient | undefined;
  timeLeftMs: () => number;
}

/** Something was missing while a check was run that it may need: it says nothing about the articles. */
export class CheckNotRun extends Error {
  override readonly name = 'CheckNotRun';
}

/**
 * Asks the question of a check, and judges the answer as people read it.
 *
 * @throws {CheckNotRun} When it is red and its answer had to do without something, such as the model.
 */
export async function runCheck(
  edition: Edition,
  check: KnowledgeCheckInput,
  options: CheckOptions,
): Promise<CheckResult> {
  const language = languageOfAsker({ question: check.question });
  const { answer, metadata } = await answerQuestion(edition, check.question, {
    ...options,
    language,
  });
  const result = judgeCheck(check, shownAnswer(edition, answer, language));
  const { degraded = [] } = metadata;
  if (result.state === 'red' && degraded.length > 0)
    throw new CheckNotRun(
      `Cannot run the check: its answer had to do without ${degraded.join(' and ')}. It is run again later`,
    );
  return result;
}

const MAX_CITED = 8;

const shownAnswer = (
  edition: Edition,
  { response, verdict, sources, probability }: NavigatorAnswer,
  language: string | undefined,
): CheckAnswer => {
  const ids = verdict === 'answer' ? [...new Set(response.sources.map(({ file }) => file))] : [];
  return {
    outcome: outcomeOf(verdict, probability),
    text: shortenAnswer(response.answer, sources, { phrases: answerPhrases(language) }),
    cites: ids.slice(0, MAX_CITED).map((id) => ({ id, title: titleOf(edition, id) })),
  };
};

const outcomeOf = (
  verdict: NavigatorAnswer['verdict'],
  probability: number,
): CheckAnswer['outcome'] => {
  if (verdict === 'underspecified') return 'asks_back';
  if (verdict !== 'answer') return 'declined';
  return isUnsure(probability) ? 'unsure' : 'answered';
};

const titleOf = (edition: Edition, id: string): string => {
  const at = edition.findArticle(id);
  return at < 0 ? id : edition.article(at).title.slice(0, 500);
};

/** What a function runs checks with. */
export interface CheckRunner {
  /** Id of the current edition; undefined when none was published. */
  currentEdition: () => Promise<string | undefined>;
  /** What some audiences may read of the current edition. */
  editionFor: (audiences: readonly string[], searches: readonly SearchToDo[]) => Promise<Edition>;
  run: (edition: Edition, check: KnowledgeCheckInput) => Promise<CheckResult>;
}

interface RunningChecks extends CheckRunner {
  book: CheckBook;
  now: () => number;
  random: () => number;
  onFault: (error: unknown) => void;
}

/** Checks of one step: each is noted when it has ended, so that a crash repeats one. */
const BATCH = 20;
/** No further check begins after this in one step. */
const STEP_MS = 20_000;
/** How often the current edition is looked at while there are checks. */
const LOOK_MS = 60_000;
/** Wait after the first failure of a check; longer and longer after each further one. */
const RETRY_MS = 300_000;

/**
 * Runs some of the checks that are due, all of them once there is another edition.
 *
 * @returns When to look at the current edition again, in milliseconds since 1970. Checks may still be due before.
 */
export async function workOnChecks(parts: RunningChecks): Promise<number> {
  const { book, currentEdition, now } = parts;
  const current = await currentEdition();
  const lookAt = now() + LOOK_MS;
  if (current === undefined) {
    book.putOff(lookAt);
    return lookAt;
  }
  book.noteEdition(current, now());
  const untilMs = now() + STEP_MS;
  const marksOf = marksReader(book);
  for (const check of book.due(BATCH, now())) {
    if (now() > untilMs) break;
    await runStored(check, { ...parts, marksOf });
    await turnOfOthers();
  }
  return lookAt;
}

const runStored = async (
  check: StoredCheck,
  {
    book,
    editionFor,
    run,
    now,
    random,
    onFault,
    marksOf,
  }: RunningChecks & { marksOf: MarksReader },
): Promise<void> => {
  const edition = await editionFor(check.audiences, searchesFor(check.input.question));
  // An edition of hits lacks the articles whose changes the marks tell.
  if (edition.meanings === undefined && !book.hasMarks(edition.id))
    book.keepMarks(edition.id, articleMarks(edition));
  try {
    const result = await run(edition, check.input);
    const changes = changesFor(check, { result, edition, marksOf });
    book.note({ ...check, result, edition: edition.id, changes }, now());
  } catch (error) {
    // The others are run nevertheless.
    onFault(error);
    book.postpone(
      check.id,
      edition.id,
      (failures) => now() + backOffMs(failures, { retryMs: RETRY_MS, random }),
    );
  }
};

type MarksReader = (edition: string) => ArticleMarks | undefined;

/** Reads the marks of an edition once. */
const marksReader = (book: CheckBook): MarksReader => {
  const marksByEdition = new Map<string, ArticleMarks | undefined>();
  return (edition) => {
    if (!marksByEdition.has(edition)) {
      const marks = book.marks(edition);
      marksByEdition.set(edition, marks && readMarks(marks));
    }
    return marksByEdition.get(edition);
  };
};

const MAX_CHANGES = 20;

/** The articles that changed since a check was last run that was green, and that its answer cited, cites now or has to cite. */
const changesFor = (
  { input, last, state }: StoredCheck,
  { result, edition, marksOf }: { result: CheckResult; edition: Edition; marksOf: MarksReader },
) => {
  if (last === undefined || state !== 'green' || result.state === 'green') return [];
  const marks = marksOf(last.edition);
  if (marks === undefined) return [];
  const required =
    input.cites === undefined ? [] : [{ id: input.cites, title: titleOf(edition, input.cites) }];
  const articles = new Map(
    [...required, ...last.cites, ...result.answer.cites].map((article) => [article.id, article]),
  );
  return [...articles.values()]
    .flatMap((article) => {
      const change = changeSince(edition, marks, article.id);
      return change === undefined ? [] : { ...article, change };
    })
    .slice(0, MAX_CHANGES);
};

const MAX_SHOWN = 4000;

/** Whether an answer is what a check expects; what is stored of its text is cut. */
export function judgeCheck(
  { contains, cites, declined }: KnowledgeCheckInput,
  answer: CheckAnswer,
): CheckResult {
  const isAnswered = answer.outcome === 'answered' || answer.outcome === 'unsure';
  const lacks: CheckLack[] = [];
  if (declined === true && isAnswered) lacks.push('declined');
  if (declined !== true && !isAnswered) lacks.push('answer');
  if (contains !== undefined && isAnswered && !states(answer.text, contains))
    lacks.push('contains');
  if (cites !== undefined && isAnswered && !answer.cites.some(({ id }) => id === cites))
    lacks.push('cites');
  return {
    state: lacks.length === 0 ? 'green' : 'red',
    lacks,
    answer: { ...answer, text: answer.text.slice(0, MAX_SHOWN) },
  };
}

/**
 * Whether a text stands in an answer, whatever its Markdown, case, white space and kind of quotation mark. A number at its edge has to end
 * there: "3 hours" does not stand in "13 hours".
 */
function states(answer: string, fact: string): boolean {
  const [text, fragment] = [comparable(answer), comparable(fact)];
  if (fragment === '') return false;
  for (let at = text.indexOf(fragment); at >= 0; at = text.indexOf(fragment, at + 1)) {
    const [before, after] = [
      text.slice(Math.max(0, at - 2), at),
      text.slice(at + fragment.length, at + fragment.length + 2),
    ];
    const isInNumber =
      (/^\d/.test(fragment) && /\d[.,]?$/.test(before)) ||
      (/\d$/.test(fragment) && /^(?:\d|[.,]\d)/.test(after));
    if (!isInNumber) return true;
  }
  return false;
}

/** Plain words in lower case, with single spaces and one kind of quotation mark and dash. */
const comparable = (markdown: string): string =>
  markdownToText(markdown)
    // Before the normal form, which makes two primes of a double one.
    .replaceAll(/[“”„«»″]/g, '"')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{Cf}*_`|\\]/gu, '')
    .replaceAll(/[‘’‚′]/g, "'")
    .replaceAll(/\p{Pd}/gu, '-')
    .replaceAll(/\s+/g, ' ')
    .trim();
