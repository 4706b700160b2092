import { signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { answers, ask, forget } from '../../answers/asked-questions.ts';
import { navigate } from '../../navigation/router.ts';
import { type Shortcut, useShortcuts } from '../../navigation/shortcuts.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Choice } from '../../parts/fields.tsx';
import { loadMarkdown } from '../../parts/markdown.tsx';
import { background, librarians, may, syncStatus } from '../../session/deployment.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import { t } from '../../texts/texts.ts';
import { ShownAnswer } from './shown-answer.tsx';

/** Questions and answers of one conversation; its id is in the address, so that it survives a reload. */
const AskView = ({ parts: [conversation], query: address }: ViewProps) => {
  const input = useRef<HTMLTextAreaElement>(null);
  useShortcuts([{ key: '/', label: 'shortcuts.ask', run: () => input.current?.focus() }, ...STEPS]);
  const shown = answers.value.filter((answer) => answer.peek().conversation === conversation);
  const send = (query: string, librarian?: string): void => {
    const id = conversation ?? crypto.randomUUID();
    if (conversation === undefined) navigate(`/ask/${id}`);
    void ask({ query, conversation: id, librarian });
  };
  useEffect(() => {
    if (shown.length > 1)
      document.querySelector('.turn:last-of-type')?.scrollIntoView({ block: 'start' });
  }, [shown.length]);
  const isDiscarding = useSignal(false);
  const discard = (): void => {
    if (conversation !== undefined) forget(conversation);
    navigate('/ask');
  };
  return (
    <div class={shown.length === 0 ? 'ask-view empty' : 'ask-view'}>
      <div class="title">
        <h1>{t('ask.title')}</h1>
        {shown.length === 0 ? null : (
          <div class="row">
            <Button icon="plus" onClick={() => navigate('/ask')}>
              {t('ask.new')}
            </Button>
            <Button kind="quiet" onClick={() => (isDiscarding.value = true)}>
              {t('ask.forget')}
            </Button>
          </div>
        )}
      </div>
      {shown.map((answer) => (
        <ShownAnswer key={answer.peek().id} answer={answer} onAsk={send} />
      ))}
      <AskForm
        input={input}
        chosen={address.get('librarian') ?? ''}
        isFollowUp={shown.length > 0}
        onAsk={send}
      />
      {shown.length === 0 ? <Suggestions onAsk={send} /> : null}
      {isDiscarding.value ? (
        <Confirm
          title={t('ask.forget_title')}
          action={t('ask.forget')}
          onConfirm={discard}
          onClose={() => {
            isDiscarding.value = false;
          }}
        >
          <p>{t('ask.forget_text')}</p>
        </Confirm>
      ) : null}
    </div>
  );
};

const MAX_LENGTH = 4000;
const DRAFT = 'constellation.draft';

interface AskFormProps {
  input: RefObject<HTMLTextAreaElement | null>;
  isFollowUp: boolean;
  /** The librarian that is chosen at first. */
  chosen: string;
  onAsk: (query: string, librarian?: string) => void;
}

/** What is typed stays until it was asked, also over a reload. */
export function AskForm({ input, isFollowUp, onAsk, chosen }: AskFormProps) {
  const query = useSignal(sessionStorage.getItem(DRAFT) ?? '');
  const librarian = useSignal(chosen);
  const keep = (text: string): void => {
    void loadMarkdown().catch(() => undefined);
    query.value = text;
    sessionStorage.setItem(DRAFT, text);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const text = query.value.trim();
    if (text === '') return;
    keep('');
    onAsk(text, librarian.value === '' ? undefined : librarian.value);
  };
  useEffect(() => {
    input.current?.focus({ preventScroll: true });
  }, [isFollowUp]);
  return (
    <form class="ask-form" onSubmit={submit}>
      <label class="visually-hidden" for="question">
        {t('ask.question')}
      </label>
      <textarea
        id="question"
        ref={input}
        rows={1}
        maxLength={MAX_LENGTH}
        placeholder={t(
          isFollowUp
            ? may('memory:read') === false
              ? 'ask.another'
              : 'ask.follow_up'
            : 'ask.placeholder',
        )}
        value={query.value}
        onInput={(event) => keep(event.currentTarget.value)}
        onKeyDown={(event) => {
          // The key that ends a word of an input method asks nothing.
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
        }}
      />
      <div class="row between">
        <Choice
          label={t('ask.librarian')}
          value={librarian.value}
          onChoose={(chosen) => {
            librarian.value = chosen;
          }}
          options={[
            { value: '', label: t('ask.any_librarian') },
            ...librarians.value
              .filter(({ id }) => id !== 'concierge')
              .map(({ id, name, unavailable }) => ({
                value: id,
                label: name,
                isDisabled: unavailable !== undefined,
              })),
          ]}
        />
        <Button kind="primary" type="submit" icon="send" disabled={query.value.trim() === ''}>
          {t('ask.action')}
        </Button>
      </div>
    </form>
  );
}

const step = (by: 1 | -1): void => {
  const all = [...document.querySelectorAll<HTMLElement>('.statement')];
  const at = all.findIndex((each) => each.contains(document.activeElement));
  all[
    at < 0 ? (by === 1 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)
  ]?.focus();
};

/** What is meant without a choice: the last answer, and its first statement. */
const lastTurn = (): Element | undefined => [...document.querySelectorAll('.turn')].at(-1);

const showEvidence = (): void => {
  const statement =
    document.activeElement?.closest('.statement') ?? lastTurn()?.querySelector('.statement');
  statement?.querySelector<HTMLElement>('.chip')?.click();
};

const showTrace = (): void => {
  const turn = document.activeElement?.closest('.turn') ?? lastTurn();
  turn?.querySelector<HTMLElement>('.to-trace')?.click();
};

/** Keys that step through the statements of all answers, and open what is behind them. */
export const STEPS: readonly Shortcut[] = [
  { key: 'j', label: 'shortcuts.next', run: () => step(1) },
  { key: 'k', label: 'shortcuts.previous', run: () => step(-1) },
  { key: 'e', label: 'shortcuts.evidence', run: showEvidence },
  { key: 't', label: 'shortcuts.trace', run: showTrace },
];

const WANTED = 3;
/** Candidates that are searched for, once for an edition. */
const MAX_CANDIDATES = 8;
/** Relevance of a passage from which on it probably answers. */
const ANSWERING = 0.6;
const MAX_ARTICLES = 60;

interface Checked {
  edition: string;
  questions: string[];
}

const STORED = 'constellation.suggestions';
const checked = signal<Checked | undefined>(undefined);

/** Three questions of the knowledge base itself that it answers: headings that ask something, else titles of articles. Without articles, how to get some. */
export function Suggestions({ onAsk }: { onAsk: (query: string) => void }) {
  const edition = syncStatus.value?.edition;
  useEffect(() => {
    if (edition == null || checked.value?.edition === edition) return;
    void readSuggestions(edition);
  }, [edition]);
  if (syncStatus.value?.state === 'idle' && syncStatus.value.articles === 0)
    return (
      <p class="suggestions quiet">
        {t('ask.no_articles')} <a href="/sync">{t('view.sync')}</a> ·{' '}
        <a href="/knowledge">{t('view.knowledge')}</a>
      </p>
    );
  const questions = checked.value?.edition === edition ? (checked.value?.questions ?? []) : [];
  if (questions.length === 0) return <div class="suggestions" />;
  return (
    <section class="suggestions" aria-label={t('ask.try')}>
      <h2>{t('ask.try')}</h2>
      {questions.map((question) => (
        <button
          key={question}
          type="button"
          class="button suggestion"
          onClick={() => onAsk(question)}
        >
          {question}
        </button>
      ))}
    </section>
  );
}

const readSuggestions = async (edition: string): Promise<void> => {
  const stored = storedFor(edition);
  if (stored !== undefined) {
    checked.value = stored;
    return;
  }
  checked.value = { edition, questions: [] };
  const page = await background.articles.list({ limit: MAX_ARTICLES }).catch(() => undefined);
  const candidates = (page?.articles ?? []).flatMap(({ title, content }) => [
    questionIn(content) ?? title,
  ]);
  // Articles come in the order of their names: what is far apart is about different things.
  const spread = candidates.filter(
    (_, at) => at % Math.max(1, Math.floor(candidates.length / MAX_CANDIDATES)) === 0,
  );
  for (const candidate of spread.slice(0, MAX_CANDIDATES)) {
    // Not asked: the answer would be kept, and counted among those of people.
    const found = await background.search({ query: candidate, limit: 1 }).catch(() => undefined);
    if ((found?.hits[0]?.relevance ?? 0) < ANSWERING) continue;
    const questions: string[] = [...checked.value.questions, candidate];
    checked.value = { edition, questions };
    if (questions.length === WANTED) break;
  }
  localStorage.setItem(STORED, JSON.stringify(checked.value));
};

const storedFor = (edition: string): Checked | undefined => {
  try {
    const stored = JSON.parse(localStorage.getItem(STORED) ?? 'null') as Checked | null; // written below alone
    return stored?.edition === edition && Array.isArray(stored.questions) ? stored : undefined;
  } catch {
    return undefined;
  }
};

/** A heading that is a question: `## How long is the warranty?`. */
const questionIn = (content: string): string | undefined =>
  /^#{1,4} +(?:\d+\. +)?(.{8,80}\?) *$/m.exec(content)?.[1];

export default AskView;
