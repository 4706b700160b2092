import { type Taxonomy, UNKNOWN_INTENT } from '../../contract/taxonomy.ts';
import { inLanguage, type TextInLanguage } from '../in-language.ts';

/** A template as it is to be filled. */
export interface ChosenTemplate extends TextInLanguage {
  /** The id of its intent, or `general`. */
  id: string;
}

/**
 * The reply template of an intent in the customer's language, as far as there is one: else in the taxonomy's own, else the
 * first. What fits no intent, or one that the taxonomy does not have, gets the general one.
 */
export const chooseTemplate = (
  taxonomy: Pick<Taxonomy, 'intents' | 'general_template' | 'language'>,
  { intent, language }: { intent: string; language?: string | undefined },
): ChosenTemplate => {
  const found = intent === UNKNOWN_INTENT ? undefined : taxonomy.intents.find(({ id }) => id === intent);
  const template = found?.reply_template ?? taxonomy.general_template;
  const id = found?.id ?? 'general';
  return { id, ...inLanguage(template, { wanted: language, own: taxonomy.language }) };
};
