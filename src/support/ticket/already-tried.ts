import { analyseText } from '../../text/analyse-text.ts';
import { splitSentences } from '../../text/split-sentences.ts';
import { stem } from '../../text/stem.ts';

/** What a ticket says was done before: each thing by the stems of its words. */
export interface AlreadyTried {
  /** Told by the customer, in few words: `restart`, `check cable`. */
  told: readonly ReadonlySet<string>[];
  /** Said by an agent earlier, sentence by sentence. */
  advised: readonly ReadonlySet<string>[];
}

/** What the customer says was tried, and what an agent has advised before. */
export const alreadyTried = ({
  customer,
  agent,
}: {
  customer: readonly string[];
  agent: readonly string[];
}): AlreadyTried => ({
  told: customer.slice(-MAX_TEXTS).flatMap(toldIn).slice(0, MAX_THINGS),
  advised: agent
    .slice(-MAX_TEXTS)
    .flatMap((text) => withNext(sentencesOf(text)).map(stemsOf))
    .filter(({ size }) => size >= 2)
    .slice(0, MAX_THINGS),
});

/**
 * Whether a step is one that was done: it names the whole of a thing that the customer tells, or says again nearly all that an
 * agent has advised.
 *
 * @param under The heading and the sentence that introduces it: they tell what a whole list is about.
 * @param title Of the article: it tells what is done by a list whose heading says only what is done.
 */
export const wasTried = (
  step: string,
  { told, advised }: AlreadyTried,
  { under = '', title = '' }: { under?: string; title?: string } = {},
): boolean => {
  if (told.length === 0 && advised.length === 0) return false;
  const own = stemsOf(step);
  const about = stemsOf(under);
  const above = stemsOf(title);
  const isTold = told.some((thing) => {
    const [first] = thing;
    if (first === undefined) return false;
    // "Update from the dashboard" in "Update the firmware".
    const isDoing = [...thing].some((each) => DOING.has(each) && about.has(each));
    if (isDoing && [...thing].every((each) => about.has(each) || above.has(each))) return true;
    if (![...thing].every((each) => own.has(each) || about.has(each))) return false;
    // A passing mention is not the step itself: "wait 15 minutes after the restart".
    return about.has(first) || instructionsOf(step).some((each) => opensWith(each, thing));
  });
  return isTold || (own.size >= 2 && advised.some((said) => shareIn(own, said) >= SAME_FROM));
};

const MAX_TEXTS = 20;
const MAX_THINGS = 60;
const MAX_READ = 4000;
const SAME_FROM = 0.8;

const shareIn = (own: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...own].filter((each) => other.has(each)).length / own.size;

/** A step, and what it says to do behind the case that it is for: "LED amber: no address. Try another cable." */
const instructionsOf = (step: string): string[] => {
  const [, behind] = /^[^:\n]{1,80}:[*_]{0,3}\s+(\S[^\n]*)$/.exec(step.split('\n', 1)[0] ?? '') ?? [];
  return behind === undefined ? [step] : [step, ...behind.split(/(?<=[.!])\s+/).slice(0, 3)];
};

/** One of its first words is what was done. */
const opensWith = (step: string, thing: ReadonlySet<string>): boolean =>
  [...stemsOf(step.replace(/^\s*(?:[-*+]|\d{1,3}[.)])\s+/, ''))].slice(0, 4).some((each) => thing.has(each));

/** Each, and each with the one behind it: a step may be of two sentences. */
const withNext = (sentences: readonly string[]): string[] =>
  sentences.flatMap((each, at) => (at + 1 < sentences.length ? [each, `${each} ${sentences[at + 1]}`] : [each]));

const sentencesOf = (text: string): string[] => {
  const read = text.slice(0, MAX_READ);
  return splitSentences(read)
    .map(({ start, end }) => read.slice(start, end))
    .slice(0, 60);
};

const toldIn = (text: string): ReadonlySet<string>[] =>
  sentencesOf(text).flatMap((told) => {
    if (told.endsWith('?')) return [];
    const sentence = told.replace(OFF_AND_ON, '$&, restarted,');
    const cue = CUE.exec(sentence);
    // What stands behind the cue; in German and Dutch it may stand on both sides.
    const said =
      cue === null || DENIED.test(sentence) ? '' : cue[1] === undefined ? sentence.slice(cue.index) : sentence;
    const behind = said.split(PARTS).map(thingIn);
    // "Running in Eco already": what was done stands before the cue.
    const isBefore = cue !== null && said !== '' && behind.every(({ size }) => size === 0);
    const useless = [...(isBefore ? sentence.split(PARTS) : []), OF_NO_USE.exec(sentence)?.[1] ?? ''].map(thingIn);
    const done = sentence
      .split(PARTS)
      .filter(
        (part, at) =>
          (DONE.test(part) && !NOT_DONE.test(part)) ||
          ((IN_VAIN.test(part) || (at === 0 && NO_JOY.test(sentence))) && ACTION.test(part)),
      )
      .map((part) => thingIn(part.replace(IN_VAIN, ' ').replace(WHO, ' ')));
    const isNewest = NEWEST.test(sentence) ? [UPDATED] : [];
    return [...behind, ...useless, ...done, ...isNewest].filter((thing) => thing.size > 0 && thing.size <= MAX_WORDS);
  });

const MAX_WORDS = 4;

/** "I have already", "tried", "we did", "habe schon", "déjà", "ya he". The group tells that what was done may stand before. */
const CUE =
  /\b(?:tried|already|even after|(?:i|we|i['’]ve|we['’]ve)(?: have| also| even){0,2} (?:did|done|followed|made|ran|went|put|pulled|opened|turned|switched|cut|changed|re\w{2,12}ed))\b|\b(bereits|schon|déjà|ya|già|já|al)\b/i;
/** "I have not tried", "I already know": nothing was done. */
const DENIED =
  /\b(?:not|never|haven['’]t|hasn['’]t|didn['’]t) (?:\w{1,12} ){0,2}tried\b|\balready (?:know|paid|ordered|wrote|asked|own|have)\b/i;
const PARTS = /[,;–—]|\b(?:and|or|but|then|und|oder|et|ou|puis|y|e|o|en)\b/i;

const WORK =
  'restart|reboot|reset|update|upgrade|reflash|flash|clean|unplug|replug|reseat|replace|swap|exchange|check|reinstall|reconnect|disconnect|power[- ]cycle';
/** What helps may also be told as done: "restarted", "cables checked", "was replaced". */
const DONE =
  /\b(?:restarted|rebooted|reset|updated|upgraded|(?:re)?flashed|cleaned|(?:un|re)plugged|reseated|replaced|swapped|exchanged|checked|vacuumed|hoovered|wiped|reinstalled|reconnected|disconnected|power[- ]cycled|(?:switched|turned) (?:it |everything |the \w{1,12} )?off|used (?:a|an)(?:other)? (?:new|different|other)|moved (?:it|the \w{1,12}) to (?:a|an)(?:other)?)\b/i;
const NOT_DONE =
  /\b(?:not|never|cannot|can|could|should|must|may|will|would|be|being|to|shall|if|when|until|before|n['’]t)\b|n['’]t\b/i;
const ACTION = new RegExp(`\\b(?:${WORK})(?:s|ed|d|ing|ting)?\\b|\\b(?:updat|upgrad|replac|exchang)ing\\b`, 'i');
/** It was done, and did not help. */
const IN_VAIN =
  /\b(?:did(?: not|n['’]t)|does(?: not|n['’]t)|has(?: not|n['’]t)) (?:help|work|fix|solve|change|make)(?:ed|d)?\b.{0,60}|\b(?:no|without) (?:luck|joy|effect|difference|success|improvement|change|result)\b|\b(?:was|is|were) (?:useless|pointless|in vain|no (?:use|help))\b|\bdoes(?: not|n['’]t) do (?:a|any) ?thing\b/i;
/** What was done, and behind it that it did not help. */
const NO_JOY =
  /^[^,;–—.]{1,60}[,;–—.]\s{1,3}(?:but |still |with )?(?:no (?:luck|joy|change|difference|effect)|same (?:thing|result)|nothing changed|nada)\b/i;
const WHO = /\b(?:i|we|it|they|he|she)\b/gi;
const NEWEST =
  /\b(?:latest|newest|current|most recent)\b.{0,20}\b(?:firmware|software|version)\b|\b(?:firmware|software)\b.{0,20}\bup[- ]to[- ]date\b/i;

const OFF_AND_ON =
  /(?<!(?:not|never|n['’]t) )\b(?:switch|turn|power)(?:ed|ing)? (?:it |everything |the \w{1,12} )?off and (?:back )?on\b|\bpower[- ]?cycl(?:ed|ing)\b|(?<!(?:not|never|n['’]t) )\b(?:pulled|yanked|unplugged|disconnected) (?:it|everything|(?:the|its) (?:power|plug|mains|miner|device|unit|machine)(?: (?:plug|cable|cord))?)\b/gi;
/** "Eco mode makes no difference", "another pool does the same". */
const OF_NO_USE =
  /^(?:\s*(?:but|and|also) )?(.{3,60}?) (?:(?:makes?|made|brings?|brought) no (?:difference|change)|ha[sd] no effect|(?:does|did|behaves?) the same)\b/i;

/** Of the words of a part, those that name what was done. */
const thingIn = (part: string): ReadonlySet<string> => new Set([...stemsOf(part)].filter((each) => !FILLERS.has(each)));

const stemsOf = (text: string): Set<string> => {
  const stems = new Set<string>();
  analyseText(text.slice(0, MAX_READ), (word, kind) => {
    if (kind !== 'joined') stems.add(SAME.get(stem(word)) ?? stem(word));
  });
  return stems;
};

/** Other words for the same. */
const SAME: ReadonlyMap<string, string> = new Map(
  [
    ['reboot', 'restart'],
    ['rebooting', 'restart'],
    ['powercycle', 'restart'],
    ['upgrade', 'update'],
    ['cord', 'cable'],
    ['plug', 'cable'],
    ['lead', 'cable'],
    ['swap', 'replace'],
    ['exchange', 'replace'],
    ['verify', 'check'],
    ['vacuum', 'clean'],
    ['hoover', 'clean'],
    ['wipe', 'clean'],
    ['outlet', 'socket'],
    ['psu', 'supply'],
  ].map(([one = '', other = '']) => [stem(one), stem(other)]),
);

/** Of what was done, the verbs. */
const DOING: ReadonlySet<string> = new Set(WORK.split('|').map((each) => SAME.get(stem(each)) ?? stem(each)));

const FILLERS: ReadonlySet<string> = new Set(
  (
    'tried try already also even after both another other others different new used use moved move running each own every twice thrice hardly times time several many still everything nothing all thing things device miner unit machine ' +
    'without success luck help helped result no not one two three four five few couple before now yesterday today did done made ' +
    'have had has been was again properly correctly working work works apollo just so far know see day days hour hours run ran use using set last week weeks month months year morning night overnight evening minute minutes first gave give out'
  )
    .split(' ')
    .map(stem),
);

const UPDATED: ReadonlySet<string> = new Set(['update', 'firmware'].map(stem));
