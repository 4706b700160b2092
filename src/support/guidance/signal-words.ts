/** The languages that drafts have phrases of. */
export type SignalLanguage = 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl';

type ByLanguage = Readonly<Record<SignalLanguage, RegExp>>;
/** Wishes are read in the languages that promises are read in. */
type OfWishes = Readonly<Partial<ByLanguage>>;

const word = (alternatives: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, 'iu');

/** Words of danger to people or property. */
export const DANGER: ByLanguage = {
  en: word(
    'smok(?:e|es|ed|ing)|(?:caught|catch(?:es|ing)?|on) fire|fire (?:from|in|inside|came|comes|coming|broke|started|hazard)|(?:and|a|with) fire(?! (?:up|brigade|department|alarm))|flames?|spark(?:s|ing)?|burn(?:ing|t) (?:smell|plastic|hair|rubber)|scorched|charred|singed|tingl(?:e|ed|es|ing)|zapped|loud (?:bang|pop)|(?:smell(?:s|ed|ing)?|st[ia]nks?|reeks?) (?:of |like )?(?:something )?(?:burn(?:t|ing|ed)|plastic|smoke)|burning(?! (?:\\w+ ){0,3}(?:image|sd|card|usb|disk|stick|coins?|bitcoin|money))|melt(?:s|ed|ing)|electric(?:al)? shock|(?:got|gets?|gave|gives?|had|felt) (?:me |him |her |us )?(?:an? )?(?:electric |little |small |bad )?shocks?|shocked (?:me|him|her|my)|electrocuted|explo(?:ded?|des|ding|sion)|burn(?:ed|t) (?:my|his|her) (?:hand|finger|arm)s?|injured',
  ),
  de: word(
    'rauch(?:t|te|en)?|geraucht|qualm(?:t|te|en)?|gequalmt|brennt|brannte|gebrannt|brandgeruch|(?:verbrannt|verkohlt|verschmort|angesengt)(?:e[nrs]?)?|in brand|feuer|flammen?|funken|geschmolzen|stromschl(?:ag|äge)|elektrisch(?:e|er|en) schlag|schlag bekommen|explodiert|verletzt',
  ),
  fr: word(
    'fumée|fume|brûl(?:é|ée|e|er|ure)|cramé|pr(?:end|is) feu|en feu|flammes?|incendie|étincelles?|(?:choc|décharge) électrique|électrocuté?e?|électrisée?|fondu|explosé|blessée?',
  ),
  es: word(
    'humo|humea|quemad[oa]|quemándose|se quema|fuego|llamas|ardiendo|incendi(?:o|ó|ado)|chispas?|descarga eléctrica|calambre|electrocut(?:ó|ado|ada)|derretid[oa]|explot(?:ó|ado)|herid[oa]',
  ),
  it: word('fumo|bruciat[oa]|brucia|fuoco|fiamme|incendio|scintille|scossa|folgorat[oa]|esplos[oa]|ferit[oa]'),
  pt: word(
    'fumaça|fumo|queimad[oa]|queimando|fogo|chamas|incêndio|faíscas?|choques? elétricos?|(?:levei|deu) (?:um )?choque|eletrocutad[oa]|explodiu|ferid[oa]',
  ),
  nl: word(
    'rookt?|verbrand|(?:het|hij|er|iets) brandt|in brand(?! new)|brandlucht|vlammen|vonken|schok|ge[eë]lektrocuteerd|gesmolten|ontploft|gewond',
  ),
};

export const ANGER: ByLanguage = {
  en: word(
    'unacceptable|ridiculous|disgusting|outrageous|furious|angry|fed up|sick of|worst|useless|pathetic|(?:a|your|bad|sick) joke|scam|rip[- ]?off|fraud|lawyer|sue you|terrible|horrible|awful|disgrace|incompetent|waste of (?:money|time)|never again|how dare|third time|still no (?:answer|reply|response)|(?:been|am|being) ignored|wtf|bullshit|crap|damn',
  ),
  de: word('unverschämt|frechheit|wütend|sauer|betrug|anwalt|inakzeptabel|lächerlich|saftladen|katastrophe'),
  fr: word('inadmissible|inacceptable|scandaleux|furieux|arnaque|avocat|honteux|ras le bol'),
  es: word('inaceptable|indignante|furios[oa]|estafa|abogado|vergüenza'),
  it: word('inaccettabile|vergogna|truffa|avvocato'),
  pt: word('inaceitável|vergonha|advogado|burla'),
  nl: word('onacceptabel|belachelijk|oplichting|advocaat|woedend'),
};

/** A sentence with one of these wishes for what it names. */
export const WISH: OfWishes = {
  en: word(
    "want(?:s|ed)?|need|demand|insist|expect|request(?:ing|ed)?|ask(?:ing|ed)? (?:for|you)|claim|(?:would|i'd|we'd) (?:like|love|prefer)|looking for|(?:can|could|may|do|should|will|would|how (?:do|can)) (?:i|we|you) (?:please |also |still )?(?:get|have|receive|send|give|offer|claim|exchange|replace|refund|grant)|(?:get|give|send|owe) (?:me|us|my|our|an?|the)|entitled|eligible|where(?:'s| is| are) (?:my|our|the)|waiting for|please|is there an?",
  ),
  de: word(
    'will|wollen|möchten?|verlangen?|fordern?|erwarten?|brauchen?|bitten?|hätten? gern(?:e)?|bekomm(?:e|en|t)|(?:kann|können|könnt) (?:ich|wir|sie|ihr|man)|schicken|wo (?:ist|bleibt)|anspruch|gibt es',
  ),
  fr: word(
    "veux|voulons|voudrai(?:s|ent)|souhait(?:e|ons)|exige|demand(?:e|ons)|attends|besoin|peux|puis-je|pouvez|pourriez|obtenir|recevoir|où est|droit|y a-t-il|s'il vous",
  ),
  es: word(
    'quiero|queremos|quisiera|exijo|pido|solicito|necesito|espero|pued(?:o|en|e)|podrían|me gustaría|dónde está|derecho|por favor|hay',
  ),
};

/** What a draft might be wanted to promise. */
interface Wanted {
  what: string;
  /** What asks for it by itself. */
  asked: OfWishes;
  /** What names it; a sentence that wishes must hold it. */
  named: OfWishes;
}

export const WANTED: readonly Wanted[] = [
  {
    what: 'refund',
    asked: {
      en: word('(?:refund|reimburse) (?:me|us|it|my|the|this)|(?:my|our) money back'),
      de: word('geld zurück'),
    },
    named: {
      en: word('refund(?:ed|s)?|money back|reimburse(?:d|ment)?'),
      de: word('(?:rück)?erstattung|(?:zurück)?erstattet'),
      fr: word('rembours(?:ement|er|é|ez)'),
      es: word('reembolso|dinero'),
    },
  },
  {
    what: 'replacement',
    asked: { en: word('(?:exchange|swap|replace) (?:it|this|mine)(?: please)?$') },
    named: {
      en: word(
        'replacements?(?! (?:part|fan|cable|board)s?)|(?:a|another) new (?:unit|device|one|miner|apollo)|(?:exchanged?|swap(?:ped)?) (?:it|for)',
      ),
      de: word('ersatzgerät|austauschgerät|umtausch(?:en)?|neues gerät'),
      fr: word('remplacement|échange|appareil neuf|nouvel appareil'),
      es: word('reemplazo|equipo nuevo'),
    },
  },
  {
    what: 'compensation',
    asked: { en: word('compensate (?:me|us)|credit me') },
    named: {
      en: word('compensat(?:ed|ion)|damages|discount|voucher|coupon|goodwill'),
      de: word('entschädigung|rabatt|gutschein'),
      fr: word('dédommagement|remise'),
      es: word('compensación|descuento'),
    },
  },
  {
    what: 'date',
    asked: {
      en: word(
        '(?:exact|expected|delivery|arrival|release|ship(?:ping|ment)?) date|by when|until when|how (?:long|soon) (?:until|till|before|will|can|do) (?:i|you|we|my|it|the) (?:\\S+ ){0,5}?(?:get|arrives?|receive|refund|replacement|parcel|money)|(?:arrives?|delivered) (?:before|by|in time)|(?:when|what (?:day|date)) (?:will|can|do|does|would|should|is|are) (?:i|you|we|it|my|the|your|our|they|this|an?) (?:[\\w-]+ ){0,5}?(?:arrive|get|receive|have (?:it|my|the|an?)|ship(?:ped|ping)?|deliver(?:ed)?|come|coming|sent|send|hear|reply|answer|expect(?:ed)?|released?|available|in stock|back|ready|due|fixed|repaired|refunded|replaced|here)',
      ),
      de: word(
        'bis wann|wann (?:kommt|kommen|bekomme|erhalte|wird .{1,60}(?:geliefert|verschickt|versendet|repariert|erstattet|ersetzt)|liefert)|liefertermin',
      ),
      fr: word('date de livraison|quand (?:arrive|arrivera|recevrai|vais-je|sera|puis-je|allez-vous)'),
      es: word('fecha de entrega|cuándo (?:llega|llegará|recibiré|envían|estará|tendré)'),
    },
    named: {},
  },
  {
    what: 'price',
    asked: {
      en: word(
        'how much (?:\\S+ ){0,8}?(?:costs?|charge|pay|price|fee)|how much (?:is|are) (?:an?|one|it|shipping|delivery|the (?:repair|shipping|delivery|part|fan))|what(?:.s| does| do| will| would| is| are) (?:\\S+ ){0,8}?(?:cost|price)s?',
      ),
      de: word('(?:was|wie ?viel) (?:kostet|kosten)|wie teuer'),
      fr: word('combien (?:coûte|coûtent|coûtera|ça coûte)|quel est le prix'),
      es: word('cuánto (?:cuesta|cuestan|vale)|qué precio'),
    },
    named: {
      en: word('price|quot(?:e|ation)'),
      de: word('preise?|kostenvoranschlag'),
      fr: word('prix|devis'),
      es: word('precio'),
    },
  },
];
