import type { PromiseLanguage } from './promise-language.ts';

const any = (words: string): string =>
  `(?:${words
    .trim()
    .split(/\s*\n\s*|\|/)
    .join('|')})`;
const pattern = (source: string): RegExp => new RegExp(source, 'u');

const DAY = `${any('mon|tues|wednes|thurs|fri|satur|sun')}day`;
const MONTH = any(
  'january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec',
);
const COUNT =
  '(?:\\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|a few|a couple of|several|the next|next)';
const UNIT = '(?:minutes?|hours?|(?:business |working )?days?|weeks?|months?)';
const TIME = any(`
  today|tonight|tomorrow|straight away|right away|immediately|overnight|asap
  (?:by|on|before|until|this|next|coming|no later than)\\s(?:the )?(?:end of )?(?:the |this |next )?(?:${DAY}|week|month|weekend|noon|\\d)
  (?:within|in|under|after)\\s(?:the next |about |at most |up to |less than |only )?${COUNT}(?:\\s(?:to|or|-)\\s\\w+)?\\s(?:more )?${UNIT}
  \\d{1,2}(?:st|nd|rd|th)?\\s(?:of )?${MONTH}\\b
  ${MONTH}\\s\\d{1,2}\\b
  (?:\\d+(?:\\s?(?:to|-|–)\\s?\\d+)?|${COUNT}(?:\\s(?:to|or)\\s\\w+)?)\\s${UNIT}
`);

/** Days of the calendar, and terms of days and longer: nothing that a device does takes so long. */
const CALENDAR = any(`
  today|tonight|tomorrow
  (?:by|on|before|this|next)\\s(?:the )?(?:end of )?(?:the |this |next )?(?:${DAY}|week|month|weekend|afternoon|evening|christmas)
  (?:within|in|under)\\s(?:the next |about |at most |up to )?${COUNT}(?:\\s(?:to|or|-)\\s\\w+)?\\s(?:business |working )?(?:days?|weeks?|months?)
  (?:by|on|before)\\s(?:the )?(?:\\d{1,2}(?:st|nd|rd|th)?\\s(?:of )?${MONTH}|${MONTH}\\s\\d{1,2})\\b
`);
const DEVICE =
  '(?:node|sync\\w*|block\\w*|led|light|miner|dashboard|pool|download|fan|disk|log|difficulty|hash\\w*|setting|password|token|payout|balance|share|certificate|network|update)s?';

const WHO =
  '(?:we|i|they|he|she|(?:our|the|my|a|an)\\s(?:\\w+\\s){0,2}?(?:team|department|colleagues?|technicians?|engineers?|warehouse|manager|courier|carrier|agent|specialist|developers?)(?:\\s[a-z]{2,12})?|support|someone|somebody)';
const WILL =
  "(?:'ll|\\swill|\\sshall|(?:'m|'re|'s|\\sam|\\sare|\\sis)\\s(?:going to|about to|happy to|glad to)|\\scan|(?:'d|\\swould) (?:(?:be )?(?:happy|glad|pleased) to|(?:also )?like to|love to)|\\s(?:have |has |'ve )?decided to|\\s(?:are|am) willing to|\\s(?:have )?agreed? to|\\spromise to|\\sundertake to|\\soffer to|\\shave arranged to)";
const ADVERB =
  '(?:\\s(?:gladly|then|also|now|certainly|of course|immediately|definitely|personally|happily|be able to|simply|either|fully|just|always|still|be happy to|make sure to|go ahead and))*';
/** "we will check it and refund you" */
const LINKED = "(?:(?:\\s[\\w'-]+){1,8}?\\s(?:and|or|then)(?:\\sthen)?)?";
const DO = `${WHO}${WILL}${ADVERB}${LINKED}${ADVERB}\\s`;

const GOODS = any(
  'order|parcel|package|shipment|delivery|devices?|units?|replacement|spare part|part|fan|board|cable|power supply|psu|miner|label|box|item|product|goods|one|tracking number|invoice|rma number',
);
const MONEY = any(
  'refund|money|credit|discount|voucher|compensation|reimbursement|coupon|gift card|payment|amount|price|purchase price|goodwill payment|rebate',
);

const SUM = '(?:[$€£]\\s?\\d|\\d+(?:[.,]\\d+)?\\s?(?:€|\\$|£|(?:usd|eur|gbp|dollars?|euros?|pounds?|chf|francs?)\\b))';
const BE = "(?:'s|\\b(?:is|are|was|were|gets?|got|be|been|being))\\s(?:(?:\\w+ly|already|then|now|also|being)\\s)?";
const SETTLED = '(?:processed|issued|approved|accepted|granted|sent|due|confirmed|booked|paid)';
const DONE = 'replaced|exchanged|repaired|fixed|shipped|sent|dispatched|delivered|mailed|upgraded|collected';
const RELEASE = '(?:release|update|version|firmware|patch|build)';

export const ENGLISH: PromiseLanguage = {
  clauseEnd:
    /[;:—–]|\s-\s|,\s+(?=(?:but|and|so|however|instead|then|yet|we|i|you|your|our|it|they|the|this|that|please|which)\b)|\s(?=but\b)|(?<=^(?:if|when|once|as soon as|after|before|until|unless|since|because|although|while|in case|should|to)\b[^,]{0,300}),\s/u,
  condition:
    /\b(?:if|whether|when|whenever|before|until|unless|how|why|who|what|where|in order to|so that|in case|once|as soon as|after|while)\b|\b(?:you|customers?|they)(?:\s\w+)?\s(?:ask(?:ed)?|want(?:ed)?|said|say|wrote|write|told|mention(?:ed)?|expected|would like|claim(?:ed)?|request(?:ed)?|wish(?:ed)?|prefer)\b/u,
  denial: undefined,
  harmless: /\b(?:try|tries|do our best|hope|aim|attempt|may be able|might|unable|refuses?|declines?)\b/u,
  denying:
    /\b(?:won't|will not|don't|do not|need not|needn't)\s(?:\w+\s)?(?:have to pay|need to pay|be charged|pay anything|pay for|charge|cost you|happen again)|\b(?:at|with|for) no (?:extra |additional |further )?(?:cost|charge|fee)s?\b|\bno (?:extra |additional |further )?(?:costs?|charges?|fees?) (?:for|to) you|\bnothing (?:further |more )?to pay\b|\b(?:you (?:will )?pay|(?:it|this|that) (?:will )?costs? (?:you )?) ?nothing\b|without (?:any )?(?:extra |additional )?(?:charge|cost)s?\b/u,
  promises: [
    // Whoever is to do it, and whatever it is.
    [
      'date',
      pattern(
        `^(?!(?:then )?(?:the|your|a|an|this|each)\\s(?:\\w+\\s)?${DEVICE}\\b).*?(?:'ll|\\bwill|\\bshall|\\bgoing to)\\b(?:\\s\\S+){0,12}?\\s${CALENDAR}`,
      ),
    ],
    [
      'date',
      pattern(
        `\\b(?:we|i|courier|carrier|colleague|technician|engineer|team|warehouse|dhl|ups)\\s(?!\\w+ed\\b)(?!.*\\b(?:was|were|had|did|got)\\b)(?:\\S+\\s){1,10}?${CALENDAR}`,
      ),
    ],
    [
      'act',
      pattern(
        `${WHO}(?:${WILL})${ADVERB}\\s(?:arrange|process|make|initiate|start|approve|organi[sz]e|book|schedule|set up|issue)\\s(?:\\S+\\s){0,5}?(?:${MONEY}|replacement|exchange|repair|pickup|courier|collection|visit|return)\\b`,
      ),
    ],
    ['act', /\b(?:we|i) (?:hereby )?(?:commit|undertake|pledge) to\b/u],
    ['warranty', /\byou (?:will |'ll )?(?:get|have|receive)\s(?:\S+\s){0,5}?(?:warranty|guarantee)\b/u],
    [
      'refund',
      pattern(
        `${DO}(?:refund|reimburse|pay (?:you )?back|return (?:your|the) (?:money|payment)|give (?:you )?(?:back )?your money|transfer (?:the|your) (?:money|amount))`,
      ),
    ],
    [
      'replacement',
      pattern(
        `${DO}(?:replace|exchange|swap|(?:send|ship|give|get|provide|mail|post)\\s(?:\\S+\\s){0,4}?(?:replacement|new|another|spare|substitute|loan))`,
      ),
    ],
    [
      'act',
      /\bwe (?:\w+ly |always |also )?(?:refund|reimburse|replace|exchange|repair|compensate|waive|cover|pay for)\b/u,
    ],
    ['act', pattern(`\\bexpect\\s(?:your|the|a|our)\\s(?:\\w+\\s)?(?:${GOODS}|${MONEY}|reply|answer)`)],
    ['date', pattern(`\\b(?:leaves?|arrives?|ships?|departs|goes out|is delivered)\\b(?:\\s\\S+){0,6}?\\s${TIME}`)],
    ['repair', pattern(`${DO}(?:repair|mend|fix|service|overhaul)`)],
    [
      'compensation',
      pattern(
        `${DO}(?:compensate|credit|discount|waive|make (?:it|this) up|(?:offer|give|grant|add|apply|issue|send|provide|take)\\s(?:\\S+\\s){0,5}?(?:${MONEY}|off)\\b|reduce the price)`,
      ),
    ],
    [
      'act',
      pattern(
        `${DO}(?:(?:send|ship|dispatch|deliver|post|mail)\\s(?:\\S+\\s){0,5}?${GOODS}|ship\\b|dispatch\\b|call|phone|ring|visit|collect|pick (?:it|them|the \\w+) up|pick up|upgrade|extend|cover|pay|ensure|make sure (?:that|this|you)|see to it|resolve|release|cancel|expedite|prioriti[sz]e|resend|(?:have|get)\\s(?:\\S+\\s){1,4}?(?:back|collect|collected|replaced|repaired|sent|shipped|refunded|fixed|exchanged))`,
      ),
    ],
    [
      'refund',
      pattern(
        `\\b(?:you|customers?)(?:'ll| will| shall| are going to| can expect to| should| can)?\\s(?:\\w+\\s)?(?:get|receive|have|expect|be given|be sent)\\s(?:\\S+\\s){0,5}?(?:refund|money|reimbursement|payment back)`,
      ),
    ],
    [
      'replacement',
      pattern(
        `\\b(?:you|customers?)(?:'ll| will| shall| are going to| can expect(?: to)?| should| can)?\\s(?:\\w+\\s)?(?:get|receive|have|expect|be given|be sent)\\s(?:\\S+\\s){0,5}?(?:replacement|new (?:device|unit|one|fan|board|apollo)|loan (?:device|unit))`,
      ),
    ],
    [
      'compensation',
      pattern(
        `\\b(?:you|customers?)(?:'ll| will| shall| are going to| can expect(?: to)?| should| can)?\\s(?:\\w+\\s)?(?:get|receive|have|expect|be given|be sent)\\s(?:\\S+\\s){0,5}?${MONEY}`,
      ),
    ],
    [
      'refund',
      pattern(
        `\\b(?:entitled to|eligible for|qualify for|qualifies for)\\s(?:\\S+\\s){0,4}?(?:${MONEY}|replacement|repair|exchange)`,
      ),
    ],
    [
      'act',
      pattern(
        `\\b(?:${GOODS}|${MONEY})\\s(?:\\w+\\s){0,2}?(?:will|shall|is going to|are going to|is being|are being|has been|have been)(?: be)?(?:\\s\\w+)?\\s(?:${DONE}|approved|arranged)`,
      ),
    ],
    [
      'act',
      pattern(
        `(?:'ll| will| shall| going to)(?:\\s\\w+)?\\s(?:arrive|reach you|be with you|be at your door|be delivered|be shipped|be dispatched|be resolved|be repaired|ship|be on (?:its|the) way|be back in stock|be released|hear from us)\\b`,
      ),
    ],
    [
      'act',
      pattern(
        `\\b(?:we|i)(?:'re|'m| are| am)\\s(?:\\w+\\s)?(?:shipping|refunding|replacing|issuing|arranging|dispatching|crediting|giving|sending)\\s(?:\\S+\\s){0,5}?(?:${GOODS}|${MONEY}|replacement|you)\\b`,
      ),
    ],
    [
      'act',
      pattern(
        `\\b(?:we|i)(?:'ve| have)\\s(?:\\w+\\s)?(?:refunded|issued|approved|arranged|shipped|dispatched|credited|initiated|booked|extended|replaced|scheduled|sent)\\s(?:\\S+\\s){0,5}?(?:${GOODS}|${MONEY}|replacement|exchange|return|upgrade|warranty|pickup|repair|courier|technician|collection|visit|appointment|engineer)\\b`,
      ),
    ],
    [
      'act',
      pattern(
        `\\b(?:your|the|a|our)\\s(?:\\w+\\s){0,2}?(?:${GOODS}|${MONEY}|replacement)\\s(?:is|are|was|were)\\s(?:already |now )?(?:on (?:its|the|their) way|approved|confirmed|guaranteed|ready to ship)`,
      ),
    ],
    [
      'date',
      pattern(
        `(?:\\b(?:we|i|they|you|support|team|colleagues?|technicians?|engineers?|warehouse|carrier)(?:'ll|\\s(?:will|shall|are going to|can expect|answer|reply|ship|deliver|send|refund|repair|process|respond)))(?:\\s\\S+){0,14}?\\s${TIME}`,
      ),
    ],
    [
      'date',
      pattern(
        `\\byou\\s(?:can|may)\\s(?:\\w+\\s)?(?:return|exchange|cancel|send|keep|claim|try)\\b(?:\\s\\S+){0,8}?\\s${TIME}`,
      ),
    ],
    [
      'date',
      pattern(
        `\\b(?:orders?|parcel|package|shipment|deliver(?:y|ies)|refunds?|replacements?|money|payment|reply|answer|response|repairs?|exchange|return|credit|case|ticket|issue|problem|bug|fix|feature|pre-?orders?|batch|tracking|label|release|part)s?\\b(?:\\s\\S+){0,8}?(?:'ll|\\swill|\\sshould|\\sshall|\\stakes?|\\sarrives?|\\sships?|\\sleaves?|\\sis (?:due|expected|scheduled|planned|ready)|\\sare (?:due|expected|scheduled|planned|ready)|\\sgoes|\\sgo|\\scomes?)\\b(?:\\s\\S+){0,8}?\\s${TIME}`,
      ),
    ],
    // What is said of now, or as if it were done.
    [
      'refund',
      pattern(`${BE}(?:refunded|reimbursed|paid back|credited(?! as| to the)|compensated|waived|discounted)\\b`),
    ],
    [
      'act',
      pattern(
        `\\b(?:your|an?|the)\\s(?:\\w+\\s){0,2}?${GOODS}\\s(?:is|are|was|were|gets?|got)\\s(?:(?:\\w+ly|being|already)\\s)?(?:${DONE})(?=[.!]*$|,|\\s(?:to you|free|by us|at no|under|today|tomorrow)\\b)`,
      ),
    ],
    [
      'act',
      pattern(
        `\\b(?:refund|return|claim|reimbursement|replacement|exchange|credit|compensation|rma|repair)\\s(?:is|was|has been|gets)\\s(?:\\w+\\s)?${SETTLED}\\b`,
      ),
    ],
    ['refund', /\b(?:you(?:'re| are)\s(?:\w+\s)?(?:due|owed)|(?:we|i) owe you)\b/u],
    [
      'act',
      /\b(?:let|allow) (?:me|us)(?: to)?\s(?:\w+ly\s)?(?:refund|reimburse|replace|send you|ship|repair|exchange|swap|credit|compensate|offer|give you|arrange|book)\b/u,
    ],
    [
      'act',
      /\b(?:we|i)(?:'ll)? (?:\w+ly |also |will )?(?:send|ship|mail|give|grant|offer|credit|accept|bear|take (?:over|care of)|foot)\s(?:\S+\s){0,4}?(?:replacements?|new|refund|credit|discount|returns?|claims?|costs?|bill|account)\b/u,
    ],
    ['act', pattern(`${WHO}\\s(?:will )?(?:calls?|rings?|phones?|visits?)\\s(?:you|back)\\b`)],
    [
      'compensation',
      pattern(
        `(?:\\d\\s?%|\\d percent|${SUM}) (?:off|discount)\\b|\\bhere(?:'s| is) (?:an?|your)\\s(?:\\S+\\s){0,3}?${MONEY}\\b`,
      ),
    ],
    ['price', pattern(`(?:'s|\\b(?:is|are|only|just))\\s(?:(?:only|just|about|around|roughly)\\s)?${SUM}`)],
    ['price', /\b(?:is|are) (?:on us|ours to pay)\b/u],
    [
      'date',
      pattern(
        `^(?!.*\\b(?:was|were|had|did|got|must|has to|have to|needs?)\\b).*?\\b(?:you|it|this|that|they|everything|someone|somebody|one)(?:'s|'re|\\s(?:\\w+\\s){0,3}?(?:have|has|gets?|receive|reach(?:es)?|arrives?|be|yours|hear|expect|is|are))\\b(?:\\s\\S+){0,6}?\\s${CALENDAR}`,
      ),
    ],
    [
      'date',
      pattern(
        `\\bexpect\\s(?:it|this|that|them|one|an?|your)\\b(?:\\s\\S+){0,5}?\\s${CALENDAR}|\\byou\\s(?:will )?(?:get|receive|hear)\\s(?:\\S+\\s){0,3}?(?:answer|reply|response|from us|back)\\s${TIME}|\\b(?:issue|problem|bug|fault) (?:is|gets) (?:fixed|solved|resolved)\\s${TIME}`,
      ),
    ],
    [
      'date',
      pattern(`\\b(?:delivery|dispatch|shipment|arrival|back in stock|eta)\\b(?:\\s\\w+){0,3}?\\s(?:${TIME}|${DAY})`),
    ],
    [
      'date',
      pattern(
        `\\b(?:com(?:es?|ing)(?: out)?|launch(?:es)?|(?:is|are|be) (?:available|released))\\s(?:in|on|next|this)\\s(?:\\w+\\s)?(?:${MONTH}|${DAY}|spring|summer|autumn|winter|month|year)\\b`,
      ),
    ],
    [
      'repair',
      pattern(
        `^(?=.*\\b(?:next|upcoming|coming|future)\\s(?:[\\w']+\\s)?${RELEASE}\\b)(?=.*\\b(?:fix|solv|resolv|correct|add(?:s|ed)?\\b|includ|bring|address(?:es|ed)\\b|support(?:s|ed)?\\b))`,
      ),
    ],
    [
      'price',
      /\b(?:free of charge|for free|(?:is|are|be|'s) (?:\w+ )?free(?! (?:to|of the|from|for (?:use|download)))\b|free (?:shipping|delivery|repair|replacement|returns?|exchange|upgrade|unit|device|part|month|fan|label|service)|complimentary|on the house|(?:at|on) our (?:own )?(?:expense|cost)|costs? you nothing)\b/u,
    ],
    [
      'price',
      /(?:[$€£]\s?\d|\b\d+(?:[.,]\d+)?\s?(?:€|\$|£|usd|eur|gbp|dollars?|euros?|pounds?|chf|francs?|% (?:off|discount|rebate)|percent off)).{0,80}\b(?:costs?|price|fee|charge|postage|shipping|pay|discount|off|each|only)\b|\b(?:costs?|priced?|fee|charges?|postage|shipping|pay|deduct|for only|for just|discount of)\b.{0,60}(?:[$€£]\s?\d|\b\d+(?:[.,]\d+)?\s?(?:%(?! \p{L}+rate)|€|\$|£|usd|eur|gbp|dollars?|euros?|pounds?|chf))/u,
    ],
    [
      'warranty',
      /(?:\b(?:is|are|remains?|stays?|falls?|be)|'s|'re)\s(?:\w+\s){0,3}?(?:covered|under (?:the |your |our )?(?:warranty|guarantee)|(?:in|within) (?:the |your )?warranty)|\b(?:warranty|guarantee)\s(?:\w+\s){0,3}?(?:covers?|extend(?:ed|s to)|includes?|applies|is valid|is extended|lasts|runs|term)|\b(?:we|i) (?:guarantee|promise|assure)|\bguaranteed\b|money[- ]back|lifetime warranty/u,
    ],
  ],
};
