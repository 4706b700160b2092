import { type Taxonomy, UNKNOWN_INTENT } from '../../contract/taxonomy.ts';
import { primaryOf } from './phrases.ts';

/** A template as it is to be filled. */
export interface ChosenTemplate {
  /** The id of its intent, or `general`. */
  id: string;
  text: string;
  /** BCP 47. */
  language: string;
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
  if (typeof template === 'string') return { id, text: template, language: taxonomy.language };
  const [own] = languagesLike(template, language);
  const [usual] = languagesLike(template, taxonomy.language);
  const chosen = own ?? usual ?? Object.keys(template)[0] ?? taxonomy.language;
  return { id, text: template[chosen] ?? '', language: chosen };
};

/** The language itself first, then others of the same primary subtag. */
const languagesLike = (templates: Readonly<Record<string, string>>, language: string | undefined): string[] => {
  if (language === undefined) return [];
  const known = Object.keys(templates).filter((each) => primaryOf(each) === primaryOf(language));
  return known.toSorted((one, other) => Number(other === language) - Number(one === language));
};
