import { createElement, linkTo, type WidgetOptions } from './options.ts';

/** Bounds of `POST /v1/support/requests`. */
const MAX = { email: 254, message: 4000, turns: 10, answer: 8000 };
const TIMEOUT_MS = 20_000;

interface HandoverParts {
  text: Readonly<
    Record<
      | 'email'
      | 'message'
      | 'consent'
      | 'hand_over'
      | 'cancel'
      | 'handed_over'
      | 'not_handed_over'
      | 'contact'
      | 'you'
      | 'answer',
      string
    >
  >;
  /** What was asked and answered so far. */
  turns: readonly Turn[];
  onClose: () => void;
}

/** The form by which a visitor asks for a person. What is typed stays until it has arrived. */
export function createHandover(options: WidgetOptions, { text, turns, onClose }: HandoverParts) {
  let key = newKey();
  const email = createElement('input', {
    type: 'email',
    required: true,
    maxlength: MAX.email,
    autocomplete: 'email',
  });
  const message = createElement('textarea', { rows: 3, required: true, maxlength: MAX.message });
  const consent = createElement('input', { type: 'checkbox', required: true });
  const send = createElement('button', { class: 'primary' }, text.hand_over);
  const status = createElement('p', { class: 'quiet', role: 'status' });
  const labelled = (label: string, field: Node) =>
    createElement('label', {}, createElement('span', {}, label), field);

  const submit = async (): Promise<void> => {
    send.disabled = true;
    status.textContent = '';
    try {
      const response = await fetch(new URL('/v1/support/requests', options.url), {
        method: 'POST',
        headers: { authorization: `Bearer ${options.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          idempotency_key: key,
          email: email.value,
          message: message.value,
          conversation: turns
            .slice(-MAX.turns)
            .map(({ question, answer }) => ({ question, answer: answer.slice(0, MAX.answer) })),
          // Its query may hold personal data.
          ...(location.protocol.startsWith('http')
            ? { page: location.origin + location.pathname }
            : {}),
          consent: true,
        }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!response.ok) throw new Error(`The request was refused: ${response.status}`);
      // The next one is another request.
      key = newKey();
      message.value = '';
      consent.checked = false;
      const done = createElement('p', { role: 'status', tabindex: -1 }, text.handed_over);
      element.replaceWith(done);
      done.focus();
    } catch (error) {
      console.error(error);
      const { contact } = options;
      status.replaceChildren(
        `${text.not_handed_over} `,
        contact === undefined ? '' : linkTo(contactAddress(contact, turns, text), text.contact),
      );
    } finally {
      send.disabled = false;
    }
  };
  const element = createElement(
    'form',
    {
      class: 'handover',
      submit: (event) => {
        event.preventDefault();
        void submit();
      },
      keydown: (event) => {
        // The box itself stays open.
        if ((event as KeyboardEvent).key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      },
    },
    labelled(text.email, email),
    labelled(text.message, message),
    createElement('label', { class: 'consent' }, consent, createElement('span', {}, text.consent)),
    status,
    createElement(
      'div',
      { class: 'actions' },
      send,
      createElement('button', { type: 'button', click: onClose }, text.cancel),
    ),
  );
  return {
    element,
    /** Shows the form; an empty message begins with what was last asked. */
    open: (typed: string): void => {
      if (message.value === '') message.value = typed || (turns.at(-1)?.question ?? '');
      email.focus();
    },
  };
}

const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

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
export function historyOf(
  turns: readonly Turn[],
): { speaker: 'user' | 'assistant'; text: string }[] {
  return turns.slice(-MAX_TURNS).flatMap(({ question, answer }) => [
    { speaker: 'user', text: question.slice(0, MAX_LENGTH) },
    { speaker: 'assistant', text: answer.slice(0, MAX_LENGTH) },
  ]);
}

/**
 * The address of the contact link with the conversation: as the body of a mail, or in place of `{conversation}`. Other addresses stay as
 * they are. The newest turns are kept when it is too long.
 */
export function contactAddress(
  contact: string,
  turns: readonly Turn[],
  labels: { you: string; answer: string },
): string {
  const texts = turns.map(
    ({ question, answer }) => `${labels.you}: ${question}\n${labels.answer}: ${answer}`,
  );
  for (let from = 0; from <= texts.length; from++) {
    const text = encodeURIComponent(texts.slice(from).join('\n\n'));
    const address = contact.startsWith('mailto:')
      ? `${contact}${contact.includes('?') ? '&' : '?'}body=${text}`
      : contact.replaceAll('{conversation}', text);
    if (address.length <= MAX_ADDRESS_LENGTH) return address;
  }
  return contact.replaceAll('{conversation}', '');
}
