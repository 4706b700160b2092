import type { Scorer } from '../../grounding/score-sentences.ts';
import type { AlreadyTried } from './already-tried.ts';
import type { AskedQuestion } from './question-of.ts';

/** What passages are held against. */
export interface Asking {
  scorer: Scorer;
  isTelling: AskedQuestion['isTelling'];
  shareOf: AskedQuestion['shareOf'];
  tried: AlreadyTried;
  /** Stems of what the customer's intent is called, and for a message that says little of what it is about. */
  named: ReadonlySet<string>;
  /** The message asks how something is done. */
  isHow: boolean;
  /** Whether a text is about other products than the customer's alone. */
  isOfOthers: (text: string) => boolean;
}
