/**
 * Words that are never part of a noun phrase: articles, pronouns, prepositions, question words, auxiliaries, and the common verbs and adjectives of
 * questions to a shop.
 */
export const NO_NOUNS: ReadonlySet<string> = new Set(
  (
    'a an the this that these those i me my we us our you your he him his she her it its they them their one ones ' +
    'is am are was were be been being do does did has have had having can could will would shall should may might must ' +
    'what which who whom whose when where why how whether if so and or but nor as of at by for with to from in on off up out ' +
    'about into over under below above after before during between against without within than then there here also too ' +
    'please kindly just only still ever already not no yes now today yesterday currently any some all each every both many much more most ' +
    'less least few other another same own else elsewhere anywhere somewhere anybody anyone somebody someone ' +
    'show list find give tell compare explain summarise summarize describe count look search check name quote report get ' +
    'know want need like see say says said mean means cover covers work works sell sells sold buy buys bought cost costs ' +
    'charge charges take takes took ask asks come comes came go goes went make makes made write written mention mentions ' +
    'offer left available cheaper cheap expensive best better worst good bad new latest last next current currently ' +
    'online offline long often far big large small high low old used enough loud quiet fast slow ' +
    'worth rate rated sort link group again happens happened right true else done kept keep ' +
    'hi hello hey thanks thank plus well together along finally'
  ).split(' '),
);

/**
 * The subset whose presence changes the meaning of a question: negations, comparatives, superlatives, quantities, times, and prepositions that
 * exclude or compare.
 */
export const DECISIVE_WORDS: ReadonlySet<string> = new Set(
  (
    'not no nor without against within before after during between over under below above up down off than if or ' +
    'more most less least few many much other another same own else elsewhere any some all each every both only ever just still already too ' +
    'cheap cheaper expensive good bad better best worst new latest last next current currently now today yesterday ' +
    'long far often big large small high low old used enough loud quiet fast slow available left online offline right true ' +
    'sell sells sold buy buys bought'
  ).split(' '),
);

/** Nouns for an aspect of a thing, not a thing: `stock`, `price`, `warranty`. */
export const ASPECTS: ReadonlySet<string> = new Set(
  (
    'stock stocks price prices number count total sum average revenue turnover sales value amount level levels units unit ' +
    'warranty guarantee policy terms conditions documents documentation docs articles article guide manual page pages news ' +
    'reviews review offers web internet online shop shops store stores market customers customer orders order people ' +
    'passages passage sections section text texts documents source sources ' +
    'profit profits income earnings inventory margin margins ' +
    'competitors competitor rivals retailers month week quarter year months weeks years day days press'
  ).split(' '),
);

/** A quarter, half, year or day: `Q1`, `FY25`, `2026-Q1`, `2026`. A time, not a thing. */
export const isPeriod = (word: string): boolean =>
  PERIOD.test(word) || (/^\p{Lu}/u.test(word) && CALENDAR.has(word.toLowerCase()));

const PERIOD = /^(?:(?:[qh][1-4]|fy)(?:[-/.]?\d{2,4})?|(?:19|20)\d\d(?:[-/.](?:[qh][1-4]|\d{1,2})){0,2})$/i;

/** People and companies: a following `they` refers to them, not to the product before. */
export const PARTIES =
  /\b(?:customers?|people|users?|owners?|buyers?|reviewers?|testers?|competitors?|rivals?|shops?|stores?|retailers?)\b/i;

const CALENDAR: ReadonlySet<string> = new Set([
  ...'january february march april may june july august september october november december'.split(' '),
  ...'jan feb mar apr jun jul aug sep sept oct nov dec'.split(' '),
  ...'monday tuesday wednesday thursday friday saturday sunday'.split(' '),
]);
