import { splitSentences } from '../../knowledge/answers/split-sentences.ts';
import { analyseText } from '../../knowledge/search/analyse-text.ts';
import { stem } from '../../knowledge/search/stem.ts';

/** What a ticket says was done before: each thing by the stems of its words. */
export interface TriedAlready {
  /** Told by the customer, in few words: `restart`, `check cable`. */
  told: readonly ReadonlySet<string>[];
  /** Said by an agent earlier, sentence by sentence. */
  advised: readonly ReadonlySet<string>[];
}

/** What the customer says was tried, and what an agent has advised before. */
export const triedAlready = ({
  customer,
  agent,
}: {
  customer: readonly string[];
  agent: readonly string[];
}): TriedAlready => ({
  told: customer.slice(-MAX_TEXTS).flatMap(toldIn).slice(0, MAX_THINGS),
  advised: agent
    .slice(-MAX_TEXTS)
    .flatMap((text) => sentencesOf(text).map(stemsOf))
    .filter(({ size }) => size >= 2)
    .slice(0, MAX_THINGS),
});

/**
 * Whether a step is one that was done: it names the whole of a thing that the customer tells, or says again nearly all that an
 * agent has advised.
 *
 * @param under The heading and the sentence that introduces it: they tell what a whole list is about.
 */
export const wasTried = (step: string, { told, advised }: TriedAlready, under = ''): boolean => {
  if (told.length === 0 && advised.length === 0) return false;
  const own = stemsOf(step);
  const about = stemsOf(under);
  const isTold = told.some((thing) => {
    const [first] = thing;
    if (first === undefined || ![...thing].every((each) => own.has(each) || about.has(each))) return false;
    // A passing mention is not the step itself: "wait 15 minutes after the restart".
    return about.has(first) || opensWith(step, thing);
  });
  return isTold || (own.size >= 2 && advised.some((said) => shareIn(own, said) >= SAME_FROM));
};

const MAX_TEXTS = 20;
const MAX_THINGS = 60;
const MAX_READ = 4000;
const SAME_FROM = 0.8;

const shareIn = (own: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...own].filter((each) => other.has(each)).length / own.size;

/** One of its first words is what was done. */
const opensWith = (step: string, thing: ReadonlySet<string>): boolean =>
  [...stemsOf(step.replace(/^\s*(?:[-*+]|\d{1,3}[.)])\s+/, ''))].slice(0, 4).some((each) => thing.has(each));

const sentencesOf = (text: string): string[] => {
  const read = text.slice(0, MAX_READ);
  return splitSentences(read)
    .map(({ start, end }) => read.slice(start, end))
    .slice(0, 60);
};

const toldIn = (text: string): ReadonlySet<string>[] =>
  sentencesOf(text).flatMap((sentence) => {
    const cue = CUE.exec(sentence);
    if (cue === null || DENIED.test(sentence)) return [];
    // What stands behind the cue; in German and Dutch it may stand on both sides.
    const said = cue[1] === undefined ? sentence.slice(cue.index) : sentence;
    return said
      .split(PARTS)
      .map((part) => thingIn(part))
      .filter((thing) => thing.size > 0 && thing.size <= 4);
  });

/** "I have already", "tried", "we rebooted", "habe schon", "déjà", "ya he". The group tells that what was done may stand before. */
const CUE =
  /\b(?:tried|already|(?:i|we|i['’]ve|we['’]ve)(?: have| also| even){0,2} (?:re\w{2,12}ed|restarted|reset|unplugged|plugged|cleaned|checked|updated|upgraded|swapped|changed|turned|switched|cut|did|done|power[- ]cycled|flashed|followed|made|ran|tested|went|put|pulled|opened))\b|\b(bereits|schon|déjà|ya|già|já|al)\b/i;
/** "I have not tried", "I already know": nothing was done. */
const DENIED =
  /\b(?:not|never|haven['’]t|hasn['’]t|didn['’]t) (?:\w{1,12} ){0,2}tried\b|\balready (?:know|paid|ordered|wrote|asked|own|have)\b/i;
const PARTS = /[,;]|\b(?:and|or|then|und|oder|et|ou|puis|y|e|o|en)\b/i;

/** Of the words of a part, those that name what was done. */
const thingIn = (part: string): ReadonlySet<string> => {
  const stems = [...stemsOf(part.replace(/\b(?:switch|turn)(?:ed|ing) (?:it|the \w{1,12}) off and on\b/i, 'restart'))];
  return new Set(stems.filter((each) => !FILLERS.has(each)));
};

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
  ].map(([one = '', other = '']) => [stem(one), stem(other)]),
);

const FILLERS: ReadonlySet<string> = new Set(
  (
    'tried try already also even twice times time several many still everything nothing all thing things device miner unit machine ' +
    'without success luck help helped result no not one two three four five few couple before now yesterday today did done made ' +
    'have had has been was again properly correctly working work works apollo just so far know see day days hour hours run ran use using set last week weeks month months year morning night evening minute minutes first'
  )
    .split(' ')
    .map(stem),
);
