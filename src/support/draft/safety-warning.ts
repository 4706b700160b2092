/**
 * Whether a sentence warns: of harm to people, device or data. What warns goes wherever the steps beside it go. In the
 * languages that drafts have phrases of; a sentence too many does no harm.
 */
export const isWarning = (sentence: string): boolean => WARNING.test(sentence.slice(0, MAX_READ));

const MAX_READ = 1600;

const WARNING = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    "warning|caution|danger(?:ous)?|attention|important|never|do not|don['’]t|must not|avoid|stop using|at once|risk of",
    'electric shock|short circuit|fire hazard|burns?|hot surfaces?|mains voltage|lethal|injur(?:y|ies)|irreversibl[ey]|permanently|cannot be undone|data loss|will be (?:lost|deleted|erased)|voids?',
    'warnung|achtung|vorsicht|gefahr|lebensgefahr|niemals|nie|keinesfalls|auf keinen fall|stromschlag|verbrennungen|datenverlust|unwiderruflich',
    'avertissement|jamais|ne pas|risque de|choc électrique|brûlures?|irréversible',
    'advertencia|peligro|nunca|cuidado|descarga eléctrica|quemaduras?|riesgo de',
    'avvertenza|pericolo|mai|attenzione|scossa elettrica|ustioni',
    'aviso|perigo|choque elétrico|queimaduras?|atenção',
    'waarschuwing|gevaar|nooit|let op|elektrische schok|brandwonden',
  ].join('|')})(?![\\p{L}\\p{N}])`,
  'iu',
);
