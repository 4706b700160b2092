import { NavigatorResponse } from '../contract/navigator-response.ts';
import { groundingProblems, prepareGrounds } from '../grounding/literals/check-grounding.ts';
import { isPlanted } from '../grounding/planted-text.ts';
import { prepareSource } from '../grounding/support/prepare-source.ts';
import { checkSupport, SUPPORTED_FROM } from '../grounding/support-check.ts';
import type { NavigatorAnswer } from './assemble-answer.ts';
import { languageOf } from './language-of.ts';
import type { ModelReply } from './model-reply.ts';
import { knowledgeOf, type ShownPassage } from './shown-passages.ts';
import { validateNavigatorResponse } from './validate-navigator-response.ts';

/** What is wrong with a reply, for the one who has to write it again, and how well its weakest statement is supported. */
export interface StatementsCheck {
  violations: string[];
  /** 0 to 1. */
  support: number;
}

/** Rules of seed 004 that concern what is said; how it is cited is not the model's to say. */
const CONTENT_RULES = new Set(
  (
    'url-in-source arn-in-source code-in-source command-in-source path-in-source identifier-in-source number-in-source ' +
    'sentence-supported not-contradicted'
  ).split(' '),
);

/**
 * Checks each statement of a reply against those passages alone that it names: a passage that was shown but is not named
 * supports nothing.
 */
export const checkStatements = (
  reply: ModelReply,
  { question, passages }: { question: string; passages: readonly ShownPassage[] },
): StatementsCheck => {
  const checked = reply.statements.map((statement) => checkStatement(statement, passages));
  return {
    violations: [...checked.flatMap(({ violations }) => violations), ...languageProblem(reply, { question, passages })],
    support: Math.min(1, ...checked.map(({ support }) => support)),
  };
};

const checkStatement = (
  { text, passages: ids }: ModelReply['statements'][number],
  passages: readonly ShownPassage[],
): StatementsCheck => {
  const cited = passages.filter(({ id }) => ids.includes(id));
  const said = JSON.stringify(text.slice(0, 120));
  if (cited.length === 0 || cited.length < ids.length)
    return { violations: [`${said} names a passage that was not given`], support: 0 };
  if (isPlanted(text)) return { violations: [`${said} is no statement about the subject`], support: 0 };
  const sources = cited.map(preparedOf);
  const support = checkSupport(text, sources);
  if (support.sentences.length === 0 && !text.includes('`'))
    return { violations: [`${said} states nothing by itself`], support: 0 };
  const doubted = support.sentences.filter(({ probability }) => probability < SUPPORTED_FROM);
  return {
    violations: [
      ...brokenRules(text, cited),
      ...doubted.map(({ text: sentence, doubts }) => {
        const why = doubts.slice(0, 3).map(({ reason, words }) => `${reason}: ${words}`);
        return `The named passages do not say ${JSON.stringify(sentence.slice(0, 120))} (${why.join('; ')})`;
      }),
      ...groundingProblems(text, groundsOf(cited)),
    ],
    support: support.score,
  };
};

const preparedOf = ({ text, hit, chunk }: ShownPassage) =>
  prepareSource({ text, title: [hit.source.title, ...chunk.headingPath, ...hit.source.devices].join('\n') });

const groundsOf = (cited: readonly ShownPassage[]) =>
  prepareGrounds(
    cited.map(({ text, hit, chunk }) => ({
      text,
      headings: [hit.source.title, ...chunk.headingPath],
      devices: hit.source.devices,
    })),
    cited.flatMap(({ hit }) => [hit.source.id, hit.source.url]),
  );

const brokenRules = (text: string, cited: readonly ShownPassage[]): string[] => {
  const files = [...new Set(cited.map(({ hit }) => hit.source.id))];
  const alone: NavigatorResponse = {
    answer: text,
    sources: files.map((file) => ({ file, section: 'section', relevance: 'named for this statement' })),
    confidence: 'low',
    confidenceReason: 'one statement is checked by itself',
    outOfDomain: false,
  };
  return validateNavigatorResponse(alone, knowledgeOf(cited, ''))
    .filter(({ rule }) => CONTENT_RULES.has(rule))
    .map(({ message }) => message);
};

/** In the question's language where a cited passage is in it, otherwise in the language of one that is. */
const languageProblem = (
  { statements }: ModelReply,
  { question, passages }: { question: string; passages: readonly ShownPassage[] },
): string[] => {
  const own = languageOf(statements.map(({ text }) => text).join('\n'));
  const asked = languageOf(question);
  if (own === undefined || own === asked) return [];
  const cited = passages.filter(({ id }) => statements.some(({ passages: ids }) => ids.includes(id)));
  const languages = cited.map(({ text }) => languageOf(text));
  if (asked !== undefined && languages.includes(asked))
    return [`The statements are in the language "${own}"; the question and its passages are in "${asked}"`];
  return languages.includes(own) || languages.includes(undefined)
    ? []
    : [`The statements are in the language "${own}", which neither the question nor its passages are in`];
};

/** The answer as a whole, as it would go out. */
export const checkAnswer = ({ response }: NavigatorAnswer, passages: readonly ShownPassage[]): string[] => {
  const read = NavigatorResponse.safeParse(response);
  if (!read.success) return read.error.issues.slice(0, 5).map(({ message }) => `The answer ${message}`);
  return validateNavigatorResponse(response, knowledgeOf(passages, response.edition ?? '')).map(
    ({ message }) => message,
  );
};
