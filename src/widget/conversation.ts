/** A question with its answer, as text. */
export interface Turn {
  question: string;
  answer: string;
}

/** Earlier turns that go along with a question, and characters of each text. */
const MAX_TURNS = 4;
const MAX_LENGTH = 2000;
/** A longer address is refused by mail programs and servers. */
const MAX_ADDRESS_LENGTH = 1800;

/** The last turns as `metadata.history`, so that a follow-up question is understood. */
export const historyOf = (turns: readonly Turn[]): { speaker: 'user' | 'assistant'; text: string }[] =>
  turns.slice(-MAX_TURNS).flatMap(({ question, answer }) => [
    { speaker: 'user', text: question.slice(0, MAX_LENGTH) },
    { speaker: 'assistant', text: answer.slice(0, MAX_LENGTH) },
  ]);

/**
 * The address of the contact link with the conversation: as the body of a mail, or in place of `{conversation}`. Other addresses stay as
 * they are. The newest turns are kept when it is too long.
 */
export const contactAddress = (
  contact: string,
  turns: readonly Turn[],
  labels: { you: string; answer: string },
): string => {
  const texts = turns.map(({ question, answer }) => `${labels.you}: ${question}\n${labels.answer}: ${answer}`);
  for (let from = 0; from <= texts.length; from++) {
    const text = encodeURIComponent(texts.slice(from).join('\n\n'));
    const address = contact.startsWith('mailto:')
      ? `${contact}${contact.includes('?') ? '&' : '?'}body=${text}`
      : contact.replaceAll('{conversation}', text);
    if (address.length <= MAX_ADDRESS_LENGTH) return address;
  }
  return contact.replaceAll('{conversation}', '');
};
