import { decodeHTML } from 'entities';
import { splitSentences } from '../../language/split-sentences.ts';
import WORDS from './injection-words.json' with { type: 'json' };

/**
 * Whether a text is a prompt injection: it overrides instructions, assigns a role, imitates chat markup or a reply, dictates an answer, or
 * sends the conversation elsewhere; openly, spelled letter by letter, in base64, or in invisible characters.
 *
 * It detects known forms in a dozen languages. An injection that it misses is still data to the model, and the answer is still checked.
 * Measured in docs/navigator.md.
 *
 * @param text The first 8,000 UTF-16 units are read.
 */
export function hasPromptInjection(text: string): boolean {
  const read = text.slice(0, MAX_READ);
  return (
    HIDDEN.test(read) ||
    speaksToModel(read) ||
    (ENCODED.test(read) && decodedOf(read).some(speaksToModel))
  );
}

/** The same for names, in which other characters replace spaces: `care/ignore-all-previous-instructions.md`. */
export function isInjectionName(name: string): boolean {
  return (
    hasPromptInjection(name) || speaksToModel(name.slice(0, MAX_READ).replace(/[-_/.+]+/g, ' '))
  );
}

/** In any reading; also with addresses as words, since their dots would end a sentence. */
const speaksToModel = (text: string): boolean => {
  const readings = plainReadings(text);
  const addressless = readings.map((reading) => reading.replace(/https?:\/\/[^\s)\]>"']+/g, 'url'));
  return [...new Set([...readings, ...addressless])].some((reading) =>
    PROMPT_INJECTION_PATTERNS.some((pattern) => pattern.test(reading)),
  );
};

const MAX_READ = 8000;

/** Invisible tag characters, and characters that change the text direction: no article needs them. */
const HIDDEN = /[\u{E0000}-\u{E007F}\u202D\u202E]/u;

const ENCODED = /[A-Za-z0-9+/]{24,}={0,2}/;

const decodedOf = (text: string): string[] =>
  [...text.matchAll(/[A-Za-z0-9+/]{24,4000}={0,2}/g)].slice(0, 20).flatMap(([run]) => {
    try {
      const bare = run.replace(/=+$/, '');
      const decoded = atob(bare.slice(0, bare.length - (bare.length % 4 === 1 ? 1 : 0)));
      return /^[\s!-~]+$/.test(decoded) ? [decoded] : [];
    } catch {
      return [];
    }
  });

/**
 * Readings of a text in lower case: by lines; with the lines of a paragraph joined, as Markdown renders them; and without the tags and
 * links within a sentence. Marks, invisible characters, lookalike letters and the spaces of a spelled-out word are removed in each.
 * Without duplicates.
 */
const plainReadings = (text: string): string[] => {
  const decoded = decodeHTML(text);
  const joined = decoded.replace(SOFT_BREAK, ' ');
  const bare = joined.replace(INLINE, '').replace(LINK, '$1');
  return [...new Set([decoded, joined, bare].map(plainOf))];
};

/** Within a paragraph or a block quote; a line that begins a list item, a heading, a row or a fence is separate. */
const SOFT_BREAK =
  /[ \t]*\r?\n[ \t]*(?:>[ \t]{0,3}){0,6}(?=[^\s>])(?!(?:[-+*•]|\d{1,3}[.)]|#{1,6})\s|\||```|~~~)/g;

const INLINE = /<!--[\s\S]{0,2000}?-->|<\/?[a-z][^<>]{0,300}>/gi;
const LINK = /!?\[([^\]\n]{0,200})\]\([^)\n]{0,300}\)/g;

const plainOf = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\u00AD\u200B-\u200F\u202A-\u202C\u2060-\u2069\uFEFF]/g, '')
    .replace(/[*~`\\]+/g, '')
    .replace(
      /(?<![\p{L}\p{N}_])_{1,3}(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])_{1,3}(?![\p{L}\p{N}_])/gu,
      '',
    )
    .toLowerCase()
    .replace(/[\p{L}\p{M}]+/gu, latinised)
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201C-\u201F]/g, '"')
    .replace(/\b(?:\p{L}[ .-]){4,40}\p{L}\b/gu, (spelled) => spelled.replace(/[ .-]/g, ''))
    .replace(/[^\S\n]+/g, ' ');

/** Only in a word that is otherwise Latin, so that a Russian word stays Russian. */
const latinised = (word: string): string =>
  /[a-z]/.test(word) && /[^\p{sc=Latin}\p{M}]|[ıɡ]/u.test(word)
    ? [...word].map((letter) => LOOK_ALIKES.get(letter) ?? letter).join('')
    : word;

/** Cyrillic, Greek and other lookalikes, upper and lower case (Unicode Technical Standard 39, confusables). */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  'аa еe оo рp сc хx уy іi јj ѕs ԁd һh кk мm тt пn вb нh οo αa εe ιi κk νv ρp τt υu χx ηn βb հh օo ıi ɡg'
    .split(' ')
    .map(([letter = '', latin = '']) => [letter, latin]),
);

/** The sentences before the first prompt injection: all when there is none, nothing when it spans several sentences. */
export function beforeInjection(text: string): string {
  if (!hasPromptInjection(text)) return text;
  const sentences = splitSentences(text);
  const first = sentences.find(({ start, end }) => hasPromptInjection(text.slice(start, end)));
  return first === undefined ? '' : text.slice(0, first.start).trim();
}

const MODEL =
  '(?:ais?|llms?|(?:large )?language models?|ai (?:models?|assistants?)|assistants?|(?:chat ?)?bots?|(?:chat)?gpt[\\w-]*)';
const MUST = '(?:must|should|shall|ha(?:s|ve) to|(?:is|are) to)';
const REPLY = '(?:answers?|responses?|reply|replies|outputs?)';
/** Verbs for what a reply is to say. */
const SAY =
  '(?:say|state|claim|add|recommend|mention|output|print|insert|include|pretend|praise|tell|ask (?:the )?(?:user|reader|customer)|(?:reply|answer|respond) (?:with|that|only))';
/** Beginning of a sentence or of a line. */
const START = '(?:^|\\n|[.!?:;"(|>-]\\s{0,3})';

const pattern = (...sources: string[]): RegExp => new RegExp(sources.join('|'), 'u');

/** Each has to name a model, its reply or its instructions, or to imitate the marks of a conversation: articles use every other word, too. */
const PROMPT_INJECTION_PATTERNS: readonly RegExp[] = [
  // Overrides instructions; in other languages than English with the verb before or behind.
  pattern(
    "(?<!\\b(?:not|never|n't|if you|who|may|might|can|could|they|people|users) )\\b(?:ignore|disregard|forget|override|bypass|stop following|do(?:n't| not) follow)\\b[^.\\n]{0,40}\\b(?:(?:previous|prior|above|earlier|existing|original|system|your|safety) (?:\\w+ ){0,2}(?:instructions?|prompts?|rules|guidelines|directives?|training)|instructions above|you (?:were|have been|are) (?:told|taught|given))\\b",
  ),
  ...WORDS.overrides.map(([verbs, nouns]) =>
    pattern(`(?:${verbs})[^.。\\n]{0,60}(?:${nouns})`, `(?:${nouns})[^.。\\n]{0,20}(?:${verbs})`),
  ),
  // Gives a model a role, or speaks to it.
  pattern(
    `\\b(?:you are|you're|act as|behave as|imagine (?:that )?you are) (?:now )?(?:an? |the |my )(?:(?!(?:of|to|with|in|for|on|user|owner)\\b)[\\w-]+ ){0,3}${MODEL}\\b(?! (?:managers?|users?|owners?))`,
    `${START}(?:pretend (?:to be|you are)\\b|let's (?:play a game|role-?play)\\b[^\\n]{0,60}\\byou\\b)`,
    `\\b(?:notes?|message|instructions?|attention|notice|reminder|p\\.? ?s)\\b[ :,.]{0,2}(?:(?:to|for) )?(?:the |any |all |every |our )?(?:automated |ai )?(?:${MODEL}|readers)\\b(?=\\s*[:,!-]|\\s+(?:from|reading|who|that))`,
    `\\b(?:if|as) (?:you are )?an? ${MODEL}\\b(?:,? (?:you|i|your)\\b| reading)`,
    `(?:${START}|\\b)${MODEL} ?(?:${MUST}|[:,]) ?(?:please |now |always |never |not |only |you must )?${SAY}\\b`,
    `\\b(?:machines?|models?|bots?|any(?:one|body)|whoever|software|tools?) (?:that is |who is )?(?:reading|parsing|summari[sz]ing|reads|summari[sz]es|processing) this(?: (?:page|text|document|article|passage))?\\b(?! (?:meter|data|card|sensor|label|value))`,
  ),
  // Text that is hidden from people, and marks of a conversation with a model.
  /style\s*=\s*["'][^"']{0,120}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?![.\d])|color\s*:\s*(?:white|transparent|#fff))/,
  /<\|[a-z_]{2,20}\|?>|\[\/?(?:inst|sys)\]|<<\/?sys>>|<\/?(?:tool|function)_call\b|["']role["']\s*[:=]\s*["'](?:system|assistant|developer|tool)\b/,
  /(?:-{2,}|={2,}|[<[({])\s?(?:begin|end|start) of (?:the )?(?:system|passages?|sources?|context|input|data)\b/,
  /"(?:out_?of_?domain|verdict|statements)"\s*:|(?:^|\n)\W{0,4}(?:human|user|customer)\s*:[^\n]{1,300}\n\s*(?:assistant|ai|bot|model)\s*:/,
  pattern(
    `(?:^|\\n|[.!?]\\s)[\\s#>|"'[({<=-]{0,10}/?(?:system|assistant|developer|instructions?)(?: (?:prompt|message|notice|note))?\\s?[\\])}]?\\s?[:>=]\\s{0,3}(?:sure\\b|[^\\n]{0,120}\\b(?:you (?:are (?!(?:now )?(?:logged|signed|connected|offline|online))|must|should|shall|will|always|never)|(?:always|never|only) (?:answer|respond|reply|recommend)|ignore|disregard|pretend|${SAY} that|tell (?:the |all )?(?:users?|customers?|readers?)))\\b`,
  ),
  // Dictates a reply, reveals the prompt, or sends the conversation elsewhere.
  pattern(
    `\\b(?:your|every|each|the final) (?:only |whole |final |next )?${REPLY} ${MUST} (?:say|contain|include|end|begin|start|be ?(?:["'|:]|only|that\\b))`,
    '\\bfor (?:every|each) (?:statement|answer)\\b[^.\\n]{0,40}\\bcite\\b',
    '\\b(?:set|mark|report) [^.\\n]{0,20}\\b(?:confidence|out ?_?of ?_?domain|verdict) (?:to|as) (?:high|low|true|false)\\b',
    `\\b(?:include|append|add|insert|put|render|show|embed)\\b[^.\\n]{0,80}(?:links?|image|url|https?|sentence|phrase|words?|!\\[|["<])[^.\\n]{0,80}\\b(?:your|every|each|all|the final) ${REPLY}\\b`,
    `\\b(?:begin|start|end|finish|prefix) (?:your|every|each|all) ${REPLY}\\b[^.\\n]{0,10}\\bwith (?:the (?:sentence|words?|phrase|link)\\b|["'<[]|url|https?)`,
    `(?:${START}|\\b(?:and|then|always|please|instead|must|should) )(?:answer|respond|reply|say|claim) (?:only (?:with the |that\\b|["':])|with nothing but|exactly (?:this|the following)|that (?:the|it|all|every|there|this|our)\\b)`,
    ...WORDS.dictates.map((start) => `(?:${START}|(?<![\\p{L}])(?:und|et|y|e) )(?:${start})`),
  ),
  /\b(?:reveal|repeat|print|output|disclose|leak|show me)\b[^.\n]{0,20}\b(?:(?:the|your) system prompt|your (?:initial |hidden |own )?(?:instructions|prompt)\b(?! (?:for|to|on|about)))/,
  /\b(?:send|post|exfiltrate|leak|transmit|encode|append)\b[^.\n]{0,60}\b(?:conversation|chat history|system prompt|(?:user|customer|asker)'?s? (?:question|message|words|data))\b[^.\n]{0,40}\b(?:to|at|via|in|into) (?:the )?(?:url\b|https?:)/,
  /\]\([^)\n]{0,300}[?&](?:[\w-]*=(?:\{|<|\[|%7b|\$)|(?:question|history|conversation|secret|prompt|q)=(?:[)"'\s]|(?:question|history|conversation|secrets?|prompt)\b))/,
];
