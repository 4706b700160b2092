import type { Word } from '../support/read-words.ts';

/** Words of being, doing and speaking weigh less. */
const TELLING = 0.7;

/** Whether a word says something of the subject by itself. */
export const isTelling = (word: Word): boolean => word.role === 'number' || (word.weight >= TELLING && !isGlue(word));

/** Whether a word only joins and introduces. */
export const isGlue = ({ role, key }: Word): boolean => role === 'content' && GLUE.has(key);

/** Stems of words that join and introduce, and state nothing of the subject. */
const GLUE: ReadonlySet<string> = new Set(
  (
    'tell show indic mean need necessari requir ensur perform follow pleas note happen occur appli accord describ ' +
    'explain articl document section step instruct case order next afterward instead respect depend proce done ' +
    'whether similar similarli briefli regard relat relev specif gener particular particularli exampl instanc variou ' +
    'addit addition moreov furthermor thu henc therefor result due base abl allow help provid contain consist refer ' +
    'mention specifi state list given give take taken want consid involv come look see find found try part type kind ' +
    'certain like current overal mainli avail'
  ).split(' '),
);
