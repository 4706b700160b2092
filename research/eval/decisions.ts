import type { EmbeddingProvider } from '../../src/ai/embeddings/base.ts';
import { answerFromEdition, HITS } from '../../src/answering/write/answer-from-edition.ts';
import type { NavigatorAnswer } from '../../src/answering/write/navigator-answer.ts';
import type { Edition } from '../../src/knowledge/edition/open-edition.ts';
import type { SearchOutcome } from '../../src/knowledge/search/search-edition.ts';
import { areaUnderCurve, calibrationError } from './decision-metrics.ts';
import { askAll, embeddedEdition } from './embed-set.ts';
import { type JudgedQuestion, type JudgedSet, readLines } from './eval-data.ts';
import type { AskedSet } from './relevance.ts';
import type { Measure } from './retrieval.ts';

/** Every n-th text of BANKING77 is an out-of-domain question for another knowledge base. */
const EVERY = 4;
/** No passages are removed from a larger set: building an edition per fold would take too long. */
const FOLDS = 5;

interface Parts {
  sets: readonly AskedSet[];
  provider: EmbeddingProvider;
}

/**
 * Measures what the navigator answers and declines, by words alone and with meaning: in-domain, out-of-domain and unanswerable questions.
 */
export async function measureDecisions(
  folder: string,
  { sets, provider }: Parts,
): Promise<Measure[]> {
  const foreign = readLines<{ text: string }>(folder, 'banking77/test.jsonl')
    .filter((_, at) => at % EVERY === 0)
    .map(({ text }, at) => ({
      id: `banking77 ${at}`,
      text,
      relevant: new Set<string>(),
      history: [],
    }));
  const measures: Measure[] = [];
  console.log(
    `\nDecisions ${' '.repeat(36)} answered   right   refused of banking77   answered with its passage taken out`,
  );
  for (const { set, edition } of sets) {
    const own = await decide(set.questions, { set, edition, provider });
    const others = await decide(foreign, { set, edition, provider });
    const removed = await decideWithoutPassage(set, provider);
    for (const by of ['words', 'both'] as const) {
      const { answers: given, right } = tallyOf(own[by]);
      const refused = 1 - tallyOf(others[by]).answers;
      const wrongly = removed === undefined ? undefined : tallyOf(removed[by]).answers;
      console.log(
        `${`${set.name}, ${by}`.padEnd(46)} ${percent(given)} ${percent(right)} ${percent(refused).padStart(22)} ${wrongly === undefined ? '' : percent(wrongly).padStart(36)}`,
      );
      measures.push(
        {
          name: `${set.name}: own questions answered, ${by}`,
          value: given,
          note: `right passage cited ${percent(right).trim()}`,
        },
        { name: `${set.name}: banking77 refused, ${by}`, value: refused },
        {
          name: `${set.name}: calibration error of answers, ${by}`,
          value: calibrationError(judgedOf(own[by])),
        },
      );
      if (removed !== undefined)
        measures.push({
          name: `${set.name}: answerable against removed (AUROC), ${by}`,
          value: areaUnderCurve(evidenceOf(own[by]), evidenceOf(removed[by])),
        });
    }
  }
  return measures;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`.padStart(8);

interface Decided {
  question: JudgedQuestion;
  answer: NavigatorAnswer;
  set: JudgedSet;
}

type Both = Record<'words' | 'both', Decided[]>;

const decide = async (
  questions: readonly JudgedQuestion[],
  { set, edition, provider }: { set: JudgedSet; edition: Edition; provider: EmbeddingProvider },
): Promise<Both> => {
  const asked = await askAll({ questions: [...questions] }, { edition, provider, limit: HITS });
  const answersFor = (outcomeOf: (each: (typeof asked)[number]) => SearchOutcome): Decided[] =>
    asked.map((question) => {
      const { text, history } = question;
      const answer = answerFromEdition(edition, text, { outcome: outcomeOf(question), history });
      return { question, answer, set };
    });
  return {
    words: answersFor(({ byWords }) => byWords),
    both: answersFor(({ hybrid }) => hybrid),
  };
};

/** Every question once against an edition from which its passages, and a fifth of all, were taken out. */
const decideWithoutPassage = async (
  set: JudgedSet,
  provider: EmbeddingProvider,
): Promise<Both | undefined> => {
  if (set.judgedBy !== 'section') return undefined;
  const removed: Both = { words: [], both: [] };
  const foldOf = new Map(
    [...new Set(set.questions.flatMap(({ relevant }) => [...relevant]))].map((unit, at) => [
      unit,
      at % FOLDS,
    ]),
  );
  for (let out = 0; out < FOLDS; out += 1) {
    const articles = set.articles.map((article) => ({
      ...article,
      text: article.text
        .split(/^(?=## Section \d+$)/m)
        .filter(
          (section) => foldOf.get(`${article.id} ${/Section \d+/.exec(section)?.[0]}`) !== out,
        )
        .join(''),
    }));
    const edition = await embeddedEdition({ name: set.name, articles }, provider);
    const questions = set.questions.filter(({ relevant }) =>
      [...relevant].every((unit) => foldOf.get(unit) === out),
    );
    const answers = await decide(questions, { set, edition, provider });
    removed.words.push(...answers.words);
    removed.both.push(...answers.both);
  }
  return removed;
};

const isRight = ({ question: { relevant }, answer: { response }, set }: Decided): boolean =>
  response.sources.some(({ file, section }) =>
    relevant.has(set.judgedBy === 'article' ? file : `${file} ${section}`),
  );

const tallyOf = (decided: readonly Decided[]): { answers: number; right: number } => {
  const given = decided.filter(({ answer: { verdict } }) => verdict === 'answer');
  return {
    answers: given.length / Math.max(1, decided.length),
    right: given.filter(isRight).length / Math.max(1, given.length),
  };
};

const judgedOf = (decided: readonly Decided[]) =>
  decided
    .filter(({ answer: { verdict } }) => verdict === 'answer')
    .map((each) => ({ confidence: each.answer.probability, isRight: isRight(each) }));

const evidenceOf = (decided: readonly Decided[]): number[] =>
  decided.map(({ answer: { probability } }) => probability);
