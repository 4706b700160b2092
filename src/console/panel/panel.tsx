import { useSignal } from '@preact/signals';
import { render } from 'preact';
import { ConstellationError } from '../../../client/constellation-error.ts';
import type { DraftSentence } from '../../contract/tickets.ts';
import { Feedback } from '../answers/feedback.tsx';
import { Button, CopyButton } from '../parts/button.tsx';
import { Share } from '../parts/share.tsx';
import { SourceLink } from '../parts/source-link.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { credential, isRefused, restoreCredential } from '../session/credential.ts';
import { client } from '../session/deployment.ts';
import { useLoaded } from '../session/loaded.ts';
import { SignIn } from '../shell/sign-in.tsx';
import { loadTexts, loadTextsOfViews, t } from '../texts/texts.ts';
import { connectFrame, type HelpdeskFrame } from './helpdesk-frame.ts';

/** Shows the draft of the ticket that the helpdesk around this page shows. The key is never part of the address. */
export const showPanel = async (root: HTMLElement): Promise<void> => {
  restoreCredential();
  await loadTexts();
  await loadTextsOfViews();
  document.title = t('panel.title');
  const frame = parent === window ? undefined : connectFrame(location);
  render(<Panel frame={frame} />, root);
};

const Panel = ({ frame }: { frame: HelpdeskFrame | undefined }) => (
  <main class="panel">
    <h1>{t('panel.title')}</h1>
    <Contents frame={frame} />
  </main>
);

const Contents = ({ frame }: { frame: HelpdeskFrame | undefined }) => {
  if (frame === undefined) return <Empty icon="warning" title={t('panel.outside')} />;
  if (credential.value === undefined || isRefused.value) return <SignIn keyText={t('panel.sign_in')} />;
  const ticketId = frame.ticketId.value;
  if (ticketId === undefined) return <Empty icon="tickets" title={t('panel.no_ticket')} />;
  return <Draft key={ticketId} frame={frame} ticketId={ticketId} />;
};

const Draft = ({ frame, ticketId }: { frame: HelpdeskFrame; ticketId: string }) => {
  const { helpdesk } = frame;
  const query = { helpdesk, ticket_id: ticketId };
  const { value, failure, isLoading, load } = useLoaded(
    (signal) => client.tickets.draft(query, { signal }),
    [helpdesk, ticketId],
  );
  if (failure instanceof ConstellationError && failure.code === 'NOT_FOUND')
    return (
      <Empty icon="tickets" title={t('panel.no_draft')}>
        <p>{t('panel.no_draft_text')}</p>
        <Button icon="retry" onClick={load}>
          {t('try_again')}
        </Button>
      </Empty>
    );
  if (failure !== undefined) return <Failure error={failure} retry={load} />;
  if (value === undefined || isLoading) return <Loading lines={8} />;
  return (
    <>
      <p class="row small">
        <span class="quiet">{t('analysis.intent')}</span> <code>{value.intent}</code> <Share of={value.confidence} />
      </p>
      {value.risks.length === 0 ? null : (
        <div class="banner small">
          <strong>{t('analysis.risks')}</strong>
          <ul>
            {value.risks.map((risk) => (
              <li key={risk}>{risk}</li>
            ))}
          </ul>
        </div>
      )}
      <div class="row">
        <Insert frame={frame} text={value.text} />
        <CopyButton text={() => value.text}>{t('analysis.copy')}</CopyButton>
      </div>
      <ol class="sentences" lang={value.language ?? undefined}>
        {groupsOf(value.sentences).map((group, at) => (
          // Sentences may repeat; their order never changes.
          <Sentences key={at} group={group} />
        ))}
      </ol>
      <p class="quiet small">{t('panel.helped')}</p>
      <Feedback
        key={value.id}
        before={value.feedback?.value}
        give={(feedback) => client.tickets.feedback({ ...query, ...feedback })}
      />
    </>
  );
};

const Insert = ({ frame: { insert }, text }: { frame: HelpdeskFrame; text: string }) => {
  const state = useSignal<'ready' | 'inserted' | 'failed'>('ready');
  if (insert === undefined) return null;
  const put = (): void =>
    void insert(text).then(
      () => {
        state.value = 'inserted';
      },
      () => {
        state.value = 'failed';
      },
    );
  return (
    <>
      <Button kind="primary" onClick={put}>
        {t('panel.insert')}
      </Button>
      <span class="small" role="status">
        {state.value === 'ready' ? '' : t(`panel.${state.value}`)}
      </span>
    </>
  );
};

/** Sentences that follow one another with the same sources, such as the steps of a procedure. */
const groupsOf = (sentences: readonly DraftSentence[]): DraftSentence[][] => {
  const groups: DraftSentence[][] = [];
  const sources = ({ evidence }: DraftSentence) => JSON.stringify(evidence.map(({ title, url }) => [title, url]));
  for (const sentence of sentences) {
    const [last] = groups.at(-1) ?? [];
    if (last !== undefined && last.evidence.length > 0 && sources(last) === sources(sentence))
      groups.at(-1)?.push(sentence);
    else groups.push([sentence]);
  }
  return groups;
};

const Sentences = ({ group }: { group: readonly DraftSentence[] }) => {
  const sources = group[0]?.evidence ?? [];
  return (
    <li>
      {group.map(({ text }, at) => (
        <p key={at}>{text}</p>
      ))}
      {sources.length === 0 ? null : (
        <details>
          <summary class="small">{sources.map(({ title }) => title).join(', ')}</summary>
          {sources.map(({ title, url, quote }, source) => (
            <div key={`${url} ${source}`}>
              {[...new Set(group.flatMap(({ evidence }) => evidence[source]?.quote ?? []))].map((text) => (
                <Quote key={text} text={text} />
              ))}
              <p class="small">
                <SourceLink url={url} quote={quote}>
                  {title}
                </SourceLink>
              </p>
            </div>
          ))}
        </details>
      )}
    </li>
  );
};

const DELIMITERS = /^[|\s:-]+$/;

/** Quoted words; rows of a table as one. */
const Quote = ({ text }: { text: string }) => {
  const lines = text.trim().split('\n');
  if (!lines.every((line) => /^\|.*\|\s*$/.test(line))) return <blockquote class="quote">{text}</blockquote>;
  const rows = lines
    .filter((line) => !DELIMITERS.test(line))
    .map((line) =>
      line
        .trim()
        .slice(1, -1)
        .split(/(?<!\\)\|/),
    );
  return (
    <blockquote class="quote">
      <table>
        {rows.map((cells, at) => (
          <tr key={at}>
            {cells.map((cell, column) => (
              <td key={column}>{cell.trim().replaceAll('\\|', '|')}</td>
            ))}
          </tr>
        ))}
      </table>
    </blockquote>
  );
};
