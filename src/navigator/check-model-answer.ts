import { NavigatorResponse } from '../contract/navigator-response.ts';
import { isPlanted } from '../knowledge/answers/planted-text.ts';
import { foundIn } from '../knowledge/answers/support/find-evidence.ts';
import { type PreparedSource, prepareSource } from '../knowledge/answers/support/prepare-source.ts';
import { readWords } from '../knowledge/answers/support/read-words.ts';
import { checkSupport, SUPPORTED_FROM } from '../knowledge/answers/support-check.ts';
import type { NavigatorAnswer } from './answer-from-edition.ts';
import { languageOf } from './language-of.ts';
import type { ModelReply } from './model-reply.ts';
import { knowledgeOf, type ShownPassage } from './shown-passages.ts';
import { swappedNumbers } from './swapped-numbers.ts';
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
      ...swappedNumbers(
        text,
        cited.map((passage) => passage.text),
      ).map(
        ([one, other]) =>
          `The named passages say of ${one} what the statement says of ${other}, and the other way round`,
      ),
      ...[...strangeWords(text, sources), ...strangers(text, cited)].map(
        (word) => `The named passages do not have ${JSON.stringify(word)}`,
      ),
    ],
    support: support.score,
  };
};

const preparedOf = ({ text, hit, chunk }: ShownPassage) =>
  prepareSource({ text, title: [hit.source.title, ...chunk.headingPath, ...hit.source.devices].join('\n') });

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

/**
 * Words of content that neither the passages have nor another form or synonym of them. To a reader who cannot tell, one
 * word more is a fact more: "with vinegar". The model is told which, and finds the passage's own.
 */
const strangeWords = (text: string, sources: readonly PreparedSource[]): string[] => {
  const places = sources.flatMap(({ index, title }) => [index, title.forms]);
  const words = readWords(withoutCode(text)).filter(
    (word) =>
      (word.role === 'content' || word.role === 'name') &&
      word.weight >= TELLING &&
      !GLUE.has(word.text) &&
      foundIn(word, places) === 0,
  );
  return [...new Set(words.map((word) => word.text))].slice(0, 10);
};

/** Code is held literally against the passages. */
const withoutCode = (text: string): string => text.replace(/(`{1,3})[^`]*\1/g, ' ');

/** Words of being, doing and speaking weigh less. */
const TELLING = 0.7;

/** Words that join and introduce, and state nothing of the subject. */
const GLUE = new Set(
  (
    'tell tells show shows indicate indicates mean means need needs needed necessary require requires required ensure ensures ' +
    'perform follow following follows please note happen happens occur occurs apply applies according describe describes ' +
    'described explain explains article articles documentation section step steps instruction instructions case order next ' +
    'afterwards instead respectively depending depends proceed done whether similar similarly briefly regarding related ' +
    'relevant specific specifically general particular particularly example examples instance various addition additionally ' +
    'moreover furthermore thus hence therefore result results due based able allow allows help helps provide provides provided ' +
    'contain contains consist consists refer refers mention mentions mentioned specify specifies specified state stated list ' +
    'listed given give gives take takes taken want wants consider considered involve involves considering come comes look ' +
    'looks see find finds found try part parts type types kind kinds certain likely currently overall mainly available'
  ).split(' '),
);

/**
 * Names and addresses that the passages lack: words with a capital within a sentence, hosts, mail addresses. Not where all
 * words begin with one, as in a heading.
 */
const strangers = (text: string, cited: readonly ShownPassage[]): string[] => {
  const sources = cited
    .map(({ text: own, hit, chunk }) =>
      [own, hit.source.id, hit.source.title, hit.source.url, ...hit.source.devices, ...chunk.headingPath].join('\n'),
    )
    .join('\n')
    .toLowerCase();
  const names = text.match(/(?<=[\p{Ll}\p{N},;:)"'] ["'(]?)\p{Lu}[\p{L}\p{N}]{1,40}/gu) ?? [];
  const addresses =
    text.match(
      /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+|\b(?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,18}\b(?:\/[^\s)\]>]*)?/gi,
    ) ?? [];
  const unknown = [...names, ...addresses].filter(
    (word) => !holds(sources, word.toLowerCase().replace(/[.,;:!?]+$/, '')),
  );
  return [...new Set(unknown)].slice(0, 10);
};

/** As a word, or as the beginning of one: "Kessels" for "Kessel" is no stranger the other way round only. */
const holds = (sources: string, word: string): boolean => {
  for (let at = sources.indexOf(word); at >= 0; at = sources.indexOf(word, at + 1)) {
    if (!/[\p{L}\p{N}]/u.test(sources[at - 1] ?? ' ')) return true;
  }
  return false;
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
