import type { SourceType } from './source-type.ts';

/** What a text asks for. */
export interface Assignment {
  type: SourceType;
  /** Sum of the cues of that type; 0 when nothing in the text says what kind of source it needs. */
  score: number;
}

/** Score from which on a text speaks for its kind by itself, without a question around it. */
export const STRONG_CUE = 2;

/**
 * Tells by its words which kind of source a text needs. Each cue counts once, whatever its number of matches; without
 * any cue the knowledge base is the one to ask.
 */
export const assignType = (text: string): Assignment => {
  const lower = text.slice(0, MAX_LENGTH).toLowerCase().replace(/\s+/g, ' ');
  const scores: Record<SourceType, number> = { analytics: 0, web_search: 0, semantic: 0 };
  for (const [type, weight, cue] of CUES) if (cue.test(lower)) scores[type] += weight;
  const best = ORDER.reduce((leading, type) => (scores[type] > scores[leading] ? type : leading));
  return scores[best] < LEAST_CUE ? { type: 'semantic', score: 0 } : { type: best, score: scores[best] };
};

const MAX_LENGTH = 4000;
/** A word such as `yesterday` alone says nothing. */
const LEAST_CUE = 1.5;

/** Among equals the earlier one is taken. */
const ORDER = ['semantic', 'analytics', 'web_search'] as const satisfies SourceType[];

const CUES: readonly [type: SourceType, weight: number, cue: RegExp][] = [
  // Counting, adding up, ranking.
  [
    'analytics',
    3,
    /\bhow many\b|(?<!\b(?:tracking|serial|order|phone|rma|model|version|port) )\bnumber of\b|\bcount(?:s|ed)?\b|\bquantit(?:y|ies)\b/,
  ],
  ['analytics', 2, /\btotal\b|\bsum of\b|\baverage\b|\bmedian\b|\bshare of\b|\bper cent\b|\bpercentage\b/],
  [
    'analytics',
    2,
    /\b(?:best|worst|top)[- ]sell(?:ing|ers?)\b|\bsells? (?:best|most|worst|least)\b|\btop (?:\d+|three|five|ten|twenty)\b/,
  ],
  ['analytics', 1.5, /\b(?:per|by) (?:day|week|month|quarter|year|country|city|category|product|customer|warehouse)\b/],
  ['analytics', 1, /\b(?:last|this|past|previous) (?:week|month|quarter|year)\b|\byesterday\b|\bso far\b/],
  // What the shop's own tables hold.
  [
    'analytics',
    3,
    /\b(?:in|out of|our|of) stock\b|\bstock (?:levels?|of|for)\b|\binventory\b|\bwarehouses?\b|\breorder\b|\bsold out\b/,
  ],
  ['analytics', 2, /\bstock\b|\bunits?\b|\bstill available\b|\bavailable from us\b|\bdo we (?:still )?have\b/],
  ['analytics', 3, /\brevenue\b|\bturnover\b|\bsales\b|\bearn(?:ed|ings)?\b|\bincome\b|\bprofit\b|\bspen[dt]\b/],
  ['analytics', 2, /\b(?:we|customers?) (?:last )?(?:sell|sold|bought|ordered|buy)\b|\bwere (?:sold|ordered|bought)\b/],
  ['analytics', 1.5, /\borders?\b|\bcustomers?\b|\bbuyers\b|\bsold\b/],
  ['analytics', 2, /\b(?:best|biggest|largest|top|newest) (?:customers?|buyers?|orders?)\b/],
  [
    'analytics',
    3,
    /\bour (?:own )?prices?\b|\b(?:do|did) we (?:charge|take|ask|get|make|want)\b|\b(?:in|from) our (?:shop|store)\b|\bwith us\b/,
  ],
  ['analytics', 2, /\bprices?\b/],
  ['analytics', 3, /\bour (?:\w+ )?(?:cheapest|dearest|newest|oldest|most \w+|least \w+)\b/],
  ['analytics', 1.5, /\bcosts?\b|\bcharge[ds]?\b|\bhow much\b/],
  // What only others know.
  [
    'web_search',
    4,
    /\b(?:other|another|different|rival|competing) (?:\w+ )?(?:shops?|stores?|retailers?|sellers?|vendors?|websites?|sites?|suppliers?|dealers?)\b/,
  ],
  ['web_search', 4, /\bcompet(?:itors?|itions?|ing)\b|\brivals?\b|\bmarket prices?\b|\bgoing rate\b|\bon the market\b/],
  ['web_search', 4, /\b(?:the|world wide) (?:web|internet|net)\b|\bonline\b|\bweb ?sites?\b|\bgoogle\b/],
  ['web_search', 4, /\bamazon\b|\bebay\b|\breddit\b|\byoutube\b|\btrustpilot\b|\bmarketplaces?\b/],
  ['web_search', 4, /\bnews\b|\bheadlines?\b|\bthe press\b|\bpress coverage\b|\bthe media\b|\bblogs?\b/],
  ['web_search', 4, /\belsewhere\b|\banywhere else\b|\bsomewhere else\b|\banyone else\b|\banybody else\b/],
  [
    'web_search',
    3,
    /\breviews?\b|\breviewers?\b|\breviewed\b|\btesters?\b|\bratings?\b|\bforums?\b|\b(?:do|are) people\b/,
  ],
  [
    'web_search',
    2,
    /\bcheaper\b|\boffers?\b|\b(?:any(?:body|one)|others?) (?:sells?|ask|charge|want)\b|\blatest\b|\btrends?\b/,
  ],
  // What is written.
  [
    'semantic',
    3,
    /\bpolic(?:y|ies)\b|\bwarrant(?:y|ies)\b|\bguarantees?\b|\bterms\b|\bconditions\b|\brules?\b|\bprocedures?\b|\bprocess\b/,
  ],
  [
    'semantic',
    3,
    /\bdocs?\b|\bdocuments?\b|\bdocumentation\b|\bmanuals?\b|\bguides?\b|\barticles?\b|\bpages?\b|\bpassages?\b|\bfaqs?\b|\bhandbooks?\b|\bknowledge base\b|\binstructions?\b/,
  ],
  [
    'semantic',
    2.5,
    /\bexplain\b|\bsummari[sz]e\b|\bdescribe\b|\bwhat (?:does|do) .{1,80}\bmean\b|\bwhy\b|\bdifference between\b/,
  ],
  [
    'semantic',
    2,
    /\bhow (?:do|does|can|should|must|to|is|are|long|often)\b|\b(?:is|was|are|anything|something|nothing) written\b|\b(?:set|setting)(?:[- ]?| \w+ )up\b/,
  ],
  ['semantic', 1.5, /\bsays? about\b|\bsays?\b|\bmay\b|\bcan (?:i|a|an|you|we)\b|\bsupports?\b|\bcovers?\b|\bmeans?\b/],
  [
    'semantic',
    1.5,
    /\breturn(?:s|ed|ing)?\b|\brefund(?:s|ed)?\b|\bexchanges?\b|\brepair(?:s|ed)?\b|\bcustoms\b|\bsend\b/,
  ],
  [
    'semantic',
    3.5,
    /\bhow (?:many|much) (?:watts?|volts?|amps?|kwh|seconds?|minutes?|hours?|days?|degrees?|decibels?|power|electricity|energy|noise|heat|space|memory|time)\b/,
  ],
  ['semantic', 2, /\btracking\b|\bparcels?\b|\bmy orders?\b/],
  ['semantic', 2, /\bwhat (?:do|does|is|are) .{1,60} (?:do|for)\s*(?:[?.!]|$)/],
  ['semantic', 2, /\bshipping\b|\bdelivery\b|\bpostage\b/],
  [
    'semantic',
    2,
    /\bnoise\b|\bspecifications?\b|\bspecs\b|\binstall(?:ation)?\b|\bfirmware\b|\bsafety\b|\bdimensions\b|\bpower consumption\b|\bfaults?\b|\berrors?\b|\btroubleshooting\b/,
  ],
];
