import type { Taxonomy } from '../../contract/wire/taxonomy.ts';
import { analyseText } from '../../language/analyse-text.ts';
import { sentencesIn } from '../../language/split-sentences.ts';
import { stem } from '../../language/stem.ts';
import { oncePer } from '../../platform/once-per.ts';
import WORDS from './already-tried.json' with { type: 'json' };
import { anyLanguage, wordsExpression } from './languages.ts';

/** What was tried before, according to a ticket. Each action is the set of its stems. */
export interface AlreadyTried {
  /** Actions that the customer reports, in few words: `restart`, `check cable`. */
  reported: readonly ReadonlySet<string>[];
  /** Sentences of earlier advice by agents. */
  advised: readonly ReadonlySet<string>[];
}

/**
 * Collects what the customer reports to have tried and what an agent has advised before.
 *
 * @param messages.customer Messages of the customer, oldest first.
 * @param messages.agent Messages of agents, oldest first.
 * @param taxonomy Its product names and commonest words do not tell one action from another.
 */
export function alreadyTried(
  { customer, agent }: { customer: readonly string[]; agent: readonly string[] },
  taxonomy: CommonWordSource,
): AlreadyTried {
  const common = commonStems(taxonomy);
  return {
    reported: customer
      .slice(-MAX_MESSAGES)
      .flatMap((text) => actionsIn(text, common))
      .slice(0, MAX_ACTIONS),
    advised: agent
      .slice(-MAX_MESSAGES)
      .flatMap((text) => withNext(sentencesOf(text)).map(stemsOf))
      .filter(({ size }) => size >= 2)
      .slice(0, MAX_ACTIONS),
  };
}

/**
 * Whether a step was already tried: it names every word of a reported action, or repeats nearly all words of a sentence that an agent
 * has written.
 *
 * @param under The heading and the sentence that introduce the step; they may say what a whole list is about.
 * @param title Title of the article, which completes a heading such as "Update from the dashboard".
 */
export function wasTried(
  step: string,
  { reported, advised }: AlreadyTried,
  { under = '', title = '' }: { under?: string; title?: string } = {},
): boolean {
  if (reported.length === 0 && advised.length === 0) return false;
  const own = stemsOf(step);
  const heading = stemsOf(under);
  const article = stemsOf(title);
  const isReported = reported.some((action) => {
    const [first] = action;
    if (first === undefined) return false;
    // "Update from the dashboard" in the article "Update the firmware".
    const hasVerbInHeading = [...action].some((each) => VERB_STEMS.has(each) && heading.has(each));
    if (hasVerbInHeading && [...action].every((each) => heading.has(each) || article.has(each)))
      return true;
    if (![...action].every((each) => own.has(each) || heading.has(each))) return false;
    // A passing mention is not the step itself: "wait 15 minutes after the restart".
    return (
      heading.has(first) || instructionsOf(step).some((each) => beginsWithAction(each, action))
    );
  });
  return (
    isReported || (own.size >= 2 && advised.some((sentence) => shareIn(own, sentence) >= SAME_FROM))
  );
}

const MAX_MESSAGES = 20;
const MAX_ACTIONS = 60;
const MAX_LENGTH = 4000;
const SAME_FROM = 0.8;

const shareIn = (own: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...own].filter((each) => other.has(each)).length / own.size;

/** The step, and the instructions behind its condition: "LED amber: no address. Try another cable." */
const instructionsOf = (step: string): string[] => {
  const [, instructions] =
    /^[^:\n]{1,80}:[*_]{0,3}\s+(\S[^\n]*)$/.exec(step.split('\n', 1)[0] ?? '') ?? [];
  return instructions === undefined
    ? [step]
    : [step, ...instructions.split(/(?<=[.!])\s+/).slice(0, 3)];
};

/** One of the first four words belongs to the action. */
const beginsWithAction = (step: string, action: ReadonlySet<string>): boolean =>
  [...stemsOf(step.replace(/^\s*(?:[-*+]|\d{1,3}[.)])\s+/, ''))]
    .slice(0, 4)
    .some((each) => action.has(each));

/** Each sentence, alone and together with the next one: a step may consist of two sentences. */
const withNext = (sentences: readonly string[]): string[] =>
  sentences.flatMap((each, at) =>
    at + 1 < sentences.length ? [each, `${each} ${sentences[at + 1]}`] : [each],
  );

const sentencesOf = (text: string): string[] => {
  const read = text.slice(0, MAX_LENGTH);
  return sentencesIn(read).slice(0, 60);
};

const actionsIn = (text: string, common: ReadonlySet<string>): ReadonlySet<string>[] =>
  sentencesOf(text).flatMap((written) => {
    if (written.endsWith('?')) return [];
    const sentence = written.replace(POWERED_OFF_AND_ON, '$&, restarted,');
    const actionOf = (part: string) => actionStems(part, common);
    const phrase = TRIED.exec(sentence);
    // The action follows the phrase; in languages other than English it may stand on both sides.
    const tried =
      phrase === null || NOT_TRIED.test(sentence)
        ? ''
        : ALREADY_ANYWHERE.test(phrase[0])
          ? sentence
          : sentence.slice(phrase.index);
    const following = tried.split(SEPARATOR).map(actionOf);
    // "Running on low already": the action stands before the phrase.
    const isBefore = tried !== '' && following.every(({ size }) => size === 0);
    const preceding = isBefore ? sentence.split(SEPARATOR).map(actionOf) : [];
    const withoutEffect = actionOf(NO_EFFECT.exec(sentence)?.[1] ?? '');
    const done = sentence
      .split(SEPARATOR)
      .filter(
        (part, at) =>
          (DONE.test(part) && !NOT_DONE.test(part)) ||
          ((IN_VAIN.test(part) || (at === 0 && ENDS_WITHOUT_RESULT.test(sentence))) &&
            ACTION.test(part)),
      )
      .map((part) => actionOf(part.replace(IN_VAIN, ' ').replace(PRONOUNS, ' ')));
    const updated = UP_TO_DATE.test(sentence) ? [UPDATED] : [];
    return [...following, ...preceding, withoutEffect, ...done, ...updated].filter(
      ({ size }) => size > 0 && size <= MAX_WORDS,
    );
  });

const MAX_WORDS = 4;

const alternativesOf = (lists: Readonly<Record<string, readonly string[]>>): string =>
  Object.values(lists).flat().join('|');

/** "I have already", "tried", "we did", "habe schon", "déjà", "ya he". */
const TRIED = wordsExpression([alternativesOf(WORDS.tried), alternativesOf(WORDS.alreadyAnywhere)]);
const ALREADY_ANYWHERE = anyLanguage(WORDS.alreadyAnywhere);
/** "I have not tried", "I already know". */
const NOT_TRIED = anyLanguage(WORDS.notTried);
const SEPARATOR = new RegExp(`[,;–—]|${anyLanguage(WORDS.conjunctions).source}`, 'iu');
/** "restarted", "cables checked", "was replaced". */
const DONE = anyLanguage(WORDS.done);
const NOT_DONE = anyLanguage(WORDS.notDone);
const ACTION = wordsExpression([
  `(?:${alternativesOf(WORDS.verbs)})(?:s|ed|d|ing|ting)?`,
  alternativesOf(WORDS.irregularVerbs),
]);
/** "did not help", "without success". */
const IN_VAIN = anyLanguage(WORDS.inVain);
/** "Gave it a reboot, no luck." */
const ENDS_WITHOUT_RESULT = new RegExp(
  `^[^,;–—.]{1,60}[,;–—.]\\s{1,3}(?:but |still |with )?${anyLanguage(WORDS.noResult).source}`,
  'iu',
);
/** "Low power mode makes no difference": group 1 is the action. */
const NO_EFFECT = new RegExp(
  `^(?:\\s*(?:but|and|also) )?(.{3,60}?) ${anyLanguage(WORDS.noEffect).source}`,
  'iu',
);
const PRONOUNS = new RegExp(anyLanguage(WORDS.pronouns).source, 'giu');
const UP_TO_DATE = anyLanguage(WORDS.upToDate);
const POWERED_OFF_AND_ON = new RegExp(anyLanguage(WORDS.poweredOffAndOn).source, 'giu');

/** The stems that name an action. */
const actionStems = (part: string, common: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...stemsOf(part)].filter((each) => !FILLERS.has(each) && !common.has(each)));

const stemsOf = (text: string): Set<string> => {
  const stems = new Set<string>();
  analyseText(text.slice(0, MAX_LENGTH), (word, kind) => {
    if (kind !== 'joined') stems.add(canonicalStem(word));
  });
  return stems;
};

const canonicalStem = (word: string): string => SYNONYMS.get(stem(word)) ?? stem(word);

const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS.synonyms).map(([word, same]) => [stem(word), stem(same)]),
);
const VERB_STEMS: ReadonlySet<string> = new Set(
  Object.values(WORDS.verbs).flat().map(canonicalStem),
);
const FILLERS: ReadonlySet<string> = new Set(
  Object.values(WORDS.fillers)
    .flat()
    .flatMap((line) => line.split(' '))
    .map(stem),
);
const UPDATED: ReadonlySet<string> = new Set(['update', 'firmware'].map(stem));

/** The part of a taxonomy that product names and common words are read from. */
interface CommonWordSource extends Pick<Taxonomy, 'devices'> {
  intents: readonly Pick<Taxonomy['intents'][number], 'examples'>[];
}

/** A word in the examples of this share of all intents is about the product line, not about an action. */
const COMMON_FROM = 0.85;
/** With fewer intents any word may occur in most of them. */
const MIN_INTENTS = 8;

const commonStems = oncePer(({ devices, intents }: CommonWordSource): ReadonlySet<string> => {
  const counts = new Map<string, number>();
  for (const { examples } of intents)
    for (const each of new Set(examples.flatMap((example) => [...stemsOf(example)])))
      counts.set(each, (counts.get(each) ?? 0) + 1);
  const least =
    intents.length < MIN_INTENTS ? Number.POSITIVE_INFINITY : COMMON_FROM * intents.length;
  const common = [...counts].flatMap(([each, count]) => (count >= least ? [each] : []));
  return new Set([...stemsOf(devices.join('\n')), ...common]);
});
