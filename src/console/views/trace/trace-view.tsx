import { useSignal } from '@preact/signals';
import { type Answer, traceOf } from '../../answers/answer.ts';
import { AnswerPage } from '../../answers/answer-page.tsx';
import { type Hop, hopsOf } from '../../answers/hops.ts';
import { CopyButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty } from '../../parts/states.tsx';
import { asCurl } from '../../session/request-forms.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import { count, formatMs, t } from '../../texts/texts.ts';
import { amountsText, HopDetails } from './hop-details.tsx';

/** The way that a question took: who asked whom, with which rights and budget, how long it took, and whether its receipt was verified. */
const TraceView = ({ parts: [id] }: ViewProps) => (
  <AnswerPage path="trace" id={id}>
    {(answer) => <Trace answer={answer} />}
  </AnswerPage>
);

const Trace = ({ answer }: { answer: Answer }) => {
  const trace = traceOf(answer.response);
  if (trace === undefined || trace.hops.length === 0)
    return (
      <Empty icon="trace" title={t('trace.none')}>
        <p>{t('trace.none_text')}</p>
      </Empty>
    );
  const hops = hopsOf(trace);
  const endMs = Math.max(...hops.map(({ startMs, hop }) => startMs + hop.durationMs), 1);
  const verified = hops.filter(({ hop }) => hop.verified).length;
  return (
    <>
      <p class="row facts">
        <span class={verified === hops.length ? 'support sure' : 'support weak'}>
          <Icon name="shield" /> {t('trace.verified', { verified, of: hops.length })}
        </span>
        <span>{count('trace.hops', hops.length)}</span>
        <span>{formatMs(endMs)}</span>
        <span class="request-id">
          {t('trace.id')} <code>{trace.traceId}</code>
          <CopyButton text={() => trace.traceId} label={t('failure.copy_request')} />
        </span>
        <CopyButton text={() => asCurl(requestOf(answer), location.origin)}>{t('trace.curl')}</CopyButton>
      </p>
      <Waterfall hops={hops} endMs={endMs} />
      <p class="quiet small">{t('trace.origin')}</p>
    </>
  );
};

const requestOf = ({ query, librarian }: Answer) => ({
  route: 'POST /v1/ask',
  path: '/v1/ask',
  accept: 'application/json',
  body: { query, ...(librarian === undefined ? {} : { librarian }) },
});

const Waterfall = ({ hops, endMs }: { hops: readonly Hop[]; endMs: number }) => {
  const open = useSignal<string | undefined>(undefined);
  const hues = new Map([...new Set(hops.map(({ hop }) => hop.to))].map((id, at) => [id, at % HUES]));
  return (
    <div class="table trace">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section class="scrolls" tabIndex={0} aria-label={t('trace.table')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('trace.librarian')}</th>
              <th scope="col">{t('trace.outcome')}</th>
              <th scope="col">{t('trace.rights')}</th>
              <th scope="col">{t('trace.budget')}</th>
              <th scope="col">{t('trace.receipt')}</th>
              <th scope="col" class="right">
                {t('trace.time')}
              </th>
              <th scope="col" class="bars">
                <span class="visually-hidden">{t('trace.waterfall')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {hops.map((each, at) => {
              const key = `${each.hop.spanId}${at}`;
              const isOpen = open.value === key;
              return [
                <Row
                  key={key}
                  hop={each}
                  endMs={endMs}
                  hue={hues.get(each.hop.to) ?? 0}
                  isOpen={isOpen}
                  onToggle={() => {
                    open.value = isOpen ? undefined : key;
                  }}
                />,
                isOpen ? (
                  <tr key={`${key}-details`} class="details">
                    <td colSpan={7}>
                      <HopDetails hop={each} />
                    </td>
                  </tr>
                ) : null,
              ];
            })}
          </tbody>
        </table>
      </section>
    </div>
  );
};

const HUES = 8;

interface RowProps {
  hop: Hop;
  endMs: number;
  hue: number;
  isOpen: boolean;
  onToggle: () => void;
}

const Row = ({ hop: { hop, depth, link, startMs }, endMs, hue, isOpen, onToggle }: RowProps) => (
  <tr>
    <th scope="row">
      <button
        type="button"
        class="hop"
        aria-expanded={isOpen}
        style={{ paddingInlineStart: `${Math.min(depth, 6) * 20}px` }}
        onClick={onToggle}
      >
        {depth === 0 ? null : <span class="branch" aria-hidden="true" />}
        <Icon name={isOpen ? 'down' : 'right'} />
        <span class="visually-hidden">{t('trace.depth', { depth: depth + 1 })}</span>
        <span>
          <span class="quiet">{hop.from} → </span>
          {hop.to}
        </span>
      </button>
    </th>
    <td>
      {hop.outcome === 'answer' || hop.outcome === 'partial' ? (
        t(`trace.${hop.outcome}`)
      ) : (
        <code class="problem">{hop.outcome}</code>
      )}
      {hop.attempts > 1 ? <span class="quiet small"> · {count('trace.attempts', hop.attempts)}</span> : null}
    </td>
    <td>{link?.cap === undefined ? <span class="quiet">{t('trace.inherited')}</span> : <Rights of={link.cap} />}</td>
    <td>{link?.bud === undefined ? <span class="quiet">{t('trace.inherited')}</span> : amountsText(link.bud)}</td>
    <td>
      <span class={hop.verified ? 'support sure' : 'support weak'}>
        <Icon name={hop.verified ? 'check' : 'warning'} />{' '}
        {t(hop.verified ? 'trace.is_verified' : hop.receipt === undefined ? 'trace.no_receipt' : 'trace.not_verified')}
      </span>
    </td>
    <td class="right">{formatMs(hop.durationMs)}</td>
    <td class="bars">
      <svg viewBox="0 0 200 14" preserveAspectRatio="none" aria-hidden="true" class={`hue-${hue}`}>
        <rect
          x={(startMs / endMs) * 200}
          y="2"
          width={Math.max(2, (Math.min(hop.durationMs, endMs - startMs) / endMs) * 200)}
          height="10"
          rx="2"
        />
      </svg>
    </td>
  </tr>
);

const Rights = ({ of }: { of: readonly string[] }) =>
  of.length === 0 ? (
    <span class="quiet">{t('trace.no_rights')}</span>
  ) : (
    <span class="row">
      {of.map((right) => (
        <code key={right} class="right-name">
          {right}
        </code>
      ))}
    </span>
  );

export default TraceView;
