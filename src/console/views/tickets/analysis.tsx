import type { ComponentChildren } from 'preact';
import type { AgentGuidance, Draft, SupportResponse } from '../../../contract/support-response.ts';
import { CopyButton } from '../../parts/button.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Share } from '../../parts/share.tsx';
import { SourceLink } from '../../parts/source-link.tsx';
import { Age } from '../../parts/time.tsx';
import { Classification } from '../../support/classification.tsx';
import { formatMs, formatShare, t } from '../../texts/texts.ts';

/** Intent, draft with its articles, and guidance for the agent. */
export const Analysis = ({ of }: { of: SupportResponse }) => (
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
            draft.template === undefined ? undefined : t('analysis.template', { template: draft.template }),
            grounding == null ? undefined : t('analysis.grounding', { share: formatShare(grounding) }),
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
      {knowledge.sources_consulted.map(({ title, url, excerpt, relevance_score: relevance, last_updated: updated }) => (
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
      ))}
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
      <List title={t(automatic.allowed ? 'analysis.auto_send' : 'analysis.no_auto_send')} items={automatic.reasons} />
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
