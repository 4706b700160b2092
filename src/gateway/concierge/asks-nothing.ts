import type { LibrarianInfo } from '../../contract/librarian.ts';

/**
 * Whether a message asks for no knowledge: it only greets, thanks or takes leave, or wants something to be written, told or
 * translated (`a poem about the sea`). The latter is for somebody after all where a librarian gives such a request as an example.
 */
export const asksNothing = (message: string, librarians: readonly LibrarianInfo[]): boolean => {
  if (message.length > MAX_LENGTH) return false;
  if (isSmallTalk(message)) return true;
  return (
    COMPOSING.test(message) && !librarians.some(({ examples = [] }) => examples.some((text) => COMPOSING.test(text)))
  );
};

/** A longer message has something to say. In UTF-16 units. */
const MAX_LENGTH = 300;

/** A message in lower case without greetings, thanks and the like. */
export const withoutPleasantries = (message: string): string =>
  message.toLowerCase().replace(/[’`]/g, "'").replace(PLEASANTRY, ' ');

const isSmallTalk = (message: string): boolean =>
  /[a-z]/i.test(message) && !/[\p{L}\p{N}]/u.test(withoutPleasantries(message));

const PLEASANTRIES = [
  '(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day|night))(?: there| all| everyone| again| team)?',
  '(?:many |a thousand )?(?:thanks|thank you|thx|cheers)(?: so much| very much| a lot| again| anyway| in advance)?',
  'for (?:your|the|all your) (?:help|time|support|answer|quick (?:help|answer|reply))',
  "(?:that|this|it|you)(?:'s|'ve| is| was| were| has| have)?(?: been)?(?: really| very| so| a)?(?: great| big| good| huge)? (?:helpful|help|great|perfect|kind|wonderful|awesome|amazing)",
  "how(?:'s| is| are) (?:you|it going|things|everything|life|your day)(?: doing| going)?(?: today)?",
  "(?:what's|whats|what is) up",
  '(?:have|wish you) a (?:nice|great|good|lovely) (?:day|evening|weekend|one|night)(?: too)?',
  '(?:bye|goodbye|good bye|farewell|see (?:you|ya)|talk to you|take care)(?: bye| later| soon| tomorrow| then)?',
  '(?:nice|pleased|great) to meet you(?: too)?',
  "(?:i'm|i am) (?:fine|good|ok|okay)",
  "(?:who|what) are you|(?:what's|what is) your name|are you (?:a |an )?(?:human|robot|bot|machine|real|person|ai|computer)(?: person)?",
  '(?:ok|okay|great|perfect|cool|nice|wonderful|awesome|super|got it|i see|never ?mind|no worries|you too|please|sorry|lol|test|and|then|so|well|yes|no|friend|dear)',
];
/** Of bounded length each, with nothing that repeats inside of what repeats. */
const PLEASANTRY = new RegExp(`\\b(?:${PLEASANTRIES.join('|')})(?![a-z0-9'])`, 'g');

const WORKS =
  'poem|haiku|limerick|sonnet|verse|rhyme|song|lyrics|rap|story|fairy tale|tale|joke|riddle|pun|novel|essay|speech|toast|slogan|' +
  '(?:cover|love|application|resignation) letter|resume|cv|blog post|tweet|screenplay|homework|' +
  'program|function|class|algorithm|regex|code|game|website';
const COMPOSING = new RegExp(
  '^(?:(?:hi|hello|hey|please|ok|okay)[,!.]? )?(?:(?:can|could|would|will) you (?:please )?|i (?:want|need) you to |please )?' +
    `(?:(?:write|compose|draft|invent|make up|sing|tell|create|generate|code|implement|program|improvise)(?: me| us)? (?:an?|some|the|my|another)(?: (?!(?:about|of|on|for|in|with|per|from|to|the)\\b)[\\w+#-]+){0,3}? (?:${WORKS})s?\\b|` +
    '(?:translate|proofread|rephrase|paraphrase)\\b|(?:how do you|how does one|what does) .{1,60}\\b(?:say|mean) in (?:[a-z]+ish|french|german|italian|chinese|japanese|portuguese|russian|dutch)\\b)',
  'i',
);
