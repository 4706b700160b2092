import { formatNumber, t } from '../texts/texts.ts';

interface Series {
  name: string;
  /** One a label; null where there is none. */
  values: readonly (number | null)[];
}

interface ChartProps {
  form: 'line' | 'bar';
  /** Says what the chart shows, best its finding. */
  title: string;
  /** What the labels are: `Day`. */
  label: string;
  labels: readonly string[];
  /** One to three. */
  series: readonly Series[];
  unit?: string | undefined;
  /** The address of what is behind a label; its points are links then. */
  hrefOf?: ((index: number) => string) | undefined;
}

const WIDTH = 640;
const HEIGHT = 220;
const LEFT = 56;
const BOTTOM = 28;
const TOP = 10;
const TICKS = 4;
const MAX_LABELS = 8;
const MAX_BAR = 48;

/** A chart of a few hundred points as SVG, with the same numbers as a table behind "show data". Counts and sums start at zero. */
export const Chart = ({ form, title, label, labels, series, unit, hrefOf }: ChartProps) => {
  const scale = scaleOf(series.flatMap(({ values }) => values.filter((value) => value !== null)));
  const bottomOf = (value: number): number =>
    TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - scale.low) / (scale.high - scale.low));
  const step = (WIDTH - LEFT) / Math.max(1, labels.length);
  const centreOf = (index: number): number => LEFT + step * (index + 0.5);
  const every = Math.ceil(labels.length / MAX_LABELS);
  return (
    <figure class="chart">
      <figcaption>
        {title}
        {unit === undefined ? null : <span class="quiet small"> {unit}</span>}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        {scale.ticks.map((tick) => (
          <g key={tick} class="tick">
            <line x1={LEFT} x2={WIDTH} y1={bottomOf(tick)} y2={bottomOf(tick)} />
            <text x={LEFT - 8} y={bottomOf(tick) + 4} text-anchor="end">
              {formatNumber(tick, { notation: 'compact' })}
            </text>
          </g>
        ))}
        {labels.map((text, index) =>
          index % every === 0 ? (
            <text key={text} class="label" x={centreOf(index)} y={HEIGHT - 8} text-anchor="middle">
              {shortened(text, step * every)}
            </text>
          ) : null,
        )}
        {series.map(({ name, values }, at) => (
          <g key={name} class={`series series-${at}`}>
            {form === 'line' ? <path d={pathOf(values, centreOf, bottomOf)} /> : null}
            {values.map((value, index) => {
              if (value === null) return null;
              const width = Math.min((step * 0.7) / series.length, MAX_BAR);
              const mark =
                form === 'line' ? (
                  <circle cx={centreOf(index)} cy={bottomOf(value)} r={labels.length > 60 ? 1.5 : 3} />
                ) : (
                  <rect
                    x={centreOf(index) + (at - series.length / 2) * width}
                    y={Math.min(bottomOf(value), bottomOf(0))}
                    width={Math.max(1, width - 1)}
                    height={Math.max(1, Math.abs(bottomOf(0) - bottomOf(value)))}
                  />
                );
              const said = `${labels[index]}: ${formatNumber(value)}${unit === undefined ? '' : ` ${unit}`}`;
              return hrefOf === undefined ? (
                <g key={labels[index]}>
                  <title>{said}</title>
                  {mark}
                </g>
              ) : (
                <a key={labels[index]} href={hrefOf(index)} aria-label={said}>
                  {mark}
                </a>
              );
            })}
          </g>
        ))}
      </svg>
      {series.length === 1 ? null : (
        <p class="legend small">
          {series.map(({ name }, at) => (
            <span key={name} class={`series-${at}`}>
              {name}
            </span>
          ))}
        </p>
      )}
      <Data label={label} labels={labels} series={series} />
    </figure>
  );
};

const Data = ({ label, labels, series }: Pick<ChartProps, 'label' | 'labels' | 'series'>) => (
  <details>
    <summary>{t('chart.data')}</summary>
    <div class="table">
      <table>
        <thead>
          <tr>
            <th scope="col">{label}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col" class="right">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((text, index) => (
            <tr key={text}>
              <th scope="row">{text}</th>
              {series.map(({ name, values }) => (
                <td key={name} class="right">
                  {values[index] == null ? '–' : formatNumber(values[index])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);

/** Round numbers that hold all values, and zero. */
const scaleOf = (values: readonly number[]): { low: number; high: number; ticks: number[] } => {
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const rough = (most - least || 1) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10);
  const low = Math.floor(least / step) * step;
  const high = Math.max(Math.ceil(most / step) * step, low + step);
  const ticks = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, at) => low + at * step);
  return { low, high, ticks };
};

/** A line through the values; a missing one is a gap in it. */
const pathOf = (
  values: readonly (number | null)[],
  xOf: (index: number) => number,
  yOf: (value: number) => number,
): string =>
  values
    .map((value, index) => {
      if (value === null) return '';
      const isFirst = index === 0 || values[index - 1] === null;
      return `${isFirst ? 'M' : 'L'}${xOf(index).toFixed(1)} ${yOf(value).toFixed(1)}`;
    })
    .join('');

const CHARACTER_WIDTH = 7;

const shortened = (text: string, width: number): string => {
  const fits = Math.max(3, Math.floor(width / CHARACTER_WIDTH));
  return text.length <= fits ? text : `${text.slice(0, fits - 1)}…`;
};
