import { problemText } from '../../knowledge/retrieval/problem-text.ts';
import { wordsOf } from '../../text/analyse-text.ts';

/**
 * What a message is to the messages before it: `new` stands by itself, `follow-up` is understood by what was said before, `closing`
 * thanks or tells that the trouble is over, and asks nothing.
 */
export type MessageKind = 'new' | 'follow-up' | 'closing';

/** A message with fewer words of content asks nothing by itself. */
const FEW_WORDS = 5;

/**
 * Tells what a message is to those before it.
 *
 * @param options.before Of the customer, oldest first.
 * @param options.lastOfAgent Of an agent, where it is the last before the message.
 */
export const messageKind = (
  message: string,
  { before, lastOfAgent }: { before: readonly string[]; lastOfAgent?: string | undefined },
): MessageKind => {
  const { text } = problemText(message);
  if (isClosing(text, before.length === 0)) return 'closing';
  if (before.length === 0) return 'new';
  return leansOnHistory(text) || isAnswer(text, lastOfAgent) ? 'follow-up' : 'new';
};

/** "Still the same", "did not help": what it is about was said before. */
export const leansOnHistory = (text: string): boolean => {
  const words = new Set(wordsOf(text)).size;
  return words < FEW_WORDS || (words < 3 * FEW_WORDS && (STILL.test(text) || REFERS.test(text)));
};

/** A short reply to an agent's question. One that asks back is read by itself. */
const isAnswer = (text: string, lastOfAgent = ''): boolean =>
  new Set(wordsOf(text)).size < 3 * FEW_WORDS &&
  !text.includes('?') &&
  /[?？]["”»)*_]{0,4}(?:\s|$)/.test(problemText(lastOfAgent).text);

/** Without a message before there must be hardly anything else in it. */
const isClosing = (text: string, isFirst: boolean): boolean => {
  const read = text.slice(0, MAX_CLOSING).toLowerCase().replace(/[’‘]/g, "'");
  if (text.length > MAX_CLOSING || /[?？\d]/.test(read) || GOES_ON.test(read)) return false;
  if (STILL.test(read.replace(AGAIN, ' '))) return false;
  const isSolved = SOLVED.test(read);
  const rest = (read.replace(SOLVED, ' ').match(/[\p{L}\p{M}']+/gu) ?? []).filter((word) => !POLITE.has(word));
  return isSolved ? rest.length <= (isFirst ? 2 : MAX_BESIDE) : THANKS.test(read) && rest.length === 0;
};

/** In UTF-16 units; whoever writes more has something to say. */
const MAX_CLOSING = 300;
/** Words beside the news that it is over: what did it. */
const MAX_BESIDE = 10;

const STILL =
  /(?<!\p{L})(?:still|same (?:problem|issue|error|thing|as before)|did(?:n['’]t| not) (?:help|work)|does(?:n['’]t| not) help|no (?:change|luck|difference)|not (?:fixed|solved)|nothing (?:changed|helped)|again|immer noch|noch immer|hat nicht geholfen|unverändert|toujours pas|toujours le même|sigue (?:igual|sin)|todavía|ancora|ainda|nog steeds)(?!\p{L})/iu;

/** It speaks of what was advised. */
const REFERS =
  /(?<!\p{L})(?:steps? \d|(?:first|second|third|last|next) step|(?:all|these|those|your) (?:steps|instructions)|your (?:advice|suggestion|tip)|as you (?:said|wrote|suggested|told|advised)|you (?:told|advised|suggested)|forgot to (?:mention|say|add|tell|write)|schritt \d|wie (?:beschrieben|empfohlen)|étape \d|paso \d)(?!\p{L})/iu;

const phrase = (...alternatives: readonly string[]) =>
  new RegExp(`(?<![\\p{L}'])(?:${alternatives.join('|')})(?![\\p{L}'])`, 'u');

/** What leaves open whether it is over, asks for something, or tells of new trouble. */
const GOES_ON = phrase(
  "but|however|although|though|except|unless|unfortunately|not|never|nothing|cannot|then|for (?:an?|one|two|some|only|about) (?:\\p{L}+ )?(?:minutes?|hours?|days?|weeks?|while|moment|bit)|\\p{L}+n't|if|until|please|(?:could|can|would) you|want|need|would like|i'd like|wonder\\p{L}*|tell me|instead|only|half|another|also|refund|cancel|return|how|why|when|what|where|which",
  'dead|broken|fail\\p{L}*|stuck|offline|lost|loud|hot|slow\\p{L}*|nois[ey]|smok\\p{L}*|smell\\p{L}*|burn\\p{L}*|red|amber|blink\\p{L}*|rejected|missing|wrong|worse|bad|down|angry|unacceptable',
  'aber|jedoch|leider|nicht|kein\\p{L}*|nur|bitte|wie|warum|wann|wenn|falls|kaputt|defekt|tot|laut|heiß|langsam|rot',
  "mais|pas|malheureusement|si|comment|pourquoi|quand|s'il vous|panne|mort|pero|sin|cómo|cuándo|por favor|roto|però|purtroppo|non|come|quando|mas|não|maar|niet|geen|helaas|hoe|wanneer|kapot",
);

/** "It works again": not that it happens again. */
const AGAIN =
  /(?<!\p{L})(?:works|working|runs|running|hashing|hashes|mining|mines|online|up|fine|ok|okay|good|thanks|thank you|wieder)(?: (?:again|now))+(?!\p{L})/gu;

const WELL = '(?:now|again|fine|well|great|perfectly|normally|like a charm|as it should|as expected)';

/** What tells that the trouble is over. */
const SOLVED = phrase(
  "(?:that|this|it|you|which|everything|problem|issue|error|restart|reboot|update|reset|cable|tip|advice|'s|is|'ve|have|has)(?: (?:has|have|is|was|got|been|all|now|finally|really|completely))* (?:fixed|solved|resolved|sorted|cured)(?: (?:it|this|everything|now|out|the (?:problem|issue|error)))?",
  `(?:it|this|that|all|everything|miner|device|unit|apollo|mine|dashboard|node)(?: (?:i{2,3}|is|has been|seems to be|all|now|finally|both))*'?s? (?:works|worked|working|runs|running|hashes|hashing|mines|mining|syncs|syncing)(?: ${WELL})+`,
  "(?:that|this|it|your (?:advice|tip|suggestion)|the (?:reset|restart|update|reboot))(?: (?:has|really|finally|just|actually))* (?:worked|works|helped)(?: (?:perfectly|great|well|fine|wonderfully))?|did the trick|that did it|all (?:good|sorted|set|fixed)(?: now)?|(?:problem|issue|error) (?:is |has )?(?:gone|solved|fixed|resolved|over)|(?:is |are )?back (?:online|up|to normal)|up and running|works(?: fine)? now|(?:can|may) (?:be closed|close (?:the|this) (?:ticket|case))|i(?:'ll| will) (?:try|test|check|do) (?:it|that|this|them)",
  '(?:funktioniert|läuft|geht) (?:jetzt|nun|wieder|alles)|(?:jetzt|nun) (?:funktioniert|läuft|geht) (?:es|alles)|(?:problem|fehler) (?:ist )?(?:gelöst|behoben|erledigt|weg)|hat (?:geklappt|geholfen|funktioniert)|hat sich erledigt',
  '(?:ça|cela) a (?:marché|fonctionné)|(?:ha )?funcion(?:ó|ado|ou)|ha funzionato|het werkte|heeft gewerkt|(?:ça|cela|tout) (?:marche|fonctionne)(?: maintenant| bien)?|(?:problème )?(?:est )?(?:résolu|réglé)|ya (?:funciona|está)|(?:solucionado|resuelto|risolto|resolvido|opgelost)|(?:ora |adesso |já )?funziona(?: ora| adesso)?|já funciona|werkt (?:nu|weer)',
);

const THANKS = phrase(
  'thanks|thank|thx|ty|cheers|appreciated?|perfect|danke|dank|dankeschön|merci|gracias|grazie|obrigad[oa]|bedankt|dankjewel',
);

/** Of a message that only thanks, every word is one of these. */
const POLITE: ReadonlySet<string> = new Set(
  (
    "thanks thank thx ty cheers appreciate appreciated perfect great awesome nice super excellent good ok okay alright so very much many a an lot really it that this is was i i'm we me us you your yours " +
    "for the all and again in advance quick fast kind friendly detailed help helping support reply answer response service time team everyone mate dear hi hello hey there have day weekend best kind regards got will try do name it's that's " +
    'danke dank dankeschön vielen herzlichen besten schnelle antwort hilfe die der das den für euch ihnen ihre eure sehr und viele grüße liebe hat alles klar ' +
    'merci beaucoup bien pour votre réponse aide et gracias muchas por su tu respuesta ayuda y la el grazie mille per risposta aiuto obrigado obrigada muito pela resposta bedankt dankjewel hartelijk voor je uw snelle hulp'
  ).split(' '),
);
