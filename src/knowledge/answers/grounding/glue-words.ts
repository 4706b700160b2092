import type { Word } from '../support/read-words.ts';

/** Words of being, doing and speaking weigh less. */
const TELLING = 0.7;

/** Whether a word says something of the subject by itself. */
export const isTelling = (word: Word): boolean => word.role === 'number' || (word.weight >= TELLING && !isGlue(word));

/** Whether a word only joins and introduces. */
export const isGlue = ({ role, text }: Word): boolean => role === 'content' && GLUE.has(text);

/** Words that join and introduce, and state nothing of the subject. */
const GLUE = new Set(
  (
    'tell tells show shows indicate indicates mean means need needs needed necessary require requires required ensure ensures ' +
    'perform follow following follows please note happen happens occur occurs apply applies according describe describes ' +
    'described explain explains article articles documentation section step steps instruction instructions case order next ' +
    'afterwards instead respectively depending depends proceed done whether similar similarly briefly regarding related ' +
    'relevant specific specifically general particular particularly example examples instance various addition additionally ' +
    'moreover furthermore thus hence therefore result results due based able allow allows help helps provide provides provided ' +
    'contain contains consist consists refer refers mention mentions mentioned specify specifies specified state stated list ' +
    'listed given give gives take takes taken want wants consider considered involve involves considering come comes look ' +
    'looks see find finds found try part parts type types kind kinds certain likely currently overall mainly available'
  ).split(' '),
);
