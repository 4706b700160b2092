import type {
  IntentClassification,
  SupportRequest,
  SupportResponse,
} from '../../../contract/wire/support-response.ts';
import { Icon } from '../parts/button.tsx';
import { Share } from '../parts/values.tsx';
import { call } from '../session/deployment.ts';
import { t } from '../texts/texts.ts';
import { intentTitle } from './intent-titles.ts';

/** The analysis of a customer's message. What no article answers is noted as a gap. */
export function analyze(request: SupportRequest, signal: AbortSignal): Promise<SupportResponse> {
  return call<SupportResponse>(
    'POST /v1/support/analyze',
    {
      intent_classification: 'object',
      draft: 'object',
      knowledge_retrieval: 'object',
      agent_guidance: 'object',
    },
    { body: request, signal },
  );
}

/** What a message is about, how sure that is, and what else it may be. */
export function Classification({ of }: { of: IntentClassification }) {
  return (
    <div class="classification">
      <ol>
        {[
          { intent: of.primary_intent, confidence: of.confidence },
          ...(of.secondary_intents ?? []),
        ].map(({ intent, confidence }) => (
          <li key={intent}>
            {intentTitle(intent)} <Share of={confidence} />
          </li>
        ))}
      </ol>
      {of.danger === undefined ? null : (
        <p class="problem row">
          <Icon name="warning" /> {t('support.danger', { word: of.danger })}
        </p>
      )}
      {of.escalated_to === undefined ? null : (
        <p>{t('support.escalated', { to: of.escalated_to })}</p>
      )}
    </div>
  );
}
