/** What the words of a customer tell an agent to look out for. Lists of words in the languages that drafts have phrases of. */
export interface Signals {
  /** The word that speaks of danger to people or property. */
  danger: string | undefined;
  isAngry: boolean;
  /** What the customer wants promised, in a word: `refund`. */
  wanted: string | undefined;
}

/** @param text At most 16,000 UTF-16 units are read. */
export const signalsIn = (text: string): Signals => {
  const read = text.slice(0, 16_000);
  return { danger: DANGER.exec(read)?.[0].toLowerCase(), isAngry: isAngry(read), wanted: wantedIn(read) };
};

const word = (alternatives: string, flags = 'iu') =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, flags);

const DANGER = word(
  [
    'smok(?:e|es|ed|ing)|caught fire|on fire|flames?|sparks?|sparking|burn(?:ing|t) smell|smell(?:s|ed)? (?:of )?(?:burn(?:t|ing)|burned|plastic)|melt(?:ed|ing)|electric shock|got a shock|electrocuted|explo(?:ded|sion)|burned my (?:hand|finger)s?|injured',
    'rauch(?:t)?|qualmt?|brennt|feuer|funken|verschmort|stromschlag|explodiert',
    'fumée|brûlé|incendie|étincelles?|choc électrique',
    'humo|quemado|fuego|incendio|chispas?|descarga eléctrica',
    'fumo|bruciato|fuoco|scintille|scossa',
    'fumaça|queimado|fogo|faíscas?|choque elétrico',
    'rook|verbrand|brand|vonken|schok',
  ].join('|'),
);

const ANGER = word(
  [
    'unacceptable|ridiculous|disgusting|outrageous|furious|angry|fed up|sick of|worst|useless|pathetic|joke|scam|rip[- ]?off|fraud|lawyer|sue|terrible|horrible|awful|disgrace|incompetent|waste of (?:money|time)|never again|how dare|third time|still no (?:answer|reply|response)|ignored|wtf|bullshit|crap|damn',
    'unverschämt|frechheit|wütend|sauer|betrug|anwalt|inakzeptabel|lächerlich|saftladen|unglaublich|katastrophe',
    'inadmissible|scandaleux|furieux|arnaque|avocat|honteux|ras le bol',
    'inaceptable|indignante|furioso|estafa|abogado|vergüenza',
    'inaccettabile|vergogna|truffa|avvocato|inaceitável|vergonha|advogado|onacceptabel|belachelijk|oplichting|advocaat',
  ].join('|'),
);

/** One such word, three exclamation marks, or several words in capitals that are no names or units. */
const isAngry = (text: string): boolean =>
  ANGER.test(text) ||
  /!{3}/.test(text) ||
  (text.match(/(?<![\p{L}\p{N}])[A-Z]{4,}(?![\p{L}\p{N}/])/gu) ?? []).length >= 4;

const WANTED: readonly (readonly [string, RegExp])[] = [
  [
    'refund',
    word(
      'refund(?:ed|s)?|money back|reimburse(?:d|ment)?|geld zurück|erstattung|remboursement|rembours(?:er|é)|reembolso|rimborso|terugbetaling',
    ),
  ],
  [
    'replacement',
    word(
      'replacement|new (?:unit|device|one)|exchange it|swap it|ersatzgerät|umtausch|remplacement|reemplazo|sostituzione|substituição|vervanging',
    ),
  ],
  [
    'compensation',
    word(
      'compensat(?:e|ion)|damages|discount|voucher|credit me|goodwill|entschädigung|rabatt|gutschein|dédommagement|compensación|risarcimento',
    ),
  ],
  [
    'date',
    word(
      '(?:exact|delivery|arrival|release|ship(?:ping)?) date|by when|until when|when (?:will|can|do) (?:i|you|we|it|my|the)|bis wann|wann (?:kommt|wird|bekomme)|quand|cuándo|quando|wanneer',
    ),
  ],
  [
    'price',
    word(
      'how much (?:is|does|would|will)|price|quote me|was kostet|preis|combien|prix|cuánto|precio|quanto costa|prezzo|preço|prijs',
    ),
  ],
];

const wantedIn = (text: string): string | undefined => WANTED.find(([, pattern]) => pattern.test(text))?.[0];
