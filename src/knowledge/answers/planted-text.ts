/**
 * Whether a text speaks to a model instead of a reader: it overrides instructions, hands out a role, imitates the marks of
 * a chat or of a reply, dictates what an answer has to say, or sends what was said elsewhere; openly, spelled out letter
 * by letter, in base64, or hidden in signs that nobody sees.
 *
 * It knows the forms that such texts take, in a dozen languages, and no more: what it misses is still data to the model and
 * has to stand the checks of an answer. What that is worth, measured: docs/navigator.md.
 *
 * @param text Read so far: 8,000 UTF-16 units.
 */
export const isPlanted = (text: string): boolean => {
  const read = text.slice(0, MAX_READ);
  if (HIDDEN.test(read)) return true;
  return speaksToModel(plainOf(read)) || (ENCODED.test(read) && decodedOf(read).some(isPlantedPlain));
};

/** The same for names, where other signs stand in for spaces: `care/ignore-all-previous-instructions.md`. */
export const isPlantedName = (name: string): boolean =>
  isPlanted(name) || isPlantedPlain(name.slice(0, MAX_READ).replace(/[-_/.+]+/g, ' '));

const isPlantedPlain = (text: string): boolean => speaksToModel(plainOf(text));

/** Both as it stands and with addresses made words, whose dots would end a sentence. */
const speaksToModel = (plain: string): boolean => {
  const addressless = plain.replace(/https?:\/\/[^\s)\]>"']+/g, 'url');
  return PATTERNS.some((pattern) => pattern.test(plain) || (addressless !== plain && pattern.test(addressless)));
};

const MAX_READ = 8000;

/** Tag characters and signs that turn the direction: no article needs them, and nobody sees what they say. */
const HIDDEN = /[\u{E0000}-\u{E007F}]|[\u202A-\u202E\u2066-\u2069]/u;

/** One line in lower case, without marks, invisible signs and the spaces within a word that is spelled out. */
const plainOf = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\u00AD\u200B-\u200F\u2060-\u2064\uFEFF]/g, '')
    .replace(/[*~`\\]+/g, '')
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/\b(?:\p{L}[ .-]){4,40}\p{L}\b/gu, (spelled) => spelled.replace(/[ .-]/g, ''))
    .replace(/[^\S\n]+/g, ' ');

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

const INSTRUCTIONS =
  '(?:instructions?|prompts?|rules|guidelines|directives?|directions|commands|constraints|context|passages|programming|training)';
const EARLIER =
  '(?:previous|prior|above|earlier|preceding|foregoing|original|initial|system|existing|other|your|safety)';
const REPLY = '(?:answers?|responses?|reply|replies|outputs?|summary|summaries)(?! (?:codes?|times?|messages?))';
const MODEL = '(?:ais?|llms?|(?:large )?language models?|ai models?|ai assistants?|assistants?|chat ?bots?|gpt[\\w-]*)';

const PATTERNS: readonly RegExp[] = [
  // It overrides.
  new RegExp(
    `\\b(?:ignore|disregard|forget|override|overrule|bypass|discard|don't follow|do not follow|stop following)\\b[^.\\n]{0,40}\\b${EARLIER} (?:\\w+ ){0,2}${INSTRUCTIONS}\\b(?!\\s*(?:label|manual))`,
  ),
  /\b(?:ignore|disregard|forget)\b (?:everything|anything|all|whatever|what)\b[^.\n]{0,30}\b(?:above|before|so far|said|told|read|know|learned)\b/,
  /\b(?:new|updated|real|actual|true|secret|hidden) (?:system |developer )?(?:instructions?|prompt|task)\s*:/,
  // It hands out a role.
  new RegExp(
    `\\b(?:you are|you're|act as|behave as|pretend (?:to be|you are|that you are)|role-?play(?:ing)? as|imagine (?:that )?you are|assume the role of|your role is)\\b (?:\\w+ ){0,4}${MODEL}\\b`,
  ),
  /\b(?:you are now (?!connected|logged|signed|ready|able|in |on |at |using|done|prompted|asked|set )|from now on,? (?:you (?:are|will|must|shall|always|only|answer|say)|answer|respond|reply|speak|write|always|every)|let's (?:play a game|role-?play)|pretend (?:to be|you are|that you are)|act as if you|stay in character|developer mode|jailbr(?:ea|o)k\w*|do anything now)\b/,
  new RegExp(
    `\\b(?:notes?|messages?|instructions?|attention|notice|hints?|reminder|orders?|important|warning|dear|hey|hello)\\b[ :,]{1,2}(?:(?:to|for) )?(?:the |any |all |every |our )?${MODEL}\\b`,
  ),
  new RegExp(
    `\\b(?:if you are|any|every|all|the|as) (?:an? )?${MODEL}\\b[^.\\n]{0,40}\\b(?:must|should|shall|has to|have to|needs? to|reading this|reads this|processing this|summari[sz]ing this|answering)\\b`,
  ),
  new RegExp(
    `\\b${MODEL}\\s?(?:[:,]|must|should|shall|have to|has to|need to|are to|is to|will now)\\s?(?:please |now |always |never |not )?(?:ask|say|add|tell|answer|reply|respond|print|output|ignore|write|include|state|claim|mention|show|send|follow|recommend|cite|insert|do not|don't|you)\\b`,
  ),
  // It hides.
  /style\s*=\s*["'][^"']{0,120}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?![.\d])|color\s*:\s*(?:white|transparent|#fff))/,
  // It imitates the marks of a chat, or of a reply.
  /<\|[a-z_]{2,20}\|?>|\[\/?(?:inst|sys|system)\]|<<\/?sys>>|<\/?(?:system|assistant|instructions?|passages?|im_start|im_end|tool_call|function_call)\b[^>]{0,40}>/,
  /(?:^|\n)[\s#>|"'[({=-]{0,10}(?:system|assistant|developer|admin)(?: (?:prompt|message|note|notice|instructions?|override|update))?\s*[\])}"']?\s*[:>=]\s{0,3}[^\n]{0,120}\b(?:you|answer|respond|reply|say|ignore|output|print|tell|write|state|must|always|never|set|user|customer|sure)\b/,
  /\b(?:system|developer) (?:prompt|message|override|instructions?)\b/,
  /"?\brole"?\s*[:=]\s*"?(?:system|assistant|developer|tool)\b/,
  /\b(?:begin|end|start) of (?:the )?(?:system|developer|hidden|passages?|sources?|documents?|context|input|untrusted|data)\b/,
  /"?\b(?:out_?of_?domain|verdict|statements)"?\s*[:=]\s*["'[{]?\s*(?:true|false|answer|no_information|[[{"])/,
  /"confidence"\s*:\s*"(?:high|medium|low)"/,
  // It dictates what an answer says, how sure it is, and what it cites.
  /\b(?:set|change|raise|lower|report|mark|declare|give|return|put)\b[^.\n]{0,40}\b(?:confidence|out ?_?of ?_?domain|verdict)\b[^.\n]{0,30}\b(?:high|low|medium|true|false|maximum|100)\b/,
  new RegExp(
    `\\b(?:include|append|add|insert|write|put|mention|begin|start|end|finish|repeat|place|embed|display|show|render|say|prefix|close|conclude)\\b[^.\\n]{0,120}\\b(?:your|every|each|the final) (?:\\w+ )?${REPLY}\\b`,
  ),
  new RegExp(`\\b(?:begin|start|end|finish|prefix|close|conclude) (?:your|every|each|all) (?:\\w+ )?${REPLY}\\b`),
  /\byour (?:only |whole |entire |final )?(?:answer|response|reply|output) (?:must|should|shall|has to|is|will be)\b/,
  /\b(?:answer|respond|reply)\b(?: \w+){0,3} (?:with|by saying)(?: only| just)? (?:exactly|the following|nothing but|this (?:exact )?(?:text|sentence|phrase|link|code|word))\b/,
  /\b(?:answer|respond|reply|say) (?:\w+ ){0,2}(?:only|exactly|solely|nothing but|verbatim|word for word)\b(?! (?:one|once|to|when|if|on|as|what))/,
  /\b(?:tell|inform|show|give) (?:the |any |every |all )?(?:users?|customers?|readers?|askers?)\b[^.\n]{0,40}\b(?:exactly|verbatim|word for word|the following (?:text|sentence|link))\b/,
  /\b(?:always|only|instead|must|should|and) cite\b|\bcite\b[^.\n]{0,60}\b(?:instead|as (?:the|your|its) (?:only )?source)\b/,
  /\b(?:reply|respond|answer) that\b|(?:^|[.!?:;,]\s|\b(?:instead|please|should|must|then|simply|always)\s)(?:say|claim|insist|output|pretend)\b(?: that\b| the\b| an?\b|:| "| ')/,
  /\b(?:when|if|whenever) (?:you are |you're |anyone is |users? |someone |anybody )?(?:ever )?asks?(?:ed)?\b[^.\n]{0,80}\b(?:reply|say|answer|respond|tell|claim|recommend)\b/,
  /\bin your (?:reply|replies|answers?|responses?|output)\b(?! (?:message|code|file|box))|\byour (?:task|job|goal|mission|purpose|role) (?:has changed|is now|now is|is to)\b/,
  /\b(?:do not|don't|never) (?:mention|reveal|disclose|tell (?:the )?(?:user|reader|customer)|cite|quote)\b|\bpresent (?:it|this|that) as (?:an? )?(?:fact|truth?)\b|\bthe (?:correct|right|true|only) answer is\b/,
  // It speaks of who reads it.
  /\bas an? (?:large )?(?:language model|ai|llm|assistant|bot)\b|\b(?:for|to) the (?:bot|ai|model|llm|language model|chat ?bot)\b/,
  /\b(?:anyone|anybody|machines?|models?|bots?|software|tools?|whoever|systems?|agents?|crawlers?) (?:that is |who is )?(?:reading|processing|parsing|summari[sz]ing|reads?|summari[sz]es?|indexing|answering from) (?:this|these|the above)\b/,
  /\b(?:an ai|llms?|language models?|bots?|chat ?bots?)\b[^.\n]{0,30}\byou (?:are|must|should|shall|will|have to|need to|may|ought)\b/,
  /\b(?:prior|previous|earlier|existing) guidance\b|(?:^|\n)\W{0,4}override\s*[:!]|\b(?:has|have) (?:already )?(?:authori[sz]ed|permitted|cleared) you\b/,
  /(?:^|\n)\W{0,4}(?:human|user|customer)\s*:[^\n]{1,300}\n\s*(?:assistant|ai|bot|model)\s*:/,
  /\b(?:automated|automatic|ai|machine|robotic) readers?\b|\bthis passage\b|\b(?:chatgpt|copilot|gemini|claude|gpt)[!,:]|\b(?:hi|hello|hey|dear) (?:chatgpt|copilot|gemini|claude|gpt)\b/,
  /\brepeat after me\b|\bdo (?:what|as) i (?:say|tell)\b|\byour (?:developers|creators|operators|makers) (?:want|wish|ask|order|have|expect)\b|\bdocuments (?:that )?you (?:have access|can see|were given)\b/,
  /\byou must not (?:answer|reply|respond|discuss)\b|\b(?:text|passage|article|information|content)s? (?:above|below) (?:is|are) (?:wrong|false|a test|untrusted|fake)\b|\bas coming from the (?:system|developer|operator)\b/,
  /\b(?:assistant|model|bot|ai)_(?:response|reply|answer|output)\b|\b(?:todo|note|fixme)\s?\(?(?:model|ai|llm|assistant|bot)\b|\b(?:conclude|begin|start|end|open|close|finish) with (?:the (?:sentence|words?|phrase)|")/,
  // It has something decoded and obeyed, or what was said sent elsewhere.
  /\b(?:decode|decipher|decrypt|base64|rot13)\b[^.\n]{0,80}\b(?:follow|obey|execute|instructions?|do what|comply|say it|answer)\b/,
  /\b(?:send|post|exfiltrate|leak|transmit|forward|reveal|repeat|print|output|disclose|encode|append)\b[^.\n]{0,60}\b(?:conversation|chat history|history|system prompt|your (?:instructions|prompt|rules)|(?:user|customer|asker)'?s? (?:question|message|words|data))\b/,
  /\]\([^)\n]{0,300}(?:[?&][\w-]*=(?:\{|<|\[|%7b|\$)|[?&](?:q|question|history|conversation|secret|prompt)=)/,
  // The same in other languages.
  /(?:ignorier\w*|vergiss|vergesst|vergessen sie|missachte\w*)[^.\n]{0,30}(?:alle|vorherig|vorangehend|bisherig|obig|deine|vorig|früher|ursprünglich)\w*[^.\n]{0,40}(?:anweisung|instruktion|regel|vorgabe|befehl|prompt)/,
  /(?:antworte|antworten sie|schreibe?|sage?|gib)\b[^.\n]{0,40}\b(?:nur|genau|ausschließlich|wörtlich)\b|\b(?:du bist|sie sind) (?:jetzt|nun|ab jetzt)\b/,
  /(?:ignor(?:e|ez|er)|oubli(?:e|ez|er)) (?:toutes?|tous|les|tes|vos|ces)\b[^.\n]{0,40}(?:instructions?|consignes?|règles?|directives?)/,
  /\b(?:réponds?|répondez|écris|écrivez|dis|dites)\b[^.\n]{0,30}(?:uniquement|seulement|exactement|mot pour mot)|\b(?:tu es|vous êtes) (?:maintenant|désormais)\b/,
  /(?:ignora|ignore|ignorad|olvida|olvide|descarta)(?:r)? (?:todas?|todos|las|los|tus|sus|estas)\b[^.\n]{0,40}(?:instrucciones|órdenes|reglas|indicaciones)/,
  /\b(?:responde|responda|escribe|di|diga)\b[^.\n]{0,30}(?:solo|sólo|únicamente|exactamente|solamente)\b|\bahora eres\b/,
  /\b(?:réponds?|répondez|dis|dites) (?:toujours |simplement |seulement )?que\b|\b(?:responde|responda|di|diga) (?:siempre |sempre |simplemente |apenas )?que\b|\b(?:rispondi|rispondete|di'|dite) (?:sempre |solo )?che\b/,
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
