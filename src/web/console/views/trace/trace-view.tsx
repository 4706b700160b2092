import { useSignal } from '@preact/signals';
import type { LibrarianDescription } from '../../../../contract/core/librarian.ts';
import type { DelegationTrace, TraceHop } from '../../../../contract/core/response.ts';
import { type Answer, traceOf } from '../../answers/answer.ts';
import { AnswerPage } from '../../answers/answer-page.tsx';
import { Button, CopyButton, Icon } from '../../parts/button.tsx';
import { Empty } from '../../parts/states.tsx';
import { call } from '../../session/deployment.ts';
import { asCurl } from '../../session/request-forms.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import {
  count,
  formatDollars,
  formatMoment,
  formatMs,
  formatNumber,
  t,
} from '../../texts/texts.ts';

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
        <CopyButton text={() => asCurl(requestOf(answer), location.origin)}>
          {t('trace.curl')}
        </CopyButton>
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
  const hues = new Map(
    [...new Set(hops.map(({ hop }) => hop.to))].map((id, at) => [id, at % HUES]),
  );
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
      {hop.attempts > 1 ? (
        <span class="quiet small"> · {count('trace.attempts', hop.attempts)}</span>
      ) : null}
    </td>
    <td>
      {link?.cap === undefined ? (
        <span class="quiet">{t('trace.inherited')}</span>
      ) : (
        <Rights of={link.cap} />
      )}
    </td>
    <td>
      {link?.bud === undefined ? (
        <span class="quiet">{t('trace.inherited')}</span>
      ) : (
        amountsText(link.bud)
      )}
    </td>
    <td>
      <span class={hop.verified ? 'support sure' : 'support weak'}>
        <Icon name={hop.verified ? 'check' : 'warning'} />{' '}
        {t(
          hop.verified
            ? 'trace.is_verified'
            : hop.receipt === undefined
              ? 'trace.no_receipt'
              : 'trace.not_verified',
        )}
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

/** What the signed link and the receipt of a hop say, and a check of the receipt in this browser. */
export function HopDetails({ hop: { hop, link, receipt } }: { hop: Hop }) {
  const check = useSignal<Check | 'unreachable' | undefined>(undefined);
  const verify = async (): Promise<void> => {
    const described = await call<LibrarianDescription>(`GET /librarians/${hop.to}`, {
      keys: 'objects',
    }).catch(() => undefined);
    check.value =
      described === undefined
        ? 'unreachable'
        : await checkReceipt(hop.receipt ?? '', described.keys);
  };
  return (
    <div class="hop-details">
      <dl>
        <Fact label={t('trace.span')} value={hop.spanId} />
        <Fact label={t('trace.operation')} value={link?.op} />
        <Fact label={t('trace.deadline')} value={moment(link?.exp)} />
        <Fact label={t('trace.answered_at')} value={moment(receipt?.iat)} />
        <Fact label={t('trace.status')} value={receipt?.st?.toString()} />
        <Fact
          label={t('trace.spent')}
          value={receipt?.use === undefined ? undefined : spent(receipt.use)}
        />
      </dl>
      {hop.receipt === undefined ? null : (
        <>
          <p class="row">
            <Button icon="shield" onClick={verify}>
              {t('trace.check')}
            </Button>
            <CopyButton text={() => hop.receipt ?? ''}>{t('trace.copy_receipt')}</CopyButton>
            <span role="status" class={check.value === 'valid' ? 'support sure' : 'support weak'}>
              {check.value === undefined ? null : t(`trace.check_${check.value}`)}
            </span>
          </p>
          <details>
            <summary class="small">{t('trace.signed')}</summary>
            <pre>{JSON.stringify({ link, receipt }, null, 2)}</pre>
          </details>
        </>
      )}
    </div>
  );
}

const moment = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : formatMoment(new Date(seconds * 1000));

/** `3 calls, 1,200 tokens, $0.05`; amounts of another name as they are called on the wire. */
export function amountsText(amounts: Readonly<Record<string, number>>): string {
  return Object.entries(amounts)
    .map(([name, amount]) => {
      if (name === 'cost_micros') return formatDollars(amount / 1_000_000);
      if (name === 'calls' || name === 'tokens') return count(`trace.${name}`, amount);
      return `${formatNumber(amount)} ${name.replaceAll('_', ' ')}`;
    })
    .join(', ');
}

/** What was not spent is left out. */
const spent = (amounts: Readonly<Record<string, number>>): string =>
  amountsText(Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount > 0))) ||
  t('trace.nothing');

const Fact = ({ label, value }: { label: string; value: string | undefined }) =>
  value === undefined ? null : (
    <div>
      <dt>{label}</dt>
      <dd>
        <code>{value}</code>
      </dd>
    </div>
  );

/** What a signed link says, as far as it is shown. It is read, not verified: the origin of the chain has done that. */
interface LinkClaims {
  hop?: number;
  iat?: number;
  /** The deadline, in seconds since 1970. */
  exp?: number;
  /** The rights that are handed down; absent when they are those of the link before. */
  cap?: string[];
  /** What may be spent. */
  bud?: Record<string, number>;
  op?: string;
}

interface ReceiptClaims {
  iss?: string;
  st?: number;
  iat?: number;
  /** What was spent. */
  use?: Record<string, number>;
}

export interface Hop {
  hop: TraceHop;
  depth: number;
  link: LinkClaims | undefined;
  receipt: ReceiptClaims | undefined;
  /** Milliseconds from the beginning of the first hop. */
  startMs: number;
}

/** The payload of a compact JWS; undefined for what is none. */
const claimsOf = <Claims extends object>(token: string | undefined): Claims | undefined => {
  const payload = token?.split('.')[1];
  if (payload === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytesOf(payload)));
    return typeof claims === 'object' && claims !== null ? (claims as Claims) : undefined; // members are optional
  } catch {
    return undefined;
  }
};

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  );

/** The hops in the order of the tree: each is followed by those that it led to. */
export function hopsOf({ hops }: DelegationTrace): Hop[] {
  const ids = new Set(hops.map(({ spanId }) => spanId));
  const below = (parent: string | undefined, depth: number): Omit<Hop, 'startMs'>[] =>
    hops
      .filter(({ parentSpanId }) =>
        depth === 0
          ? parentSpanId === undefined || !ids.has(parentSpanId)
          : parentSpanId === parent,
      )
      .flatMap((hop) => [
        {
          hop,
          depth,
          link: claimsOf<LinkClaims>(hop.link),
          receipt: claimsOf<ReceiptClaims>(hop.receipt),
        },
        ...(hop.spanId === undefined || depth >= hops.length ? [] : below(hop.spanId, depth + 1)),
      ]);
  const ordered = below(undefined, 0);
  const starts = ordered.map(startOf);
  const first = Math.min(...starts.filter((start) => start !== undefined));
  return ordered.map((each, at) => ({
    ...each,
    startMs: Math.max(0, (starts[at] ?? first) - first),
  }));
}

/** In milliseconds since 1970: when its link was signed, else its receipt less what it took. */
const startOf = ({ hop, link, receipt }: Omit<Hop, 'startMs'>): number | undefined => {
  if (link?.iat !== undefined) return link.iat * 1000;
  return receipt?.iat === undefined ? undefined : receipt.iat * 1000 - hop.durationMs;
};

export type Check = 'valid' | 'invalid' | 'no_key' | 'unsupported';

/** Checks the signature of a receipt in this browser, with the keys that its librarian publishes. */
export async function checkReceipt(
  receipt: string,
  keys: readonly { kid: string; x: string }[],
): Promise<Check> {
  const [header = '', payload = '', signature = ''] = receipt.split('.');
  const { kid } = claimsOf<{ kid?: string }>(`.${header}.`) ?? {};
  const found = keys.find((key) => key.kid === kid);
  if (found === undefined) return 'no_key';
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: found.x };
    const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify']);
    const signed = new TextEncoder().encode(`${header}.${payload}`);
    return (await crypto.subtle.verify('Ed25519', key, bytesOf(signature), signed))
      ? 'valid'
      : 'invalid';
  } catch (error) {
    return error instanceof DOMException && error.name === 'NotSupportedError'
      ? 'unsupported'
      : 'invalid';
  }
}

export default TraceView;
