import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { KnowledgeChecksPreviewed } from '../../../../contract/wire/checks.ts';
import type { HostArticle } from '../../../../contract/wire/host-article.ts';
import { openPlaceholder } from '../../../../documents/markdown/article-outline.ts';
import { PreviewedChecks, turnedRed } from '../../checks/previewed-checks.tsx';
import { articleAddress, navigate } from '../../navigation/router.ts';
import { Button, Icon } from '../../parts/button.tsx';
import { TextArea, TextField } from '../../parts/fields.tsx';
import { LineDifference } from '../../parts/line-difference.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { SourceLink } from '../../parts/source-link.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { client, may } from '../../session/deployment.ts';
import { useLoaded, useRunning } from '../../session/loaded.ts';
import { t } from '../../texts/texts.ts';
import { type Draft, Outdated, preview, previewForSave, put, readText } from './article-draft.ts';
import { type Proposal, proposalForGap, proposalForTicket } from './proposals.ts';

const EMPTY: Draft = {
  id: '',
  title: '',
  url: '',
  intents: '',
  devices: '',
  audiences: '',
  content: '',
  basedOn: '',
};
/** It holds labels, and is no part of the text. */
const FRONT_MATTER = /^---\r?\n[\s\S]*?\n---\r?\n/;
const MAX_TITLE = 500;
const MAX_ID = 300;

/** Changes an article, or writes a new one. What was typed outlives failures, leaving the view and a reload. */
export function ArticleForm({ id, query }: { id: string | undefined; query: URLSearchParams }) {
  const [gap, lesson] = [query.get('gap') ?? undefined, query.get('lesson') ?? undefined];
  const { value, failure, load } = useLoaded(
    async (signal) => {
      const [article, text] =
        id === undefined
          ? []
          : await Promise.all([client.articles.get(id, { signal }), readText(id, signal)]);
      const isFromSource = text?.owner === 'host';
      return {
        article,
        isFromSource,
        proposal: await readProposal({ gap, lesson }, article, signal),
      };
    },
    [id, gap, lesson],
  );
  return (
    <div class="knowledge article">
      <div class="title">
        <h1>{t(id === undefined ? 'knowledge.new' : 'knowledge.edit_title')}</h1>
        <a href={id === undefined ? '/knowledge' : articleAddress(id)}>{t('cancel')}</a>
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value !== undefined ? (
        <Form id={id} about={gap ?? lesson} {...value} />
      ) : failure === undefined ? (
        <Loading lines={12} />
      ) : null}
    </div>
  );
}

const draftOf = ({ id, title, url, content, metadata }: HostArticle): Draft => ({
  id,
  title,
  url,
  content,
  intents: metadata.intent.join(', '),
  devices: metadata.device.join(', '),
  audiences: (metadata.audience ?? []).join(', '),
  basedOn: metadata.last_updated,
});

/** What the address proposes to write: a gap, or what an agent sent on a ticket. */
const readProposal = async (
  { gap, lesson }: { gap: string | undefined; lesson: string | undefined },
  article: HostArticle | undefined,
  signal: AbortSignal,
): Promise<Proposal | undefined> => {
  if (gap !== undefined) return proposalForGap(gap, article, signal);
  const [helpdesk, ticketId] = lesson?.split(/\/(.*)/s) ?? [];
  return helpdesk === undefined || ticketId === undefined
    ? undefined
    : proposalForTicket({ helpdesk, ticketId }, article, signal);
};

/** `about`: the gap or ticket that it is written for, whose text is apart from others that are typed. */
const keyOf = (id: string | undefined, about: string | undefined): string =>
  `constellation.article.${id ?? ''}${about === undefined ? '' : ` ${about}`}`;

/** What was typed before; undefined where nothing was. */
const storedDraft = (key: string): Draft | undefined => {
  const stored = sessionStorage.getItem(key);
  return stored === null ? undefined : { ...EMPTY, ...JSON.parse(stored) }; // written below
};

interface FormProps {
  id: string | undefined;
  about: string | undefined;
  article: HostArticle | undefined;
  /** Whether a sync changes it, as long as it is not written here. */
  isFromSource: boolean;
  proposal: Proposal | undefined;
}

const Form = ({ id, about, article, isFromSource, proposal }: FormProps) => {
  const key = keyOf(id, about);
  const before = article === undefined ? EMPTY : draftOf(article);
  const { back, questions = [], passages = [], ...proposedFields } = proposal ?? {};
  const initial = { ...before, ...proposedFields };
  const draft = useSignal(storedDraft(key) ?? initial);
  const isPreviewed = useSignal(false);
  const isChecked = useSignal(false);
  const checkPreview = useSignal<KnowledgeChecksPreviewed | undefined>(undefined);
  const { start, failure, isLoading } = useRunning();
  const checkRun = useRunning();
  const { value } = draft;
  const author = article?.metadata.author;
  const isChanged = JSON.stringify(value) !== JSON.stringify(initial);
  useEffect(() => {
    // What does not fit into the store of the browser stays in the page alone.
    try {
      if (isChanged) sessionStorage.setItem(key, JSON.stringify(value));
      else sessionStorage.removeItem(key);
    } catch {
      sessionStorage.removeItem(key);
    }
  }, [value]);
  const set = (change: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...change };
    checkPreview.value = undefined;
  };
  const problems = {
    id: value.id.trim() === '' ? t('knowledge.needs_id') : undefined,
    title: value.title.trim() === '' ? t('knowledge.needs_title') : undefined,
    content:
      value.content.trim() === ''
        ? t('knowledge.needs_text')
        : openPlaceholder(value.content) !== undefined
          ? t('outline.unfinished')
          : undefined,
  };
  const problem = (name: keyof typeof problems): string | undefined =>
    isChecked.value ? problems[name] : undefined;
  const isComplete = (): boolean => {
    isChecked.value = true;
    return Object.values(problems).every((each) => each === undefined);
  };
  const check = (): void => {
    if (!isComplete()) return;
    checkRun.start(
      (signal) => preview(value, { author, signal }),
      (result) => {
        checkPreview.value = result;
      },
    );
  };
  const save = ({ isForced = false, isChecking = true } = {}): void => {
    if (!isComplete()) return;
    start(
      async (signal) => {
        const result = isChecking ? await previewForSave(value, { author, signal }) : undefined;
        if (result !== undefined && turnedRed(result).length > 0) return result;
        return put(value, { author, isForced, signal });
      },
      (result) => {
        if ('checks' in result) {
          checkPreview.value = result;
          return;
        }
        sessionStorage.removeItem(key);
        navigate(back ?? articleAddress(result.id));
      },
    );
  };
  const hasRed = checkPreview.value !== undefined && turnedRed(checkPreview.value).length > 0;
  const text = (
    name: 'id' | 'title' | 'url' | 'intents' | 'devices' | 'audiences',
    more: object = {},
  ) => (
    <TextField
      label={t(`knowledge.field_${name}`)}
      value={value[name]}
      onInput={(event) => set({ [name]: event.currentTarget.value })}
      {...more}
    />
  );
  return (
    <form
      class="article-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {back === undefined ? null : (
        <p class="banner small">
          {t('outline.proposed')} <a href={back}>{t('outline.back')}</a>
        </p>
      )}
      {storedDraft(key) === undefined || !isChanged ? null : (
        <p class="banner small">
          {t('knowledge.draft')}
          <Button kind="quiet" onClick={() => (draft.value = initial)}>
            {t('knowledge.discard')}
          </Button>
        </p>
      )}
      {id === undefined
        ? text('id', { maxLength: MAX_ID, problem: problem('id'), hint: t('knowledge.id_hint') })
        : null}
      {text('title', { maxLength: MAX_TITLE, problem: problem('title') })}
      <div class="pair">
        {text('intents', { hint: t('knowledge.labels_hint') })}
        {text('devices', { hint: t('knowledge.labels_hint') })}
        {text('audiences', { hint: t('knowledge.audiences_hint') })}
      </div>
      {text('url', { type: 'text', inputMode: 'url', hint: t('knowledge.url_hint') })}
      <div role="tablist" aria-label={t('knowledge.text')}>
        {[false, true].map((isShown) => (
          <button
            key={String(isShown)}
            type="button"
            role="tab"
            class="tab"
            aria-selected={isPreviewed.value === isShown}
            onClick={() => (isPreviewed.value = isShown)}
          >
            {t(isShown ? 'knowledge.preview' : 'knowledge.write')}
          </button>
        ))}
      </div>
      {isPreviewed.value ? (
        <div class="panel">
          <h2 class="visually-hidden">{t('knowledge.preview')}</h2>
          <Markdown text={value.content.replace(FRONT_MATTER, '')} raisedBy={1} />
        </div>
      ) : (
        <TextArea
          label={t('knowledge.field_content')}
          rows={18}
          value={value.content}
          problem={problem('content')}
          onInput={(event) => set({ content: event.currentTarget.value })}
        />
      )}
      <ForWriter questions={questions} passages={passages} />
      {article === undefined || back === undefined ? null : (
        <section>
          <h2>{t('outline.difference')}</h2>
          <LineDifference before={article.content} after={value.content} />
        </section>
      )}
      {failure === undefined ? null : failure instanceof Outdated ? (
        <div class="failure" role="alert">
          <Icon name="warning" />
          <div>
            <p>{t(failure.isNew ? 'knowledge.exists' : 'knowledge.outdated')}</p>
            <div class="row">
              <Button kind="danger" onClick={() => save({ isForced: true, isChecking: false })}>
                {t('knowledge.overwrite')}
              </Button>
            </div>
          </div>
        </div>
      ) : (
        <Failure error={failure} retry={() => save()} />
      )}
      {checkRun.failure === undefined ? null : <Failure error={checkRun.failure} retry={check} />}
      <div role="status">
        {checkPreview.value === undefined ? null : (
          <PreviewedChecks previewed={checkPreview.value} />
        )}
      </div>
      {isFromSource ? <p class="banner small">{t('knowledge.from_source')}</p> : null}
      <div class="row">
        <Button type="submit" kind="primary" disabled={isLoading}>
          {t(isLoading ? 'knowledge.saving' : 'knowledge.save')}
        </Button>
        {hasRed ? (
          <Button kind="danger" disabled={isLoading} onClick={() => save({ isChecking: false })}>
            {t('checks.save_anyway')}
          </Button>
        ) : null}
        {may('kb:read') === true ? (
          <Button icon="checks" disabled={checkRun.isLoading} onClick={check}>
            {t(checkRun.isLoading ? 'checks.previewing' : 'checks.preview')}
          </Button>
        ) : null}
        <span class="quiet small">{t('knowledge.save_text')}</span>
      </div>
    </form>
  );
};

/** What helps to write, and is no part of the article. */
const ForWriter = ({ questions = [], passages = [] }: Pick<Proposal, 'questions' | 'passages'>) => (
  <>
    {questions.length === 0 ? null : (
      <section>
        <h2>{t('outline.questions')}</h2>
        <ul>
          {questions.map((question) => (
            <li key={question}>{question}</li>
          ))}
        </ul>
      </section>
    )}
    {passages.length === 0 ? null : (
      <section>
        <h2>{t('outline.known')}</h2>
        {passages.map(({ title, url, text }) => (
          <blockquote key={url}>
            <Markdown text={text} raisedBy={2} />
            <p class="small">
              <SourceLink url={url}>{title}</SourceLink>
            </p>
          </blockquote>
        ))}
      </section>
    )}
  </>
);
