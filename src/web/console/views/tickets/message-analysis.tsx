import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type {
  AgentGuidance,
  Draft,
  SupportRequest,
  SupportResponse,
} from '../../../../contract/wire/support-response.ts';
import { Button, CopyButton } from '../../parts/button.tsx';
import { TextArea, TextField } from '../../parts/fields.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { SourceLink } from '../../parts/source-link.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Age, Share } from '../../parts/values.tsx';
import { useRunning } from '../../session/loaded.ts';
import { analyze, Classification } from '../../support/classification.tsx';
import { formatMs, formatShare, t } from '../../texts/texts.ts';

const STORED = 'constellation.message';
/** Bounds of the contract. */
const MAX = { message: 32_000, subject: 1000, name: 200, product: 100 };

type Fields = Record<keyof typeof MAX, string>;

const storedFields = (): Fields => {
  const empty = { message: '', subject: '', name: '', product: '' };
  try {
    return { ...empty, ...JSON.parse(sessionStorage.getItem(STORED) ?? '{}') };
  } catch {
    return empty;
  }
};

const requestOf = ({ message, subject, name, product }: Fields): SupportRequest => ({
  message,
  ...(subject.trim() === '' ? {} : { subject }),
  ...(name.trim() === '' ? {} : { customer_name: name }),
  ...(product.trim() === '' ? {} : { metadata: { product: product.trim() } }),
});

/** What the support desk would say to a message. Nothing is written into a helpdesk; what is typed stays in this tab. */
export function MessageAnalysis() {
  const fields = useSignal(storedFields());
  const isMissing = useSignal(false);
  const reply = useSignal<SupportResponse | undefined>(undefined);
  const { start, failure, isLoading } = useRunning();
  const change = (name: keyof Fields) => (event: { currentTarget: { value: string } }) => {
    fields.value = { ...fields.value, [name]: event.currentTarget.value };
    isMissing.value = false;
    sessionStorage.setItem(STORED, JSON.stringify(fields.value));
  };
  const send = (): void => {
    isMissing.value = fields.value.message.trim() === '';
    if (isMissing.value) return;
    reply.value = undefined;
    start(
      (signal) => analyze(requestOf(fields.value), signal),
      (replied) => {
        reply.value = replied;
      },
    );
  };
  const { message, ...others } = fields.value;
  return (
    <div class="tickets">
      <div class="title">
        <h1>{t('tickets.analyse')}</h1>
        <a class="button" href="/tickets">
          {t('tickets.back')}
        </a>
      </div>
      <form
        class="message"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <TextArea
          label={t('analysis.message')}
          rows={6}
          maxLength={MAX.message}
          value={message}
          problem={isMissing.value ? t('analysis.missing_message') : undefined}
          hint={t('analysis.hint')}
          onInput={change('message')}
        />
        <div class="fields">
          {(['subject', 'name', 'product'] as const).map((name) => (
            <TextField
              key={name}
              label={t(`analysis.${name}`)}
              maxLength={MAX[name]}
              value={others[name]}
              onInput={change(name)}
            />
          ))}
        </div>
        <Button kind="primary" type="submit" icon="search" disabled={isLoading}>
          {t('analysis.action')}
        </Button>
      </form>
      <p class="visually-hidden" role="status">
        {reply.value === undefined
          ? ''
          : t('analysis.done', { intent: reply.value.intent_classification.primary_intent })}
      </p>
      {failure === undefined ? null : <Failure error={failure} retry={send} />}
      {isLoading ? <Loading lines={10} /> : null}
      {reply.value === undefined ? null : <Analysis of={reply.value} />}
    </div>
  );
}

/** Intent, draft with its articles, and guidance for the agent. */
const Analysis = ({ of }: { of: SupportResponse }) => (
  <div class="analysis">
    <div>
      <Section title={t('analysis.draft')}>
        <ShownDraft draft={of.draft} />
      </Section>
      <Section title={t('analysis.articles')}>
        <Articles of={of} />
      </Section>
    </div>
    <div>
      <Section title={t('analysis.intent')}>
        <Classification of={of.intent_classification} />
      </Section>
      <Guidance guidance={of.agent_guidance} />
    </div>
  </div>
);

const Section = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section>
    <h2>{title}</h2>
    {children}
  </section>
);

const ShownDraft = ({ draft }: { draft: Draft }) => {
  if (draft.text === '') return <p class="quiet">{t('analysis.no_draft')}</p>;
  const { references = [], source_grounding: grounding, written_by: by } = draft;
  return (
    <>
      <div class="draft" lang={draft.language}>
        <Markdown text={draft.markdown ?? draft.text} />
      </div>
      {references.length === 0 ? null : (
        <p class="small">
          {t('analysis.quotes')}{' '}
          {references.map(({ title, url }, at) => (
            <span key={url}>
              {at === 0 ? null : ', '}
              <SourceLink url={url}>{title}</SourceLink>
            </span>
          ))}
        </p>
      )}
      <div class="row">
        <CopyButton text={() => draft.text}>{t('analysis.copy')}</CopyButton>
        <span class="quiet small">
          {[
            by === undefined ? undefined : t(`analysis.by_${by}`),
            draft.template === undefined
              ? undefined
              : t('analysis.template', { template: draft.template }),
            grounding == null
              ? undefined
              : t('analysis.grounding', { share: formatShare(grounding) }),
            t(draft.auto_send ? 'analysis.auto_send' : 'analysis.no_auto_send'),
          ]
            .filter((part) => part !== undefined)
            .join(' · ')}
        </span>
      </div>
    </>
  );
};

const Articles = ({
  of: {
    knowledge_retrieval: knowledge,
    agent_guidance: { closest_articles: closest = [] },
  },
}: {
  of: SupportResponse;
}) => (
  <>
    <p class="small">
      {t(`analysis.coverage_${knowledge.coverage}`)}{' '}
      <span class="quiet">· {formatMs(knowledge.retrieval_time_ms)}</span>
    </p>
    <ul class="plain">
      {knowledge.sources_consulted.map(
        ({ title, url, excerpt, relevance_score: relevance, last_updated: updated }) => (
          <li key={url}>
            <p>
              <SourceLink url={url} quote={excerpt}>
                {title}
              </SourceLink>
            </p>
            <p class="quote">{excerpt}</p>
            <p class="row small quiet">
              <Share of={relevance} />
              <Age of={updated} />
            </p>
          </li>
        ),
      )}
    </ul>
    {closest.length === 0 ? null : (
      <>
        <h3>{t('declined.closest')}</h3>
        <ul class="plain">
          {closest.map(({ title, url, relevance_score: relevance }) => (
            <li key={url} class="row">
              <SourceLink url={url}>{title}</SourceLink> <Share of={relevance} />
            </li>
          ))}
        </ul>
      </>
    )}
    <List title={t('analysis.gaps')} items={knowledge.gaps} />
    {knowledge.degraded === undefined ? null : (
      <p class="banner small">{t('why.degraded', { parts: knowledge.degraded.join(', ') })}</p>
    )}
  </>
);

const Guidance = ({ guidance }: { guidance: AgentGuidance }) => {
  const { summary, recommended_steps: steps, escalation, auto_send: automatic } = guidance;
  return (
    <Section title={t('analysis.guidance')}>
      {summary === undefined ? null : <p>{summary}</p>}
      {escalation.needed ? (
        <>
          <h3>{t('analysis.escalate', { to: escalation.to ?? '' })}</h3>
          <ul>
            {escalation.reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </>
      ) : null}
      <List title={t('analysis.risks')} items={guidance.risks} />
      <List title={t('analysis.missing')} items={guidance.missing_information} />
      {steps.length === 0 ? null : (
        <>
          <h3>{t('analysis.steps')}</h3>
          <ol>
            {steps.map(({ step, title, url }) => (
              <li key={step}>
                {step}
                {title === undefined ? null : (
                  <span class="quiet small">
                    {' '}
                    <SourceLink url={url}>{title}</SourceLink>
                  </span>
                )}
              </li>
            ))}
          </ol>
        </>
      )}
      <List
        title={t(automatic.allowed ? 'analysis.auto_send' : 'analysis.no_auto_send')}
        items={automatic.reasons}
      />
    </Section>
  );
};

const List = ({ title, items }: { title: string; items: readonly string[] }) =>
  items.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <ul>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </>
  );
