/**
 * Whether a sentence warns: of harm to people, device or data. What warns goes wherever the steps beside it go. In the
 * languages that drafts have phrases of; a sentence too many does no harm.
 */
export const isWarning = (sentence: string): boolean => {
  const read = sentence.slice(0, MAX_READ);
  return WARNS.test(read) || FORBIDS.test(read);
};

const MAX_READ = 1600;

const WARNS = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    'warning(?=\\s?[:!*])|caution|danger(?:ous)?|stop using|at once|risk of|electric shock|short circuit|fire hazard|burns?|hot surfaces?|mains voltage|lethal',
    'injur(?:y|ies)|irreversibl[ey]|permanently|cannot be undone|data loss|will be (?:lost|deleted|erased)|voids?|must (?:not|never)',
    'warnung|achtung|vorsicht|gefahr|lebensgefahr|niemals|keinesfalls|auf keinen fall|stromschlag|verbrennungen|datenverlust|unwiderruflich',
    'avertissement|attention|danger|ne jamais|risque de|choc électrique|brûlures?|irréversible',
    'advertencia|peligro|cuidado|descarga eléctrica|quemaduras?|riesgo de',
    'avvertenza|pericolo|attenzione|scossa elettrica|ustioni',
    'aviso|perigo|choque elétrico|queimaduras?|atenção',
    'waarschuwing|gevaar|let op|elektrische schok|brandwonden',
  ].join('|')})(?![\\p{L}\\p{N}])`,
  'iu',
);

/** What is forbidden: where a sentence or a clause begins. "We do not ship there" forbids nothing. */
const FORBIDS =
  /(?:^|[.!;:,–—(]\s{1,4}|\b(?:and|but|or|und|oder|et|y|e|en)\s{1,4})[*_"“]{0,3}(?:please |but |bitte )?(?:do not|don['’]t|never|avoid|nie|ne pas|nunca|non|não|nooit)(?!\p{L})/iu;
