import type { PromiseLanguage } from './promise-language.ts';

const CLAUSE_END = /[;:—–]|\s-\s/u;

export const GERMAN: PromiseLanguage = {
  clauseEnd: new RegExp(
    `${CLAUSE_END.source}|,\\s+(?=(?:aber|und|sondern|jedoch|wir|ich|sie|dann|so)\\b)|(?<=^(?:wenn|falls|sobald|sofern|nachdem|bevor|da|weil|sollte)(?![\\p{L}])[^,]{0,300}),\\s`,
    'u',
  ),
  condition: /(?<!\p{L})(?:wenn|falls|ob|sobald|bevor|damit|nachdem|sofern|wann|wie|um)(?!\p{L})/u,
  denial: /(?<!\p{L})(?:nicht|nie|niemals|kein\p{L}*|leider nicht|ohne)(?!\p{L})(?! (?:nur|später als))/u,
  harmless: /(?<!\p{L})(?:versuchen|hoffen|bemühen|möchten sie|würden gern)(?!\p{L})/u,
  denying:
    /(?<!\p{L})(?:(?:sie|du) zahl(?:en|st)|(?:das|es) kostet (?:sie|dich)?) ?nichts|(?<!\p{L})(?:müssen|brauchen) (?:\p{L}+ ){0,3}?nichts (?:zu )?(?:be)?zahlen|kostet (?:sie|dich|ihnen|euch) nichts|(?:entstehen|fallen) .{0,30}keine (?:weiteren |zusätzlichen )?(?:kosten|gebühren)|ohne (?:weitere |zusätzliche )?(?:kosten|berechnung)(?!\p{L})/u,
  promises: [
    [
      'act',
      /(?<!\p{L})(?:erstattung|rückzahlung|ersatz|ersatzgerät|paket|sendung|bestellung)(?!\p{L}).{0,60}?(?<!\p{L})(?:veranlasst|genehmigt|bewilligt|unterwegs)(?!\p{L})|(?<!\p{L})kosten (?:übernehmen|tragen) wir(?!\p{L})|(?<!\p{L})(?:ihr|dein) \p{L}+ wird (?:ge|umge|ausge)tauscht(?!\p{L})/u,
    ],
    [
      'date',
      /^(?!bitte).*?(?<!\p{L})(?:geht|gehen|kommt|kommen|wird|werden|trifft|liefert|holt|bringt)(?!\p{L}).{0,80}?(?<!\p{L})(?:morgen|übermorgen|(?:am|bis|bis zum) (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|\d+\.)|nächste woche|diese woche)(?!\p{L})/u,
    ],
    [
      'refund',
      /(?<!\p{L})(?:wir|ich) (?:\p{L}+ ){0,3}?(?:veranlasse|leite|stoße|genehmige|organisiere|buche)n?(?!\p{L}).{0,60}?(?:erstattung|austausch|ersatz|gutschrift|reparatur|abholung|rücknahme)/u,
    ],
    [
      'refund',
      /(?<!\p{L})(?:wir|ich|man|team|kollegen|sie|ihnen|betrag|geld|kaufpreis|wird|werden)(?!\p{L}).{0,120}?(?<!\p{L})(?:(?:zurück)?erstatte[tn]?|rückerstatte[tn]?|zurückzahlen|zurückgezahlt|zurücküberw\p{L}+|überweisen)(?!\p{L})/u,
    ],
    [
      'refund',
      /(?<!\p{L})(?:erhalten|bekommen|kriegen|bekommst|erhältst) (?:sie|du)?.{0,60}?(?:geld|erstattung|rückerstattung|kaufpreis|gutschrift)|(?<!\p{L})(?:sie|du) (?:erhalten|bekommen|kriegen|bekommst|erhältst|haben anspruch).{0,60}?(?:geld|erstattung|kaufpreis|gutschrift|ersatz|rabatt|gutschein)/u,
    ],
    [
      'replacement',
      /(?<!\p{L})tausch(?:en|e) (?:wir|ich)(?!\p{L})|(?<!\p{L})(?:wir|ich|team|kollegen|gerät|wird|werden)(?!\p{L}).{0,100}?(?<!\p{L})(?:ersetzen|ersetze|ersetzt|tauschen .{0,40}aus|austauschen|ausgetauscht|umtauschen|umgetauscht|ersatzgerät|neues gerät|ersatzlüfter)(?!\p{L})/u,
    ],
    [
      'repair',
      /(?<!\p{L})(?:wir|ich|team|kollegen|gerät|wird|werden|techniker)(?!\p{L}).{0,100}?(?<!\p{L})(?:reparieren|repariere|repariert|instandsetzen|beheben|behoben)(?!\p{L})/u,
    ],
    [
      'compensation',
      /(?<!\p{L})(?:wir|ich|sie|ihnen)(?!\p{L}).{0,100}?(?<!\p{L})(?:gutschrift|rabatt|gutschein|entschädig\p{L}*|nachlass|preisnachlass|gutschreiben|gutgeschrieben)(?!\p{L})/u,
    ],
    [
      'act',
      /(?<!\p{L})(?:wir|ich|team|kollegen|lager|techniker)(?!\p{L}) (?:\p{L}+ ){0,3}?(?:schicken|senden|versenden|liefern|verschicken|rufen|übernehmen|verlängern|holen|zahlen|bezahlen|garantieren|versprechen|sichern .{0,20}zu|stornieren)(?!\p{L})|(?<!\p{L})(?:werden|werde|wird|wurde|wurden)(?!\p{L}).{0,100}?(?<!\p{L})(?:versandt|versendet|verschickt|geliefert|zugestellt|abgeholt|zugesandt|schicken|senden|liefern|anrufen|übernehmen|verlängern|eintreffen|ankommen|versenden|verschicken|ausgeliefert)(?!\p{L})/u,
    ],
    [
      'date',
      /(?<!\p{L})(?:wir|ich|lieferung|paket|bestellung|gerät|sendung|ersatz|reparatur|erstattung|antwort|problem|fehler|update|sie)(?!\p{L}).{0,100}?(?<!\p{L})(?:morgen|übermorgen|heute noch|bis (?:zum |spätestens |ende |kommenden |nächsten )*(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|woche|\d+\.)|innerhalb (?:von )?\S+ (?:\p{L}+ )?(?:stunden|tagen?|werktagen?|wochen?|minuten)|in \S+ (?:stunden|tagen|werktagen|wochen|minuten)|am (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|\d+\.)|nächste woche|diese woche|(?:dauert|binnen).{0,30}(?:tage|werktage|stunden|wochen))(?!\p{L})/u,
    ],
    [
      'price',
      /(?<!\p{L})(?:kostenlos\p{L}*|kostenfrei\p{L}*|gratis|unentgeltlich|auf unsere kosten|umsonst)(?!\p{L})|(?:kostet|kosten|preis|gebühr|versand)\P{L}{0,3}(?:\p{L}+ ){0,4}?\d+(?:[.,]\d+)? ?(?:€|euro|eur|chf)/u,
    ],
    [
      'warranty',
      /(?:garantie|gewährleistung) .{0,30}?(?:abgedeckt|gilt|greift|deckt|umfasst|beträgt|verlängert)|(?:von|durch|unter) (?:die |der |ihrer |unserer )?(?:garantie|gewährleistung) .{0,30}?(?:abgedeckt|gedeckt|fällt|erfasst)|fällt .{0,30}unter die (?:garantie|gewährleistung)|(?:ist|sind) .{0,40}(?:abgedeckt|garantiert)/u,
    ],
  ],
};

export const FRENCH: PromiseLanguage = {
  clauseEnd: new RegExp(
    `${CLAUSE_END.source}|,\\s+(?=(?:mais|et|donc|nous|je|vous|on|votre|notre|le|la|il|elle)\\b)|(?<=^(?:si|dès|lorsque|quand|une fois|après|avant|afin|pour)(?![\\p{L}])[^,]{0,300}),\\s`,
    'u',
  ),
  condition: /(?<!\p{L})(?:si|quand|lorsque|avant de|afin de|pour que|dès que|une fois que|comment|s')(?!\p{L})/u,
  denial:
    /(?<!\p{L})(?:ne |n').{0,60}?(?<!\p{L})(?:pas|plus|jamais|aucun\p{L}*|rien|guère)(?!\p{L})|(?<!\p{L})(?:pas|aucun\p{L}*)(?!\p{L})/u,
  harmless: /(?<!\p{L})(?:essay\p{L}+|espér\p{L}+|tenter\p{L}*)(?!\p{L})/u,
  denying:
    /(?<!\p{L})ne (?:vous |te )?(?:paie|payez|paierez|devrez|coûte|coûtera) .{0,20}rien|aucuns? frais(?!\p{L})|sans (?:aucun )?(?:frais|supplément)/u,
  promises: [
    [
      'act',
      /(?<!\p{L})(?:remboursement|remplacement|retour|échange|avoir|colis|commande|envoi)(?!\p{L}).{0,60}?(?<!\p{L})(?:effectué|accepté|approuvé|validé|accordé|versé|en route|en chemin)e?(?!\p{L})/u,
    ],
    [
      'refund',
      /(?<!\p{L})(?:ferons|effectuerons|procéderons|organiserons|ferai|allons (?:faire|effectuer|procéder|organiser)).{0,40}?(?:remboursement|échange|remplacement|geste|remise|réparation|enlèvement)/u,
    ],
    [
      'refund',
      /(?<!\p{L})(?:rembourser(?:ons|ai|a|ont)|remboursons|rendrons|reverserons)(?!\p{L})|(?<!\p{L})(?:allons|vais|va|vont|pouvons|pourrons) (?:\p{L}+ ){0,3}?rembourser|(?<!\p{L})(?:sera|serez|seront|êtes|est|a été|avez été) (?:\p{L}+ ){0,3}?rembours\p{L}+|(?<!\p{L})(?:recevrez|aurez|obtiendrez|avez droit à|allez recevoir|récupérerez) .{0,40}?(?:remboursement|argent|avoir|remise|bon d'achat|remplacement|appareil neuf|nouvel appareil)/u,
    ],
    [
      'replacement',
      /(?<!\p{L})(?:remplacer(?:ons|ai|a|ont)|remplaçons|échangerons|échangeons)(?!\p{L})|(?<!\p{L})(?:allons|vais|va|pouvons) (?:\p{L}+ ){0,3}?(?:remplacer|échanger)|(?<!\p{L})(?:sera|seront) (?:\p{L}+ ){0,2}?(?:remplac|échang)\p{L}+/u,
    ],
    [
      'repair',
      /(?<!\p{L})(?:réparer(?:ons|ai|a|ont)|réparons|corrigerons)(?!\p{L})|(?<!\p{L})(?:allons|vais|va|pouvons) (?:\p{L}+ ){0,3}?(?:réparer|corriger)|(?<!\p{L})(?:sera|seront) (?:\p{L}+ ){0,2}?(?:répar|corrig|résol)\p{L}+/u,
    ],
    [
      'compensation',
      /(?<!\p{L})(?:offr(?:ons|irons|e)|accord(?:ons|erons)|consent(?:ons|irons)|dédommager(?:ons|ai)|indemniserons|créditerons)(?!\p{L})|(?<!\p{L})(?:allons|vais) (?:\p{L}+ ){0,3}?(?:offrir|accorder|dédommager|indemniser)/u,
    ],
    [
      'act',
      /(?<!\p{L})(?:envoyons|enver(?:rons|rai|ra|ront)|expédi(?:ons|erons|erai|era)|livrerons|appeller(?:ons|ai)|appelle(?:rons|rai)|prenons en charge|prendrons en charge|garantissons|promettons|prolonger(?:ons|ai)|annulerons)(?!\p{L})|(?<!\p{L})(?:allons|vais|va|vont) (?:\p{L}+ ){0,3}?(?:envoyer|expédier|livrer|appeler|prolonger|prendre en charge)|(?<!\p{L})(?:sera|seront|a été|ont été) (?:\p{L}+ ){0,2}?(?:expédi|livr|envoy|crédit)\p{L}+|(?<!\p{L})(?:arrivera|arriveront|parviendra)(?!\p{L})/u,
    ],
    [
      'date',
      /(?<!\p{L})(?:nous|vous|on|je|colis|commande|livraison|remboursement|réparation|réponse|envoi|problème)(?!\p{L}).{0,100}?(?<!\p{L})(?:demain|d'ici .{1,20}(?:jours?|semaines?|lundi|mardi|mercredi|jeudi|vendredi)|sous \S+ (?:jours?|heures?|semaines?)|dans (?:les |un délai de )?\S+ (?:jours?|heures?|semaines?|prochain\p{L}*)|(?:lundi|mardi|mercredi|jeudi|vendredi|samedi)(?: prochain)?|avant (?:le \d+|lundi|mardi|mercredi|jeudi|vendredi)|la semaine prochaine|aujourd'hui)(?!\p{L})/u,
    ],
    [
      'price',
      /(?<!\p{L})(?:gratuit\p{L}*|sans frais|à nos frais|sans supplément|offerts?|offertes?)(?!\p{L})|(?:coûte|coûtent|prix|frais|tarif)\P{L}{0,3}(?:\p{L}+ ){0,4}?\d+(?:[.,]\d+)? ?(?:€|euros?|eur|chf)/u,
    ],
    [
      'warranty',
      /(?:couvert\p{L}*|pris\p{L}* en charge) (?:par|sous) (?:la |votre |notre )?garantie|garantie .{0,30}?(?:couvre|s'applique|est valable|est prolongée)|(?:est|sont|reste|restent) (?:toujours |encore )?sous garantie|garantis?(?!\p{L})/u,
    ],
  ],
};

export const SPANISH: PromiseLanguage = {
  clauseEnd: new RegExp(
    `${CLAUSE_END.source}|,\\s+(?=(?:pero|y|así|le|les|usted|nosotros|su|el|la|te|nuestro)\\b)|(?<=^(?:si|cuando|una vez|después|antes|para|en cuanto)(?![\\p{L}])[^,]{0,300}),\\s`,
    'u',
  ),
  condition: /(?<!\p{L})(?:si|cuando|antes de|para que|en cuanto|una vez que|cómo|cuándo)(?!\p{L})/u,
  denial: /(?<!\p{L})(?:no|nunca|ningún|ninguna|tampoco|jamás|sin poder)(?!\p{L})/u,
  harmless: /(?<!\p{L})(?:intentar\p{L}*|esperamos|trataremos)(?!\p{L})/u,
  denying:
    /(?<!\p{L})no (?:paga|pagará|pagas) nada|(?<!\p{L})no (?:tendrá|tiene|tendrás) que pagar|no le cost(?:ará|aría)|sin (?:ningún )?(?:coste|costo|cargo)/u,
  promises: [
    [
      'act',
      /(?<!\p{L})(?:reembolso|reemplazo|cambio|devolución|paquete|pedido|envío|abono)(?!\p{L}).{0,60}?(?<!\p{L})(?:realizado|aceptad[oa]|aprobad[oa]|concedid[oa]|tramitad[oa]|reembolsado|en camino|en ruta)(?!\p{L})|(?<!\p{L})(?:damos|doy|hacemos) (?:un )?\d+ ?% de descuento/u,
    ],
    [
      'refund',
      /(?<!\p{L})(?:haremos|haré|realizaremos|tramitaremos|gestionaremos|organizaremos|vamos a (?:hacer|realizar|tramitar)(?:le)?).{0,40}?(?:reembolso|cambio|descuento|devolución|envío|reparación|recogida)/u,
    ],
    [
      'refund',
      /(?<!\p{L})(?:reembols(?:aremos|aré|ará|amos)|devolver(?:emos|é|á)|devolvemos|reintegraremos)(?!\p{L})|(?<!\p{L})(?:vamos a|voy a|va a|podemos) (?:\p{L}+ ){0,2}?(?:reembolsar\p{L}*|devolver\p{L}*)|(?<!\p{L})(?:será|serán|ha sido|han sido) (?:\p{L}+ ){0,2}?(?:reembolsad|devuelt)\p{L}+|(?<!\p{L})(?:recibir(?:á|ás|án)|tendr(?:á|ás)|obtendrá|tiene derecho a|va a recibir) .{0,40}?(?:reembolso|dinero|crédito|descuento|vale|reemplazo|equipo nuevo|compensación|repuesto)/u,
    ],
    [
      'replacement',
      /(?<!\p{L})(?:reemplaz(?:aremos|aré|ará)|cambiaremos|sustituiremos|cambiamos|sustituimos)(?!\p{L})|(?<!\p{L})(?:vamos a|voy a|va a|podemos) (?:\p{L}+ ){0,2}?(?:reemplazar|cambiar|sustituir)\p{L}*|(?<!\p{L})(?:será|serán) (?:\p{L}+ ){0,2}?(?:reemplazad|sustituid|cambiad)\p{L}+/u,
    ],
    [
      'repair',
      /(?<!\p{L})(?:reparar(?:emos|é|á)|arreglaremos|reparamos|solucionaremos|resolveremos)(?!\p{L})|(?<!\p{L})(?:vamos a|voy a|va a) (?:\p{L}+ ){0,2}?(?:reparar|arreglar|solucionar)\p{L}*|(?<!\p{L})(?:será|serán) (?:\p{L}+ ){0,2}?(?:reparad|solucionad|resuelt)\p{L}+/u,
    ],
    [
      'compensation',
      /(?<!\p{L})(?:compensar(?:emos|é)|ofrec(?:emos|eremos)|concederemos|abonaremos|aplicaremos|regalaremos|indemnizaremos)(?!\p{L})/u,
    ],
    [
      'act',
      /(?<!\p{L})(?:enviar(?:emos|é|á|án)|enviamos|mandaremos|entregaremos|llamar(?:emos|é|á)|garantizamos|prometemos|ampliaremos|cubriremos|cubrimos|cancelaremos|recogeremos)(?!\p{L})|(?<!\p{L})(?:vamos a|voy a|va a) (?:\p{L}+ ){0,2}?(?:enviar|mandar|llamar|entregar|ampliar|cubrir|recoger)\p{L}*|(?<!\p{L})(?:será|serán|ha sido|han sido) (?:\p{L}+ ){0,2}?(?:enviad|entregad|despachad|abonad)\p{L}+|(?<!\p{L})llegará\p{L}?(?!\p{L})/u,
    ],
    [
      'date',
      /(?<!\p{L})(?:pedido|paquete|envío|reembolso|reparación|respuesta|entrega|problema|le|les|recibirá|tendrá|nosotros|equipo)(?!\p{L}).{0,100}?(?<!\p{L})(?:mañana|hoy mismo|en (?:un plazo de |menos de )?\S+ (?:días?|horas?|semanas?)|dentro de \S+ (?:días?|horas?|semanas?)|antes del? \S+|el (?:próximo )?(?:lunes|martes|miércoles|jueves|viernes|sábado)|la próxima semana|esta semana)(?!\p{L})/u,
    ],
    [
      'price',
      /(?<!\p{L})(?:gratis|gratuit\p{L}*|sin (?:coste|costo|cargo)|a nuestro cargo)(?!\p{L})|(?:cuesta|cuestan|precio|gastos)\P{L}{0,3}(?:\p{L}+ ){0,4}?\d+(?:[.,]\d+)? ?(?:€|euros?|eur|usd|dólares)/u,
    ],
    [
      'warranty',
      /(?:cubiert\p{L}*) (?:por|bajo) (?:la |su |nuestra )?garantía|garantía .{0,30}?(?:cubre|se aplica|es válida|incluye)|(?:está|están|sigue|siguen) (?:todavía |aún )?en garantía|garantizad\p{L}+/u,
    ],
  ],
};
