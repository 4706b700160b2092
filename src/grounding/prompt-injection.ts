import { decodeHTML } from 'entities';
import { splitSentences } from '../text/split-sentences.ts';

/**
 * Whether a text is a prompt injection: it overrides instructions, assigns a role, imitates chat markup or a reply, dictates an answer, or
 * sends the conversation elsewhere; openly, spelled letter by letter, in base64, or in invisible characters.
 *
 * It detects known forms in a dozen languages. An injection that it misses is still data to the model, and the answer is still checked.
 * Measured in docs/navigator.md.
 *
 * @param text The first 8,000 UTF-16 units are read.
 */
export const hasPromptInjection = (text: string): boolean => {
  const read = text.slice(0, MAX_READ);
  return HIDDEN.test(read) || speaksToModel(read) || (ENCODED.test(read) && decodedOf(read).some(speaksToModel));
};

/** The same for names, in which other characters replace spaces: `care/ignore-all-previous-instructions.md`. */
export const isInjectionName = (name: string): boolean =>
  hasPromptInjection(name) || speaksToModel(name.slice(0, MAX_READ).replace(/[-_/.+]+/g, ' '));

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
const SOFT_BREAK = /[ \t]*\r?\n[ \t]*(?:>[ \t]{0,3}){0,6}(?=[^\s>])(?!(?:[-+*•]|\d{1,3}[.)]|#{1,6})\s|\||```|~~~)/g;

const INLINE = /<!--[\s\S]{0,2000}?-->|<\/?[a-z][^<>]{0,300}>/gi;
const LINK = /!?\[([^\]\n]{0,200})\]\([^)\n]{0,300}\)/g;

const plainOf = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\u00AD\u200B-\u200F\u202A-\u202C\u2060-\u2069\uFEFF]/g, '')
    .replace(/[*~`\\]+/g, '')
    .replace(/(?<![\p{L}\p{N}_])_{1,3}(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])_{1,3}(?![\p{L}\p{N}_])/gu, '')
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
export const beforeInjection = (text: string): string => {
  if (!hasPromptInjection(text)) return text;
  const sentences = splitSentences(text);
  const first = sentences.find(({ start, end }) => hasPromptInjection(text.slice(start, end)));
  return first === undefined ? '' : text.slice(0, first.start).trim();
};

const INSTRUCTIONS =
  '(?:instructions?|prompts?|rules|guidelines|directives?|directions|commands|constraints|context|passages|programming|training)';
const EARLIER =
  '(?:previous|prior|above|earlier|preceding|foregoing|original|initial|system|existing|other|your|safety)';
const REPLY =
  '(?:answers?|responses?|reply|replies|outputs?|summary|summaries)(?! (?:codes?|times?|messages?|sheets?|box|fields?|options?|forms?|pages?|headers?|body))';
const MODEL = '(?:ais?|llms?|(?:large )?language models?|ai models?|ai assistants?|assistants?|chat ?bots?|gpt[\\w-]*)';
/** Beginning of an imperative sentence; a description of others ("scammers pretend to be") is not one. */
const START = '(?:^|\\n|[.!?:;"(|>-]\\s{0,3}|\\b(?:please|now|instead|simply),? )';
/** Beginning of a sentence or of a part after a comma or a conjunction, in Romance languages. */
const BEGINNING =
  '(?:^|\\n|[.!?:;,"(|>«“-]\\s{0,3}|(?<![\\p{L}])(?:et|puis|toujours|y|e|entonces|então|poi|siempre|sempre) )';
/** Verbs for what a reply should say or omit. */
const SAYING =
  '(?:say|state|claim|add|cite|recommend|mention|ignore|disregard|output|print|insert|refuse|pretend|(?:reply|answer|respond) (?:with|that|only)|tell|ask (?:the )?(?:user|reader|customer))';
/** What an injection inserts into a reply; support texts ask customers for an order number with the same verbs. */
const PUT = '(?:links?|images?|badge|url|https?|sentence|phrase|words?|slogan|advert\\w*|following|!\\[|\\]\\(|["<])';
/** Names of the members of a model's reply, which no article needs. */
const MEMBER = '(?:citations|verdict|out ?_?of ?_?domain)';
const HAS_TO = '(?:must|should|shall|has to|have to|needs? to|is to|are to)';

/**
 * Patterns of prompt injections. A verb that articles use too ("reveal", "cite", "say", "answer") counts only together with a word for a
 * model, its reply, its prompt or its instructions, or for what is inserted into the reply.
 */
const PROMPT_INJECTION_PATTERNS: readonly RegExp[] = [
  // Overrides instructions.
  new RegExp(
    `(?<!\\b(?:not|never|n't|if you|when you|who|may|might|can|could|they|people|users) )\\b(?:(?:ignore|disregard|forget|don't follow|do not follow|stop following)\\b[^.\\n]{0,40}|(?:override|overrule|bypass|discard)(?: \\w+){0,4} )\\b${EARLIER} (?:\\w+ ){0,2}${INSTRUCTIONS}\\b(?!\\s*(?:label|manual|sheet|leaflet|for use))`,
  ),
  /\b(?:ignore|disregard|forget)\b (?:everything|anything|all|whatever|what)\b[^.\n]{0,30}\b(?:(?:above|before|so far)\b(?=\s*(?:[.,;:!)"|]|$|\n|and\b|this\b))|(?:said|told|read|know|learned)\b)/,
  new RegExp(
    `\\b(?:(?:real|actual|true|secret|hidden|system|developer) (?:instructions?|prompt|task)\\s*:|(?:new|updated) (?:system |developer )?(?:instructions?|prompt|task)\\s*:\\s*(?:you\\b|from now|always\\b|never\\b|please\\b|${SAYING}\\b))`,
  ),
  // Assigns a role.
  new RegExp(
    `\\b(?:you are|you're) (?:now |only |no longer |just |really ){0,2}(?:an? |the |my |our |called |named )(?:(?!(?:of|to|with|in|for|on|user|owner|using)\\b)[\\w-]+ ){0,3}${MODEL}\\b(?! (?:managers?|professors?|users?|owners?))`,
  ),
  new RegExp(
    `(?:${START}|\\byou (?:must |should |shall |will |now |are to |have to )?)(?:(?:act|behave|role-?play(?:ing)?) as (?:an? |the |my )?(?:\\w+ ){0,3}${MODEL}\\b|assume the role of\\b|imagine (?:that )?you are (?:\\w+ ){0,4}${MODEL}\\b|pretend (?:to be|you are|that you are)\\b)`,
  ),
  new RegExp(`\\byou are (?:now |from now on )(?:[\\w-]+ ){0,4}(?:${MODEL}|dan|unrestricted|unfiltered|jailbroken)\\b`),
  new RegExp(
    `\\bfrom now on,? (?:you (?:(?:will|must|shall|should|always|only|are to|have to) ){0,2})?(?:always |only |never )?(?:${SAYING}|answer|respond|reply|speak|say)\\b|\\bfrom now on,? you are (?:an?|the|my|no longer)\\b[^.\\n]{0,30}\\b${MODEL}\\b`,
  ),
  /\blet's (?:play a game|role-?play)\b[^\n]{0,60}\b(?:you|your|answer|pretend)\b|\b(?:you are|i am) dan\b|\bdo anything now\b|\bdeveloper mode\b[^.\n]{0,60}\b(?:answers?|responses?|respond|reply|replies|unfiltered|unrestricted|content policy)\b|\bjailbreak (?:mode|prompt)\b/,
  new RegExp(
    `\\b(?:notes?|message|instructions?|attention|notice|hints?|reminder|orders?|p\\.? ?s)\\b[ :,.]{0,2}(?:to|for) (?:the |any |all |every |our )?(?:${MODEL}|bots?)\\b(?=\\s*(?:[:,.!-]|$|\\n)|\\s+(?:from|reading|who|that|answering|summari))`,
  ),
  new RegExp(
    `${START}(?:attention|hey|hello|hi|dear)[ ,:]{1,2}(?:all |any |every |the )?${MODEL}\\b(?=\\s*[,:!.-]|\\s+(?:reading|who|that|please))`,
  ),
  new RegExp(
    `\\bif you are (?:an? )?${MODEL}\\b(?! (?:user|owner|customer|manager))|\\b(?:any|every|all|the|as) (?:an? )?${MODEL}\\b[^.\\n]{0,40}\\b(?:(?:reading|reads|processing|summari[sz]ing|summari[sz]es|answering from) this\\b|${HAS_TO} (?:always |never |only |not |now )?${SAYING}\\b)`,
  ),
  new RegExp(
    `\\b${MODEL} ?${HAS_TO} (?:please |now |always |never |not |only )?${SAYING}\\b|(?:^|\\n|[.!?"(|>-]\\s{0,3}|\\d[.)] )(?:the |all )?${MODEL} ?[:,]\\s?(?:please |now |always |never |do not |don't )?(?:${SAYING}|ask|you must|you are to|include|write|show|send|follow|answer|reply|respond)\\b`,
  ),
  // Hides text.
  /style\s*=\s*["'][^"']{0,120}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?![.\d])|color\s*:\s*(?:white|transparent|#fff))/,
  // Imitates chat markup, or a reply.
  /<\|[a-z_]{2,20}\|?>|\[\/?(?:inst|sys)\]|<<\/?sys>>|<\/?(?:im_start|im_end|tool_call|function_call)(?:\s[^<>]{0,40})?>/,
  // `<system>` is a tag of ordinary configurations too: it counts only with words to a model inside or behind it.
  /<\/?(?:system|assistant|instructions?|passages?)(?:\s[^<>]{0,40})?>[^<>\n]{0,40}\b(?:you (?:are|must|should|shall|will|may)|ignore|disregard|forget|obey|override|always|never|(?:reply|respond|answer) (?:with|that|only)|say|output|pretend|praise|recommend|sure|instead|instructions?|the (?:correct|right|true) answer)\b/,
  /(?:^|\n|[.!?]\s)[\s#>|"'[({=-]{0,10}(?:system|assistant|developer)(?: (?:prompt|message|note|notice|instructions?|override|update))?\s?(?:[\])}]\s?[:>=]?|["']?\s?[:>=])\s{0,3}(?:sure\b|[^\n]{0,120}\b(?:you (?:are (?!(?:now )?(?:logged|signed|connected|offline|online))|must|should|shall|will (?:now|always|only|never)|always|never|only)|(?:always|never|only) (?:answer|respond|reply)|(?:answer|respond|reply) (?:with|that|only)|say\b|ignore\b|disregard\b|output\b|pretend\b|tell (?:the |all |every )?(?:user|customer|reader)))/,
  /\b(?:your|above|hidden|secret|original|initial) (?:system|developer) (?:prompts?|messages?|instructions?)\b|\b(?:reveal|leak|ignore|disregard|override|forget|exfiltrate|recite)\b[^.\n]{0,20}\b(?:system|developer) (?:prompts?|instructions)\b|\b(?:disable|ignore|drop|switch off) (?:all |any |the |your )?(?:safety|content|grounding) (?:filters|guardrails)\b/,
  /["']role["']\s*[:=]\s*["'](?:system|assistant|developer|tool)\b/,
  /(?:-{2,}|={2,}|_{2,}|[<[({])\s?(?:begin|end|start) of (?:the )?(?:system|developer|hidden|passages?|sources?|documents?|context|input|untrusted|data)\b/,
  /"?\b(?:out_?of_?domain|verdict|statements)"?\s*[:=]\s*["'[{]?\s*(?:true|false|answer|no_information|[[{"])|"confidence"\s*:\s*"(?:high|medium|low)"/,
  new RegExp(
    `\\b(?:statements|citations|passages|verdict|confidence|out ?_?of ?_?domain) (?:array|list|member|field|property|object|key|value)s?\\b[^.\\n]{0,20}\\b(?:${HAS_TO}|may|can only|will) (?:only |always |not )?(?:contain|include|quote|hold|say|name|carry|(?:start|end|begin|open) with)\\b|\\b(?:your|the|every) ${MEMBER} ${HAS_TO} (?:only |always |not )?(?:contain|include|quote|hold|be|say|name|list|point)\\b|\\b(?:fill|put|write|add|insert|append|place|return|set)\\b[^.\\n]{0,60}\\b(?:in|into|to|as) (?:the |your )?["']?(?:statements|citations|verdict|out ?_?of ?_?domain)["']?(?: (?:array|list|member|field|property|object))?(?=\\s*(?:[.,;:!"]|$|\\n))|\\b(?:fill|empty|clear|overwrite|leave) (?:the |your )["']?(?:statements|citations|verdict)["']? (?:array|list|member|field|property|with|empty)\\b`,
  ),
  /\b(?:quote|cite|name|list|return|give|use)\b (?:only |just |me |this |it |us |everything |that |always ){0,3}(?:as |from |by |under )?(?:the )?(?:passage )?["'(]?p\d{1,2}\b["')]?(?=[^.\n]{0,30}\b(?:drop|ignore|omit|discard|leave out|skip|disregard|nothing else|others?|rest|as (?:the|your) (?:only )?source)\b)|\b(?:quote|cite) (?:only |just |me |this |it |everything ){1,3}(?:as |from )?(?:passage )?["'(]?p\d{1,2}\b|\b(?:cite|quote|use) (?:only )?passage p\d{1,2}\b|\b(?:drop|ignore|discard|disregard|skip|omit|leave out) (?:the |all |any )?(?:other passages|other citations|remaining passages|passages? p\d{1,2})\b/,
  // Dictates the answer, its confidence or its citations.
  /\b(?:set|change|raise|lower|report|mark|declare|give|return|put)\b[^.\n]{0,20}\b(?:the |your |its )?(?:confidence|out ?_?of ?_?domain|verdict)(?: (?:of the answer|of your answer|field|member|value))? ?(?:to|as|=|is|at)\b ?["']?(?:high|low|medium|true|false|maximum|answer|no_information|100)\b/,
  new RegExp(
    `\\b(?:include|append|add|insert|write|put|mention|repeat|place|embed|display|show|render|say|prefix)\\b[^.\\n]{0,80}${PUT}[^.\\n]{0,120}\\b(?:your|every|each|the final) (?:\\w+ )?${REPLY}\\b(?! (?:in|on) (?:the|our) (?:form|survey|ticket))`,
  ),
  new RegExp(
    `\\b(?:begin|start|end|finish|prefix|close|conclude) (?:your|every|each|all) (?:\\w+ )?${REPLY}\\b[^.\\n]{0,10}\\bwith (?:the (?:sentence|words?|phrase|following|link|text)|this\\b|["'<!([]|url|https?|$)|\\b(?:begin|start|end|finish|prefix|close|conclude) (?:every|each|all) (?:of (?:your|my) )?(?:\\w+ )?${REPLY} with\\s?:`,
  ),
  /\byour (?:only|whole|entire|final|next) (?:answer|response|reply|output) (?:must|should|shall|has to|is|will be)\b|\byour (?:answer|response|reply|output) (?:must|should|shall|has to) (?:be|say|read|state)\b(?=\s?(?:["':|]|that\b|this\b|the (?:following|sentence|words?)\b|only the\b|never\b|always\b|exactly (?:this|the following)\b|$))/,
  /\b(?:answer|respond|reply)\b(?: \w+){0,3} (?:with|by saying)(?: only| just)? (?:exactly (?:this|the (?:following|sentence|words?|phrase|text))|the following (?:text|sentence|phrase|words?|line|link)|nothing but|this (?:exact )?(?:text|sentence|phrase|link|word))\b/,
  /\b(?:answer|respond|reply) (?:\w+ ){0,2}(?:only|exactly|solely) (?:with|by)\b(?! (?:your|an?|one|yes|no|stop|"?(?:yes|no|stop|help)"?|the (?:\w+ ){0,2}(?:numbers?|codes?|digits?|letters?|serial|id)|\d)\b)|\b(?:answer|respond|reply) only\s?:|\b(?:answer|respond|reply|say) (?:\w+ ){0,2}(?:nothing but|verbatim|word for word)\b/,
  /\b(?:tell|inform|show|give) (?:the |any |every |all )?(?:users?|customers?|readers?|askers?)\b[^.\n]{0,40}\b(?:exactly this|verbatim|word for word|the following (?:text|sentence|link))\b/,
  /\b(?:always|only|instead|must|should|and) cite (?:only )?["'(]?(?:url\b|[\w/-]{1,80}\.(?:md|html?|pdf|txt|com|org|net|example)\b|this (?:page|article|document|passage|file)\b|me\b)|\bcite\b[^.\n]{0,60}\b(?:instead of (?:the|any|all|other)|as (?:the|your|its) only source)\b|\bfor (?:every|each|all|any) (?:statement|answer|claim|reply)s?\b[^.\n]{0,40}\bcite\b/,
  /(?:^|[.!?:;,]\s*|\b(?:must|should|shall|please|always|simply|then|and|to)\s)(?:reply|respond|answer) that (?:the|it|all|every|there|this|our|an?|no|nobody)\b/,
  /(?:^|\n|[.!?]\s{1,3}|\binstead,? )(?:say|claim|insist|pretend) that (?:the|it|all|every|this|our|there|an?)\b|\binstead,? (?:say|claim|state|answer|reply) (?:that|the|it)\b|\boutput the (?:string|word|phrase|sentence)\b(?=[^.\n]{0,40}\b(?:answer|reply|nothing else|instead)\b)/,
  /\b(?:when|if|whenever) (?:you are |you're |ever ){0,2}asked (?:about|how|what|why|which|whether|for (?:a |an |the )?recommend\w*)[^.\n]{0,80}\b(?:(?:reply|say|answer|respond|claim) (?:that|with the (?:words?|sentence)|only)|recommend|tell (?:the )?(?:users?|readers?|askers?))\b|\bwhen(?:ever)? (?:a |the |any )?(?:user|asker|reader)s? asks?\b[^.\n]{0,80}\b(?:reply|answer|respond|say|claim|recommend)\b/,
  /\bin your (?:reply|replies|answers?|responses?|output),? (?:please )?(?:thank|say|recommend|praise|claim|promote|advertise|insist|pretend)\b|(?:^|\n|[.!?]\s)your (?:task|goal|mission|purpose) (?:has changed|is now|now is)\b|\byour (?:task|job|goal|mission|role) is (?:now )?to (?:say|convince|persuade|promote|recommend|answer|reply|insert)\b/,
  new RegExp(
    `\\b(?:do not|don't|never) (?:mention|reveal|disclose|tell|say|cite|quote|repeat)\\b[^.\\n]{0,30}\\b(?:(?:this|these|your|the (?:system|other|above|hidden)) (?:\\w+ )?(?:instructions?|prompts?|passages?|context)\\b|that you (?:are|were|have been) (?:an? |the )?(?:${MODEL}|told|instructed|ordered)\\b)|\\b(?:do not|don't|never) (?:mention|cite|quote|recommend)\\b[^\\n]{0,60}[.;,] instead,? (?:say|claim|state|write|answer|recommend|mention)\\b|\\bpresent (?:it|this|that) as (?:an? )?(?:fact|truth?)\\b|\\bthe (?:correct|right|true|only) answer (?:to [^.\\n]{0,60} )?is (?:that|:|")`,
  ),
  // Addresses the reader as a model.
  /\bas an? (?:large )?(?:language model|llm)\b|\bas an? (?:ai|ai assistant|bot|chat ?bot|ai model),? (?:you|i|your|it)\b|\byou,? (?:an?|the|as an?) (?:ai|llm|language model|chat ?bot)\b/,
  /\b(?:machines?|models?|bots?|llms?|ais?|agents?|crawlers?|scrapers?|assistants?) (?:that is |that are |who is )?(?:reading|parsing|summari[sz]ing|reads?|summari[sz]es?|answering from) (?:this\b|the above\b)(?! (?:sensor|card|value|register|code|label|meter))|\b(?:anyone|anybody|whoever|software|tools?|systems?|machines?|models?) (?:that is |who is )?(?:summari[sz]ing|summari[sz]es|parsing|answering from|processing) (?:this|the above) (?:page|text|document|article|passage|content|section)\b/,
  /\b(?:prior|previous|earlier|existing) guidance (?:is|are) (?:now )?(?:void|null|cancel\w+)\b|\bnew guidance is to (?:recommend|say|answer|tell)\b|\b(?:user|customer|asker|admin|administrator|owner|operator) has (?:already )?(?:authori[sz]ed|permitted|cleared) you to (?:share|reveal|disclose|tell|give|show|send)\b/,
  /(?:^|\n)\W{0,4}(?:human|user|customer)\s*:[^\n]{1,300}\n\s*(?:assistant|ai|bot|model)\s*:|\b(?:human|user)\s*:[^\n]{1,300}[.?!]\s(?:assistant|ai|bot)\s*:/,
  new RegExp(
    `\\b(?:automated|ai|machine|robotic) readers\\b|\\bthis passage (?:has|takes|overrides|outranks|must|should)\\b|\\b(?:hi|hello|hey|dear),? (?:chatgpt|copilot|gemini|claude|gpt)\\b|(?:^|\\n|[.!?]\\s)(?:chatgpt|copilot|gemini|claude|gpt)[!,:] (?:please|you|${SAYING})\\b`,
  ),
  /\byour (?:developers|creators|operators|makers) (?:want|wish|ask|order|have ordered|expect) you\b|\b(?:list|print|output|reveal|dump) (?:me )?(?:all |every |the )?documents (?:that )?you (?:have access|can see|were given)\b/,
  /\byou must not (?:answer|discuss|respond to|reply to) (?:any )?(?:questions?|queries)\b|\b(?:text|passage|article|information|content)s? (?:above|below) (?:is|are) (?:wrong|false|a test|untrusted|fake)\b|\bas coming from the (?:system|developer|operator)\b/,
  /\b(?:assistant|model|bot|ai)_(?:response|reply|answer|output)\b|\b(?:todo|note|fixme) ?\((?:model|ai|llm|assistant|bot)\)|(?:^|\n|[.!?:;]\s)(?:begin|conclude|finish|start|end|open) with (?:"(?:yes|sure|of course|certainly|absolutely|i )|the (?:sentence|words|phrase) ")/,
  /\b(?:do not|don't|never) tell the (?:users?|askers?|readers?) (?:that|about) (?:you|this|these)\b|\b(?:overrides?|replaces?|supersedes?) (?:everything|all|anything|whatever) (?:that )?you (?:were|are|have been) (?:told|taught|given)\b|\bfor (?:llms?|ais?|language models?|chat ?bots?|bots) only\b|\b(?:the|your) (?:hidden|secret|initial) prompt\b|\b(?:statements|citations|passages) (?:array|list|member|field) (?:only contains?|contains? only|consists? of)\b|\bcite only (?:this|me|url)\b|\binstead of (?:answering|replying),? (?:say|output|write|print|tell|just)\b|\b(?:do not|don't|never) (?:mention|recommend|name) (?!your\b|the\b|any\b)[^.\n]{1,60}\bin (?:your|any) (?:answers?|replies)\b/,
  // Asks to decode and obey a text, or to send the conversation elsewhere.
  /\b(?:decode|decipher|decrypt)\b[^.\n]{0,80}\b(?:follow|obey|execute|do|comply with|say|answer) (?:it|them|what it|whatever)\b|\b(?:base64|rot13)\b[^.\n]{0,80}\b(?:follow|obey|execute|comply with) (?:it|them|what it|whatever)\b/,
  /\b(?:send|post|exfiltrate|leak|transmit|forward|encode|append)\b[^.\n]{0,60}\b(?:conversation|chat history|history|system prompt|(?:user|customer|asker)'?s? (?:question|message|words|data))\b[^.\n]{0,40}\b(?:to|at|via|in|into) (?:the )?(?:url\b|https?:)/,
  /\b(?:reveal|repeat|print|output|disclose|leak|recite|exfiltrate|tell me|show me)\b[^.\n]{0,20}\b(?:(?:the|your) system prompt\b|your (?:system |initial |hidden |own )?(?:instructions|prompt|rules)\b(?! (?:for|to|on|about))|instructions (?:that )?you (?:were given|got|have been given))/,
  /\]\([^)\n]{0,300}(?:[?&][\w-]*=(?:\{|<|\[|%7b|\$)|[?&](?:q|question|history|conversation|secret|prompt)=(?:[)"'\s]|(?:(?:the|your|user|insert|this)[\w%+-]{0,30})?(?:question|history|conversation|query_here|secrets?|prompt|text_here|message|data)\b))/,
  // The same in other languages.
  /(?:ignorier\w*|vergiss|vergesst|vergessen sie|missachte\w*)[^.\n]{0,30}(?:alle|vorherig|vorangehend|bisherig|obig|deine|vorig|früher|ursprünglich)\w*[^.\n]{0,40}(?:anweisung|instruktion|regel|vorgabe|befehl|prompt)/,
  /(?:antworte|antworten sie)\b[^.\n]{0,40}\b(?:nur|genau|ausschließlich|wörtlich)\b|\b(?:sage?|schreibe?|gib) (?:nur|ausschließlich|wörtlich)\b(?=\s?["„“»:]|[^.\n]{0,60}["„“»]|[^.\n]{0,40}\b(?:antwort|aus$|aus[.!]))|\b(?:du bist|sie sind) (?:jetzt|nun|ab jetzt) (?:ein|eine|der|die|das|kein|mein)\b/,
  /(?:ignor(?:e|ez|er)|oubli(?:e|ez|er)) (?:toutes?|tous|les|tes|vos|ces)\b[^.\n]{0,40}(?:instructions?|consignes?|règles?|directives?)/,
  /\b(?:réponds?|répondez)\b[^.\n]{0,30}(?:uniquement|seulement|exactement|mot pour mot)|\b(?:dis|dites) (?:uniquement|exactement)|\b(?:tu es|vous êtes) (?:maintenant|désormais) (?:un|une|le|la|mon)\b/,
  /(?:ignora|ignore|ignorad|olvida|olvide|descarta)(?:r)? (?:todas?|todos|las|los|tus|sus|estas)\b[^.\n]{0,40}(?:instrucciones|órdenes|reglas|indicaciones)/,
  /\b(?:responde|responda|di|diga)\b[^.\n]{0,30}(?:únicamente|exactamente|solamente)\b|\bresponde (?:solo|sólo)\b|\bahora eres (?:un|una|el|la|mi)\b/,
  new RegExp(
    `${BEGINNING}(?:(?:réponds?|répondez|dis|dites) (?:toujours |simplement |seulement )?que\\b|(?:responde|responda|di|diga) (?:siempre |sempre |simplemente |apenas )?que\\b|(?:rispondi|rispondete|di'|dite) (?:sempre |solo )?che\\b)`,
  ),
  /\b(?:antworte|antworten sie|sage?|sagen sie|behaupte) (?:immer |einfach |stets |nur )?,? ?dass\b|\b(?:empfiehl|erwähne) (?:immer|stets|nie|niemals)\b|\b(?:antwoord|zeg) (?:altijd |alleen )?dat\b/,
  /(?:ignora|ignorate|dimentica)(?:re)? (?:tutte|tutti|le|gli|i|queste)\b[^.\n]{0,40}(?:istruzioni|regole|ordini|indicazioni)/,
  /(?:ignore|ignora|esqueça|desconsidere) (?:todas?|todos|as|os|suas|seus|estas)\b[^.\n]{0,40}(?:instruções|regras|ordens)/,
  /(?:negeer|vergeet) (?:alle|de|je|uw|deze|eerdere|vorige)\b[^.\n]{0,40}(?:instructies?|regels|opdrachten|aanwijzingen)/,
  /(?:zignoruj|ignoruj|zapomnij)[^.\n]{0,60}(?:instrukcj|polece|zasad)/,
  /(?:ignorera|glöm|ignorér|glem)[^.\n]{0,40}(?:instruktion|regler|anvisning|instruks)/,
  /(?:игнорир|забуд|не обращай|ігнору)[^.\n]{0,60}(?:инструкц|указан|правил|команд|інструкц|вказів)/,
  /(?:talimat|kural|komut)\S*[^.\n]{0,40}(?:yok say|görmezden gel|unut|dikkate alma)/,
  /(?:忽略|无视|忽视|忘记|忘掉|不要理会|無視|忘記)[^。\n]{0,20}(?:指令|指示|说明|提示|规则|命令|說明|規則)/,
  /(?:指示|命令|ルール|プロンプト|指令)[^。\n]{0,15}(?:無視|忘れ)/,
  /(?:지시|명령|규칙|프롬프트)[^.\n]{0,15}(?:무시|잊)/,
  /(?:تجاهل|انس)[^.\n]{0,60}(?:تعليمات|أوامر)/,
  /निर्देश[^।\n]{0,40}(?:अनदेखा|नज़रअंदाज़|भूल)/,
];
