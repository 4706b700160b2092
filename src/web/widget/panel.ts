import { Constellation, ConstellationError } from '../../../client/index.ts';
import { createAnswer } from './answer.ts';
import { contactAddress, createHandover, historyOf, type Turn } from './handover.ts';
import { createElement, linkTo, type WidgetOptions } from './options.ts';
import texts from './texts.json' with { type: 'json' };

const MAX_QUESTION_LENGTH = 4000;
const TIMEOUT_MS = 60_000;
/** Above the newest question, in pixels. */
const MARGIN = 12;

/** The answer box: what was asked and answered, and a form for the next question. */
export function createPanel(
  options: WidgetOptions,
  { onClose }: { onClose?: (() => void) | undefined } = {},
) {
  const text = texts[options.language];
  const client = new Constellation({
    url: options.url,
    key: options.key,
    retries: 1,
    interface: 'widget',
  });
  const turns: Turn[] = [];
  let running: AbortController | undefined;
  /** Loaded when a visitor begins to type; without it texts are shown as they are. */
  const markdownReader = (): Promise<(markdown: string) => (Node | string)[]> =>
    import(`${options.url}/widget-markdown.js`).then(
      ({ markdownElements }) => markdownElements,
      () => (markdown) => [markdown],
    );

  const messages = createElement('ol', {
    class: 'messages',
    tabindex: 0,
    'aria-label': options.title ?? text.title,
  });
  /** Read aloud by screen readers, in place of the growing answer. */
  const status = createElement('p', { class: 'quiet', role: 'status' });
  const input = createElement('textarea', {
    rows: 1,
    maxlength: MAX_QUESTION_LENGTH,
    focus: () => void markdownReader(),
    keydown: (event) => {
      const { key, shiftKey, isComposing } = event as KeyboardEvent;
      if (key !== 'Enter' || shiftKey || isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    },
  });
  const send = createElement('button', { class: 'primary' }, text.send);
  const form = createElement(
    'form',
    {
      submit: (event) => {
        event.preventDefault();
        if (running !== undefined) return running.abort();
        const question = input.value.trim();
        if (question !== '') void ask(question);
      },
    },
    createElement('label', {}, createElement('span', {}, text.question), input),
    send,
  );
  const contact = createElement('footer');
  /** The form is made once: what is typed into it stays. */
  const makeHandover = () => createHandover(options, { text, turns, onClose: () => showContact() });
  let handover = options.handover ? makeHandover() : undefined;
  const openHandover = (): void => {
    contact.replaceChildren(handover?.element ?? '');
    handover?.open(input.value);
  };
  const askForPerson = () =>
    createElement(
      'button',
      {
        type: 'button',
        click: openHandover,
      },
      text.contact,
    );
  const showContact = (): void => {
    const link =
      options.contact === undefined
        ? []
        : [linkTo(contactAddress(options.contact, turns, text), text.contact)];
    contact.replaceChildren(...(handover === undefined ? link : [askForPerson()]));
  };

  const ask = async (question: string): Promise<void> => {
    const ending = new AbortController();
    running = ending;
    input.value = '';
    send.textContent = text.stop;
    const answer = createAnswer(text, await markdownReader());
    const reply = createElement('li', { 'aria-label': text.answer }, answer.element, status);
    const asked = createElement('li', { class: 'asked', 'aria-label': text.you }, question);
    messages.append(asked, reply);
    say(text.searching);
    // The page itself stays where it is, as it would not with scrollIntoView.
    messages.scrollTop +=
      asked.getBoundingClientRect().top - messages.getBoundingClientRect().top - MARGIN;
    try {
      const request = {
        query: question,
        ...(turns.length === 0 ? {} : { metadata: { history: historyOf(turns) } }),
      };
      for await (const event of client.askStream(request, {
        signal: ending.signal,
        timeoutMs: TIMEOUT_MS,
      })) {
        answer.add(event);
        if (event.type === 'statement')
          say(text.statements.replace('{count}', String(answer.count())));
        if (event.type !== 'done') continue;
        answer.end(event.response);
        say(text.complete);
        const { small_talk: smallTalk, handover: handsOver } = event.response.metadata ?? {};
        if (smallTalk !== undefined) {
          if (smallTalk === 'person') showWayToPerson(reply, handsOver === true);
          continue;
        }
        turns.push({ question, answer: event.response.answer ?? '' });
        if (handover !== undefined && (event.response.sources ?? []).length === 0)
          reply.append(createElement('div', { class: 'actions' }, askForPerson()));
        const id = event.response.metadata?.answer_id;
        if (typeof id === 'string') reply.append(feedbackFor(id));
      }
    } catch (error) {
      fail(reply, { question, error, wasStopped: ending.signal.aborted });
    } finally {
      running = undefined;
      send.textContent = text.send;
      if (handover?.element.isConnected !== true) showContact();
    }
  };

  /** The form, in place of the foot of the box; without it the link of the page. */
  const showWayToPerson = (reply: HTMLElement, handsOver: boolean): void => {
    if (handsOver) handover ??= makeHandover();
    if (handover !== undefined) openHandover();
    else if (options.contact !== undefined)
      reply.append(
        createElement(
          'div',
          { class: 'actions' },
          linkTo(contactAddress(options.contact, turns, text), text.contact),
        ),
      );
  };

  const say = (what: string): void => {
    status.textContent = what;
  };

  const fail = (
    reply: HTMLElement,
    { question, error, wasStopped }: { question: string; error: unknown; wasStopped: boolean },
  ): void => {
    if (input.value === '') input.value = question;
    say(wasStopped ? text.stopped : text[problemOf(error)]);
    if (wasStopped) return;
    console.error(error);
    const again = createElement(
      'button',
      {
        type: 'button',
        click: () => {
          const asked = reply.previousElementSibling;
          reply.remove();
          asked?.remove();
          void ask(question);
        },
      },
      text.again,
    );
    reply.append(createElement('div', { class: 'actions' }, again));
  };

  const feedbackFor = (id: string): HTMLElement => {
    const row = createElement('div', { class: 'actions' });
    const button = (value: 'up' | 'down', label: string) =>
      createElement(
        'button',
        {
          type: 'button',
          click: () => {
            row.replaceChildren(createElement('p', { class: 'quiet' }, text.thanks));
            void fetch(new URL(`/v1/answers/${encodeURIComponent(id)}/feedback`, options.url), {
              method: 'POST',
              headers: {
                authorization: `Bearer ${options.key}`,
                'content-type': 'application/json',
              },
              body: JSON.stringify({ value }),
            }).catch(console.error);
          },
        },
        label,
      );
    row.append(button('up', text.helpful), button('down', text.unhelpful));
    return row;
  };

  messages.append(createElement('li', { class: 'quiet' }, options.greeting ?? text.greeting));
  showContact();
  const heading = createElement('h2', {}, options.title ?? text.title);
  const close =
    onClose === undefined
      ? []
      : [
          createElement(
            'button',
            { type: 'button', 'aria-label': text.close, click: onClose },
            '✕',
          ),
        ];
  const element = createElement(
    'section',
    {
      class: `panel ${onClose === undefined ? 'inline' : 'floating'}`,
      'aria-label': options.title ?? text.title,
    },
    createElement('header', {}, heading, ...close),
    messages,
    form,
    contact,
  );
  return { element, focus: () => input.focus() };
}

/** The text that tells a reader what can be done. */
const problemOf = (error: unknown): 'busy' | 'refused' | 'offline' | 'failed' => {
  if (!(error instanceof ConstellationError)) return 'failed';
  if (error.code === 'RATE_LIMITED') return 'busy';
  if (error.code === 'UNAUTHORIZED') return 'refused';
  return error.code === 'UNREACHABLE' ? 'offline' : 'failed';
};
