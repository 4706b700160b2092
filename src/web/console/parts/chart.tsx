import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatNumber, t } from '../texts/texts.ts';

interface Series {
  name: string;
  /** One a label; null where there is none. */
  values: readonly (number | null)[];
  /** Its colour, where that has a meaning; by its place when absent. */
  tone?: 'sure' | 'weak' | 'unsure' | 'accent' | 'person' | 'closes' | 'none' | undefined;
}

interface ChartProps {
  /** `stack`: bars on one another, for parts of a whole. */
  form: 'line' | 'bar' | 'stack';
  /** Says what the chart shows, best its finding. */
  title: string;
  /** What the labels are: `Day`. */
  label: string;
  labels: readonly string[];
  /** One to three; more of them need a tone. */
  series: readonly Series[];
  /** How many things are behind each label: shown below it, and in the table. */
  counts?: { name: string; values: readonly number[] } | undefined;
  unit?: string | undefined;
  /** Numbers of the axis and of the points; plain ones when absent. */
  format?: ((value: number) => string) | undefined;
  /** `log`: for values above 0 that differ by orders of magnitude. */
  scale?: 'linear' | 'log';
  /** The address of what is behind a point; points and numbers of the table are links then. */
  hrefOf?: ((index: number, series: number) => string) | undefined;
}

/** Until the page is laid out. */
const WIDTH = 640;
const HEIGHT = 220;
const LEFT = 56;
const BOTTOM = 28;
/** Height of the line with counts. */
const COUNTS = 16;
const TOP = 10;
const TICKS = 4;
const LABEL_WIDTH = 72;
const MAX_BAR = 48;

/**
 * A chart of a few hundred points as SVG, with the same numbers as a table behind "show data". Counts and sums start at zero. Points that
 * are links are one stop of the keyboard; arrow keys go from point to point.
 */
export function Chart(props: ChartProps) {
  const { title, unit, series, hrefOf } = props;
  const figure = useRef<HTMLElement>(null);
  const width = useSignal(WIDTH);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined && entry.contentRect.width > 0)
        width.value = Math.round(entry.contentRect.width);
    });
    if (figure.current !== null) observer.observe(figure.current);
    return () => observer.disconnect();
  }, []);
  return (
    <figure class="chart" ref={figure}>
      <figcaption>
        {title}
        {unit === undefined ? null : <span class="quiet small"> {unit}</span>}
      </figcaption>
      <svg
        viewBox={`0 0 ${width.value} ${HEIGHT + (props.counts === undefined ? 0 : COUNTS)}`}
        role={hrefOf === undefined ? 'img' : 'group'}
        aria-label={title}
        onKeyDown={(event) => {
          const to = pointAfter(event.currentTarget, event.key);
          if (to === undefined) return;
          event.preventDefault();
          to.focus();
        }}
      >
        <Drawing {...props} width={width.value} />
      </svg>
      {series.length === 1 ? null : (
        <p class="legend small">
          {series.map(({ name, tone }, at) => (
            <span key={name} class={`${props.form} ${toneOf(tone, at)}`}>
              {name}
            </span>
          ))}
        </p>
      )}
      <Data {...props} />
    </figure>
  );
}

const pointAfter = (chart: SVGElement, key: string): SVGAElement | undefined => {
  const points = [...chart.querySelectorAll<SVGAElement>('a')];
  const at = points.findIndex((point) => point.matches(':focus'));
  const next = {
    ArrowRight: at + 1,
    ArrowDown: at + 1,
    ArrowLeft: at - 1,
    ArrowUp: at - 1,
    Home: 0,
    End: -1,
  }[key];
  return next === undefined ? undefined : points.at(next % points.length);
};

const Drawing = ({
  form,
  labels,
  series,
  hrefOf,
  width,
  ...props
}: ChartProps & { width: number }) => {
  const current = useSignal<string | undefined>(undefined);
  const format = formatOf(props);
  const tops = labels.map((_, index) =>
    series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  );
  const known = series.flatMap(({ values }) => values.filter((value) => value !== null));
  const scale =
    props.scale === 'log' ? logScale(known) : linearScale(form === 'stack' ? tops : known);
  const yOf = (value: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - scale.shareOf(value));
  const step = (width - LEFT) / Math.max(1, labels.length);
  const xOf = (index: number): number => LEFT + step * (index + 0.5);
  const every = Math.ceil((labels.length * LABEL_WIDTH) / (width - LEFT));
  const points = labels.flatMap((_, index) =>
    series.flatMap(({ values }, at) => {
      const value = values[index];
      return value == null || (form !== 'line' && value === 0) ? [] : [{ index, at, value }];
    }),
  );
  const barWidth = Math.min((step * 0.7) / (form === 'stack' ? 1 : series.length), MAX_BAR);
  const mark = ({ index, at, value }: Point) => {
    if (form === 'line')
      return <circle cx={xOf(index)} cy={yOf(value)} r={labels.length > 60 ? 1.5 : 3} />;
    const below = series.slice(0, at).reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
    const [from, to] = form === 'stack' ? [yOf(below), yOf(below + value)] : [yOf(0), yOf(value)];
    const x =
      form === 'stack'
        ? xOf(index) - barWidth / 2
        : xOf(index) + (at - series.length / 2) * barWidth;
    return (
      <rect
        x={x}
        y={Math.min(from, to)}
        width={Math.max(1, barWidth - 1)}
        height={Math.max(1, Math.abs(from - to))}
      />
    );
  };
  const tabStop = points.some((point) => nameOf(point) === current.value)
    ? current.value
    : points.map(nameOf)[0];
  return (
    <>
      {scale.ticks.map((tick) => (
        <g key={tick} class="tick">
          <line x1={LEFT} x2={width} y1={yOf(tick)} y2={yOf(tick)} />
          <text x={LEFT - 8} y={yOf(tick) + 4} text-anchor="end">
            {props.format === undefined
              ? formatNumber(tick, { notation: 'compact' })
              : props.format(tick)}
          </text>
        </g>
      ))}
      {labels.map((text, index) =>
        index % every === 0 ? (
          <text key={index} class="label" x={xOf(index)} y={HEIGHT - 8} text-anchor="middle">
            {shortened(text, step * every)}
          </text>
        ) : null,
      )}
      {props.counts === undefined ? null : (
        <text class="label" x={LEFT - 8} y={HEIGHT - 8 + COUNTS} text-anchor="end">
          {props.counts.name}
        </text>
      )}
      {props.counts?.values.map((count, index) => (
        <text key={index} class="label" x={xOf(index)} y={HEIGHT - 8 + COUNTS} text-anchor="middle">
          {formatNumber(count, { notation: 'compact' })}
        </text>
      ))}
      {form === 'line'
        ? series.map(({ name, values, tone }, at) => (
            <g key={name} class={`series ${toneOf(tone, at)}`}>
              <path d={pathOf(values, xOf, yOf)} />
            </g>
          ))
        : null}
      {points.map((point) => {
        const name = series.length === 1 ? '' : `, ${series[point.at]?.name}`;
        const said = `${labels[point.index]}${name}: ${format(point.value)}`;
        return (
          <g key={nameOf(point)} class={`series ${toneOf(series[point.at]?.tone, point.at)}`}>
            {hrefOf === undefined ? (
              <g>
                <title>{said}</title>
                {mark(point)}
              </g>
            ) : (
              <a
                href={hrefOf(point.index, point.at)}
                aria-label={said}
                tabindex={nameOf(point) === tabStop ? 0 : -1}
                onFocus={() => {
                  current.value = nameOf(point);
                }}
              >
                <title>{said}</title>
                {mark(point)}
              </a>
            )}
          </g>
        );
      })}
    </>
  );
};

const toneOf = (tone: Series['tone'], at: number): string =>
  tone === undefined ? `series-${at}` : `tone-${tone}`;

interface Point {
  /** Index of the label. */
  index: number;
  /** Index of the series. */
  at: number;
  value: number;
}

const nameOf = ({ index, at }: Point): string => `${index}/${at}`;

const formatOf =
  ({ format, unit }: Pick<ChartProps, 'format' | 'unit'>) =>
  (value: number): string =>
    format?.(value) ?? `${formatNumber(value)}${unit === undefined ? '' : ` ${unit}`}`;

const Data = ({
  title,
  label,
  labels,
  series,
  counts,
  format = formatNumber,
  hrefOf,
}: ChartProps) => (
  <details>
    <summary>{t('chart.data')}</summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
    <section class="scrolls table" tabIndex={0} aria-label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{label}</th>
            {counts === undefined ? null : (
              <th scope="col" class="right">
                {counts.name}
              </th>
            )}
            {series.map(({ name }) => (
              <th key={name} scope="col" class="right">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((text, index) => (
            <tr key={index}>
              <th scope="row">{text}</th>
              {counts === undefined ? null : (
                <td class="right">{formatNumber(counts.values[index] ?? 0)}</td>
              )}
              {series.map(({ name, values }, at) => {
                const value = values[index];
                const said = value == null ? '–' : format(value);
                return (
                  <td key={name} class="right">
                    {hrefOf === undefined || value == null || value === 0 ? (
                      said
                    ) : (
                      <a href={hrefOf(index, at)} aria-label={`${text}, ${name}: ${said}`}>
                        {said}
                      </a>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </details>
);

interface Scale {
  /** How far up a value is, 0 to 1. */
  shareOf: (value: number) => number;
  ticks: readonly number[];
}

/** Round numbers that hold all values, and zero; whole ones for whole values. */
const linearScale = (values: readonly number[]): Scale => {
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const rough = (most - least || 1) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const isWhole = values.every(Number.isInteger);
  const steps = [1, 2, 2.5, 5, 10]
    .map((each) => each * power)
    .filter((each) => !isWhole || Number.isInteger(each));
  const step = steps.find((each) => each >= rough) ?? Math.max(10 * power, 1);
  const low = Math.floor(least / step) * step;
  const high = Math.max(Math.ceil(most / step) * step, low + step);
  const ticks = Array.from(
    { length: Math.round((high - low) / step) + 1 },
    (_, at) => low + at * step,
  );
  return { shareOf: (value) => (value - low) / (high - low), ticks };
};

/** Powers of ten that hold all values. */
const logScale = (values: readonly number[]): Scale => {
  const logs = values.map((value) => Math.log10(Math.max(value, 1)));
  const low = Math.floor(Math.min(...logs, 3));
  const high = Math.max(Math.ceil(Math.max(...logs, 0)), low + 1);
  const ticks = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));
  return { shareOf: (value) => (Math.log10(Math.max(value, 1)) - low) / (high - low), ticks };
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
