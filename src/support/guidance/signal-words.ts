/** The languages that drafts have phrases of. */
export type SignalLanguage = 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl';

type ByLanguage = Readonly<Record<SignalLanguage, RegExp>>;

const word = (alternatives: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, 'iu');

/** Words of danger to people or property. */
export const DANGER: ByLanguage = {
  en: word(
    'smok(?:e|es|ed|ing)|(?:caught|catch(?:es|ing)?|on) fire|fire (?:from|in|inside|came|comes|coming|broke|started|hazard)|(?:and|a|with) fire(?! (?:up|brigade|department|alarm))|flames?|sparks?|sparking|burn(?:ing|t) (?:smell|plastic)|smell(?:s|ed|ing)? (?:of |like )?(?:something )?(?:burn(?:t|ing)|burned|plastic|smoke)|burning(?! (?:\\w+ ){0,3}(?:image|sd|card|usb|disk|stick|coins?|bitcoin|money))|melt(?:s|ed|ing)|electric(?:al)? shock|(?:got|gets?|gave|gives?|had|felt) (?:me |him |her |us )?(?:an? )?(?:electric |little |small |bad )?shocks?|shocked (?:me|him|her|my)|electrocuted|explo(?:ded?|des|ding|sion)|burn(?:ed|t) (?:my|his|her) (?:hand|finger|arm)s?|injured',
  ),
  de: word(
    'rauch(?:t|te|en)?|qualm(?:t|te)?|brennt|brannte|brandgeruch|verbrannt(?:er|e|es)?|in brand|feuer|flammen?|funken|verschmort(?:e|er|es)?|geschmolzen|stromschlag|explodiert|verletzt',
  ),
  fr: word(
    'fumée|fume|brûl(?:é|ée|e|er)|prend feu|pris feu|en feu|flammes?|incendie|étincelles?|choc électrique|électrocuté|fondu|explosé|blessé',
  ),
  es: word(
    'humo|quemad[oa]|huele a quemado|fuego|llamas|incendio|chispas?|descarga eléctrica|calambrazo|derretid[oa]|explot(?:ó|ado)|herid[oa]',
  ),
  it: word('fumo|bruciat[oa]|fuoco|fiamme|incendio|scintille|scossa|fus[oa]|esplos[oa]|ferit[oa]'),
  pt: word('fumaça|fumo|queimad[oa]|fogo|chamas|incêndio|faíscas?|choque elétrico|derretid[oa]|explodiu|ferid[oa]'),
  nl: word(
    'rook|rookt|verbrand|(?:in|staat in|vliegt in) brand|brandlucht|vlammen|vonken|schok|gesmolten|ontploft|gewond',
  ),
};

export const ANGER: ByLanguage = {
  en: word(
    'unacceptable|ridiculous|disgusting|outrageous|furious|angry|fed up|sick of|worst|useless|pathetic|(?:a|your|bad|sick|complete|total) joke|scam|scammers?|rip[- ]?off|fraud|lawyer|sue you|terrible|horrible|awful|disgrace|incompetent|waste of (?:money|time)|never again|how dare|third time|still no (?:answer|reply|response)|(?:been|am|are|being|was) ignored|ignor(?:e|ing) me|wtf|bullshit|crap|damn',
  ),
  de: word(
    'unverschämt|frechheit|wütend|sauer|betrug|anwalt|inakzeptabel|lächerlich|saftladen|unglaublich|katastrophe',
  ),
  fr: word('inadmissible|inacceptable|scandaleux|furieux|arnaque|avocat|honteux|ras le bol'),
  es: word('inaceptable|indignante|furios[oa]|estafa|abogado|vergüenza'),
  it: word('inaccettabile|vergogna|truffa|avvocato'),
  pt: word('inaceitável|vergonha|advogado|burla|golpe'),
  nl: word('onacceptabel|belachelijk|oplichting|advocaat|woedend'),
};

/** A sentence with one of these wishes for what it names. */
export const WISH: ByLanguage = {
  en: word(
    "want(?:s|ed)?|need|demand|insist|expect|request(?:ing|ed)?|ask(?:ing|ed)? (?:for|you)|claim|(?:would|i'd|we'd) (?:\\w+ )?(?:like|love|prefer|appreciate)|looking for|hoping for|(?:can|could|may|do|should|will|would|how (?:do|can)) (?:i|we|you) (?:please |also |still |maybe |just )?(?:get|have|receive|send|give|offer|claim|be|exchange|swap|replace|refund|grant|apply|return)|get (?:my|our|a|an|the)|give (?:me|us)|send (?:me|us)|owe (?:me|us)|entitled|eligible|where(?:'s| is| are) (?:my|our|the)|waiting for|i am due|please|is (?:it|there) (?:possible|a way|any)|is there an?",
  ),
  de: word(
    'will|wollen|möchten?|verlangen?|fordern?|erwarten?|brauchen?|bitten?|hätten? gern(?:e)?|bekomm(?:e|en|t)|kriegen?|(?:kann|können|könnt) (?:ich|wir|sie|ihr|man)|schicken|geben|wo (?:ist|bleibt)|anspruch|steht mir zu|gibt es',
  ),
  fr: word(
    "veux|voulons|voudrais|voudrions|souhaite|souhaitons|exige|demande|demandons|attends|besoin|peux|puis-je|pouvez|pourriez|peut-on|obtenir|recevoir|où est|droit|est-il possible|y a-t-il|s'il vous",
  ),
  es: word(
    'quiero|queremos|quisiera|querría|exijo|pido|solicito|necesito|espero|puedo|pueden|podrían|puede|me gustaría|dónde está|derecho|es posible|por favor|hay',
  ),
  it: word(
    "voglio|vogliamo|vorrei|vorremmo|esigo|chiedo|chiediamo|richiedo|aspetto|posso|potete|potreste|può|dov'è|diritto|è possibile|per favore|bisogno",
  ),
  pt: word(
    'quero|queremos|queria|gostaria|exijo|peço|solicito|preciso|espero|posso|podem|poderiam|pode|onde está|direito|é possível|por favor',
  ),
  nl: word(
    'wil|willen|zou graag|eis|vraag|verzoek|verwacht|heb nodig|kan ik|kunt u|kunnen jullie|krijg|waar is|recht op|is het mogelijk|graag|alstublieft',
  ),
};

/** What a draft might be wanted to promise. */
interface Wanted {
  what: string;
  /** What asks for it by itself. */
  asked: Partial<ByLanguage>;
  /** What names it; a sentence that wishes must hold it. */
  named: Partial<ByLanguage>;
}

export const WANTED: readonly Wanted[] = [
  {
    what: 'refund',
    asked: {
      en: word('(?:refund|reimburse) (?:me|us|it|my|the|this)|(?:my|our) money back'),
      de: word('geld zurück'),
      fr: word('remboursez(?:-moi|-nous)?'),
    },
    named: {
      en: word('refund(?:ed|s)?|money back|reimburse(?:d|ment)?'),
      de: word('(?:rück)?erstattung|erstattet|zurückerstattet'),
      fr: word('remboursement|remboursé|rembourser'),
      es: word('reembolso|devolución del dinero|dinero'),
      it: word('rimborso|rimborsato'),
      pt: word('reembolso|dinheiro de volta'),
      nl: word('terugbetaling|geld terug'),
    },
  },
  {
    what: 'replacement',
    asked: {
      en: word(
        '(?:exchange|swap|replace) (?:it|this|mine|my (?:unit|device|miner|apollo))(?: please)?$|a new one please',
      ),
    },
    named: {
      en: word(
        'replacements?(?! (?:part|fan|cable|board)s?)|(?:a|another|brand) new (?:unit|device|one|miner|apollo)|exchange(?:d)? (?:it|for)|swap(?:ped)? (?:it|for)',
      ),
      de: word('ersatzgerät|austauschgerät|umtausch(?:en)?|neues gerät'),
      fr: word('remplacement|échange|appareil neuf|nouvel appareil'),
      es: word('reemplazo|equipo nuevo|cambio del equipo'),
      it: word('sostituzione|dispositivo nuovo'),
      pt: word('substituição|equipamento novo'),
      nl: word('vervanging|nieuw apparaat|omruilen'),
    },
  },
  {
    what: 'compensation',
    asked: { en: word('compensate (?:me|us)|credit me|make (?:it|this) up to me') },
    named: {
      en: word('compensat(?:e|ed|ion)|damages|discount|voucher|coupon|goodwill'),
      de: word('entschädigung|rabatt|gutschein|preisnachlass'),
      fr: word("dédommagement|indemnisation|remise|bon d'achat"),
      es: word('compensación|indemnización|descuento'),
      it: word('risarcimento|sconto|buono'),
      pt: word('compensação|indemnização|indenização|desconto'),
      nl: word('schadevergoeding|korting|compensatie'),
    },
  },
  {
    what: 'date',
    asked: {
      en: word(
        '(?:exact|expected|estimated|delivery|arrival|release|ship(?:ping|ment)?) date|by when|until when|(?:on |by )?(?:when|what (?:day|date)) (?:will|can|do|does|would|should|is|are) (?:(?:i|you|we|it|my|the|your|our|they|this|that|a|an) )(?:[\\w-]+ ){0,5}?(?:arrive|get|receive|have (?:it|my|the|an?)|ship|shipp(?:ed|ing)|deliver(?:ed)?|come|coming|sent|send|hear|reply|answer|expect(?:ed)?|released?|available|in stock|back|ready|due|fixed|repaired|refunded|replaced|here)',
      ),
      de: word(
        'bis wann|wann (?:kommt|kommen|bekomme|bekommen|erhalte|erhalten|ist .{1,40}(?:fertig|da|lieferbar|zurück)|wird .{1,60}(?:geliefert|verschickt|versendet|versandt|repariert|erstattet|ersetzt)|liefert|versendet)|liefertermin',
      ),
      fr: word(
        'date de livraison|quand (?:arrive|arrivera|est-ce que|recevrai|vais-je|sera|serai|puis-je|allez-vous|pourrai)',
      ),
      es: word('fecha de entrega|cuándo (?:llega|llegará|recibiré|recibo|envían|enviarán|estará|tendré|me)'),
      it: word('data di consegna|quando (?:arriva|arriverà|ricevo|riceverò|sarà|spedite|spedirete)'),
      pt: word('data de entrega|quando (?:chega|chegará|vai chegar|recebo|receberei|vou receber|será|enviam)'),
      nl: word('leverdatum|wanneer (?:komt|krijg|ontvang|wordt|is .{1,40}(?:klaar|leverbaar))'),
    },
    named: {},
  },
  {
    what: 'price',
    asked: {
      en: word(
        'how much (?:\\S+ ){0,8}?(?:costs?|charge|pay|price|fee)|how much (?:is|are) (?:a|an|one|it|shipping|postage|delivery|the (?:repair|shipping|postage|delivery|part|fan|board|supply|apollo))|what (?:does|do|will|would|is|are) (?:\\S+ ){0,8}?(?:cost|price)s?|quote me',
      ),
      de: word('(?:was|wie ?viel) (?:kostet|kosten)|wie teuer'),
      fr: word('combien (?:coûte|coûtent|coûtera|ça coûte|dois-je payer)|quel est le prix'),
      es: word('cuánto (?:cuesta|cuestan|costaría|vale)|qué precio'),
      it: word('quanto (?:costa|costano|costerebbe)'),
      pt: word('quanto (?:custa|custam|custaria)'),
      nl: word('(?:wat|hoeveel) (?:kost|kosten)'),
    },
    named: {
      en: word('price|quotation|price list'),
      de: word('preis|preise|kostenvoranschlag'),
      fr: word('prix|devis'),
      es: word('precio|presupuesto'),
      it: word('prezzo|preventivo'),
      pt: word('preço|orçamento'),
      nl: word('prijs|offerte'),
    },
  },
];
