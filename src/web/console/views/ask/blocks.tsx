import type { DisplayBlock, DisplayModel } from '../../../../contract/wire/agent-response.ts';
import { Chart } from '../../parts/chart.tsx';
import { SourceLink } from '../../parts/source-link.tsx';
import { Age } from '../../parts/values.tsx';
import { count, formatNumber, formatShare, t } from '../../texts/texts.ts';

type Of<Kind extends DisplayBlock['kind']> = Extract<DisplayBlock, { kind: Kind }>;

/** An agent's answer as blocks: every text in them is plain. */
export function Blocks({ display: { blocks, attribution } }: { display: DisplayModel }) {
  return (
    <div class="blocks">
      {blocks.map((block, at) => (
        <section key={at}>
          {block.heading === undefined || block.kind === 'chart' ? null : <h3>{block.heading}</h3>}
          <Block block={block} />
        </section>
      ))}
      {attribution === undefined ? null : (
        <p class="quiet small">
          <span aria-hidden="true">{attribution.icon}</span>{' '}
          {[attribution.primary_source, ...attribution.details].join(' · ')} ·{' '}
          {t('answer.confidence', { share: formatShare(attribution.confidence) })}
        </p>
      )}
    </div>
  );
}

const Block = ({ block }: { block: DisplayBlock }) => {
  switch (block.kind) {
    case 'text':
      return <p class="pre">{block.text}</p>;
    case 'table':
      return <BlockTable block={block} />;
    case 'chart':
      return (
        <Chart
          form={block.form}
          title={block.heading ?? block.series.map(({ name }) => name).join(', ')}
          label={block.label}
          labels={block.labels}
          series={block.series}
          unit={block.series[0]?.unit}
        />
      );
    case 'documents':
      return <Documents block={block} />;
    case 'links':
      return <Links block={block} />;
    case 'price_comparison':
      return <Prices block={block} />;
    case 'error':
      return (
        <p class="problem">
          {block.code === undefined ? null : <code>{block.code}</code>} {block.message}{' '}
          {block.suggestion}
        </p>
      );
  }
};

const BlockTable = ({ block: { columns, rows, row_count: total } }: { block: Of<'table'> }) => (
  <div class="table">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
    <section class="scrolls" tabIndex={0} aria-label={columns.map(({ label }) => label).join(', ')}>
      <table>
        <thead>
          <tr>
            {columns.map(({ label, align, unit }) => (
              <th key={label} scope="col" class={align}>
                {label}
                {unit === undefined ? null : <span class="unit"> {unit}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join('\n')}>
              {row.map((cell, at) => (
                <td key={columns[at]?.label} class={columns[at]?.align}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
    {total > rows.length ? (
      <p class="quiet small">{t('blocks.rows', { shown: rows.length, total })}</p>
    ) : null}
  </div>
);

const Documents = ({ block: { documents, document_count: total } }: { block: Of<'documents'> }) => (
  <>
    <ol class="documents">
      {documents.map(({ title, url, section, excerpt, score, last_updated: updated }) => (
        <li key={`${title}${section}`}>
          <p>
            <SourceLink url={url}>{title}</SourceLink>
            {section === undefined ? null : <span class="quiet"> › {section}</span>}
          </p>
          <p class="pre excerpt">{excerpt}</p>
          <p class="quiet small">
            {t('blocks.similarity', { share: formatShare(score) })}
            {updated === undefined ? null : (
              <>
                {' · '}
                <Age of={updated} />
              </>
            )}
          </p>
        </li>
      ))}
    </ol>
    {total > documents.length ? (
      <p class="quiet small">{count('blocks.documents', total)}</p>
    ) : null}
  </>
);

const Links = ({ block: { links } }: { block: Of<'links'> }) => (
  <ul class="links">
    {links.map(({ title, url, price }) => (
      <li key={`${title}${url}`}>
        <span>
          <SourceLink url={url}>{title}</SourceLink>
          {url === undefined ? null : <span class="quiet small"> {new URL(url).host}</span>}
        </span>
        <span class="price">{price}</span>
      </li>
    ))}
  </ul>
);

const Prices = ({ block }: { block: Of<'price_comparison'> }) => {
  const money = (amount: number): string =>
    formatNumber(
      amount,
      block.currency === undefined ? {} : { style: 'currency', currency: block.currency },
    );
  const { internal_price: ours, cheapest_external: cheapest, difference, percentage } = block;
  return (
    <div class="prices">
      <p>{block.verdict}</p>
      <dl>
        {ours === undefined ? null : <Amount label={t('blocks.ours')} text={money(ours)} />}
        {cheapest === undefined ? null : (
          <Amount label={t('blocks.cheapest')} text={money(cheapest)} />
        )}
        {difference === undefined ? null : (
          <Amount
            label={t('blocks.difference')}
            text={`${money(difference)}${percentage === undefined ? '' : ` (${formatNumber(percentage)} %)`}`}
          />
        )}
      </dl>
    </div>
  );
};

const Amount = ({ label, text }: { label: string; text: string }) => (
  <div>
    <dt>{label}</dt>
    <dd>{text}</dd>
  </div>
);
