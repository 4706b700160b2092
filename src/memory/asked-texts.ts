import type { Memory } from '../contract/memory.ts';
import { QUERY_MAX_LENGTH } from '../contract/names.ts';
import { questionText } from '../search/retrieve.ts';

/**
 * Texts that may have been embedded to look for something, when memories that are erased were written or searched for: what stands in
 * them, and, of questions of a conversation, how they were understood and what stood before them. What was longer than a question may
 * be was none.
 *
 * @param around Other memories of these conversations: what was asked before or after what is erased.
 * @returns Each once; trimmed, as questions are.
 */
export const askedTexts = (erased: readonly Memory[], around: readonly Memory[] = []): string[] => {
  const texts = new Set(erased.flatMap(formsOf).flatMap((form) => [form, questionText(form, {})]));
  const isErased = new Set(erased.map(({ id }) => id));
  const known = new Map([...erased, ...around].map((memory) => [memory.id, memory]));
  const questions = [...known.values()].filter(({ type }) => type === QUESTION).toSorted(byTime);
  for (const ofOne of Map.groupBy(questions, ({ conversation_id }) => conversation_id).values()) {
    for (const [at, next] of ofOne.entries()) {
      const before = ofOne[at - 1];
      const first = ofOne[at - 2];
      if (before === undefined || ![first, before, next].some((each) => each !== undefined && isErased.has(each.id)))
        continue;
      // A turn that is a follow-up question itself goes along behind the one before it.
      const joined = formsOf(before).flatMap((text) =>
        first === undefined ? [] : formsOf(first).map((each) => `${each} ${text}`),
      );
      const isBeside = isErased.has(before.id) || isErased.has(next.id);
      for (const text of [...(isBeside ? formsOf(before) : []), ...joined]) {
        const history = [{ speaker: 'user' as const, text: text.slice(0, MAX_TURN) }];
        for (const form of formsOf(next)) texts.add(questionText(form, { history }));
      }
    }
  }
  return [...texts];
};

/** Of a turn so much goes along with the next question. */
const MAX_TURN = 1500;

/** As the gateway stores the turns of a conversation, with `understood_as` in the metadata. */
const QUESTION = 'question';

const formsOf = ({ content, metadata }: Memory): string[] => {
  const understood = metadata?.understood_as;
  const forms = [content.trim(), ...(typeof understood === 'string' ? [understood.trim()] : [])];
  return forms.filter(({ length }) => length > 0 && length <= QUERY_MAX_LENGTH);
};

const byTime = (one: Memory, other: Memory): number => Date.parse(one.created_at) - Date.parse(other.created_at);
