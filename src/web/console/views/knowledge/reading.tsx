import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ArticleText, Omission } from '../../../../contract/wire/host-article.ts';
import { Button, CopyButton } from '../../parts/button.tsx';
import { loadMarkdown, Markdown } from '../../parts/markdown.tsx';
import { count, t } from '../../texts/texts.ts';
import {
  type Outline,
  outlineOf,
  type SourceLine,
  sourceLines,
  WORD,
  wordsOf,
} from './source-lines.ts';

/** A passage of the text of an article, in UTF-16 units. */
export interface PassagePlace {
  start: number;
  end: number;
}

interface ReadingProps {
  title: string;
  /** As its source has it. */
  content: string;
  read: ArticleText;
  passage: PassagePlace | undefined;
}

/** An article as answers see it, beside its source, with what was left out and why. */
export function Reading({ title, content, read, passage }: ReadingProps) {
  const { text, left_out: leftOut, warnings = [] } = read;
  const lines = useMemo(
    () => sourceLines(content, { title, text, leftOut: leftOut ?? [] }),
    [content, title, read],
  );
  const outline = useMemo(() => outlineOf(text), [text]);
  const source = useRef<HTMLOListElement>(null);
  const showLine = (at: number): void => {
    const line = source.current?.querySelector<HTMLElement>(`[data-line="${at + 1}"]`);
    line?.scrollIntoView({ block: 'center' });
    line?.focus({ preventScroll: true });
  };
  return (
    <>
      <LeftOut leftOut={leftOut} warnings={warnings} lines={lines} showLine={showLine} />
      <div class="reading">
        <Rendered text={text} outline={outline} passage={passage} />
        <Source lines={lines} list={source} content={content} />
      </div>
    </>
  );
}

interface LeftOutProps {
  leftOut: readonly Omission[] | undefined;
  warnings: readonly string[];
  lines: readonly SourceLine[];
  showLine: (at: number) => void;
}

const LeftOut = ({ leftOut, warnings, lines, showLine }: LeftOutProps) => {
  const firstOf = (fate: SourceLine['fate']): number =>
    lines.findIndex((line) => line.fate === fate);
  const unread = lines.filter(({ fate }) => fate === 'unread').length;
  const link = (fate: SourceLine['fate']): ComponentChildren => {
    const at = firstOf(fate);
    return at < 0 ? null : (
      <Button kind="quiet" onClick={() => showLine(at)}>
        {t('knowledge.line', { number: at + 1 })}
      </Button>
    );
  };
  const isWhole = leftOut?.length === 0 && unread === 0 && warnings.length === 0;
  return (
    <section aria-labelledby="left-out">
      <h2 id="left-out">{t('knowledge.left_out')}</h2>
      {leftOut === undefined ? <p class="quiet small">{t('knowledge.left_out_unknown')}</p> : null}
      {isWhole ? <p class="quiet small">{t('knowledge.left_out_nothing')}</p> : null}
      <ul class="left-out">
        {(leftOut ?? []).map(({ kind, count: number, samples }) => (
          <li key={kind}>
            <p>
              <span class="pill">{count('knowledge.parts', number)}</span>{' '}
              {t(`knowledge.omission_${kind}`)} {link(kind)}
            </p>
            {samples.length === 0 ? null : (
              <p class="quiet small samples">
                {samples.slice(0, MAX_SAMPLES).map((sample) => (
                  <q key={sample}>{sample}</q>
                ))}
              </p>
            )}
          </li>
        ))}
        {unread === 0 ? null : (
          <li>
            <p>
              <span class="pill">{count('knowledge.lines', unread)}</span> {t('knowledge.unread')}{' '}
              {link('unread')}
            </p>
          </li>
        )}
        {warnings.map((warning) => (
          <li key={warning}>
            <p lang="en">{warning}</p>
          </li>
        ))}
      </ul>
    </section>
  );
};

const MAX_SAMPLES = 3;

interface RenderedProps {
  text: string;
  outline: Outline;
  passage: PassagePlace | undefined;
}

const Rendered = ({ text, outline, passage }: RenderedProps) => {
  const shown = useRef<HTMLDivElement>(null);
  const isFound = useSignal<boolean | undefined>(undefined);
  const { start, end } = passage ?? {};
  useEffect(() => {
    if (start === undefined || end === undefined) return undefined;
    let isOver = false;
    const mark = async (): Promise<void> => {
      await loadMarkdown().catch(() => undefined);
      // What is loaded is shown in the next frame.
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      if (!isOver && shown.current !== null)
        isFound.value = markPassage(shown.current, text, { start, end });
    };
    void mark();
    return () => {
      isOver = true;
      unmarkPassage();
    };
  }, [text, start, end]);
  const { parts, sections, tables, codeBlocks } = outline;
  const named = parts.filter(({ heading }) => heading !== '');
  return (
    <section aria-labelledby="as-read">
      <div class="row between">
        <h2 id="as-read">{t('knowledge.as_read')}</h2>
        <CopyButton text={() => text}>{t('copy')}</CopyButton>
      </div>
      <p class="quiet small">
        {[
          count('knowledge.sections', sections),
          ...(tables === 0 ? [] : [count('knowledge.tables', tables)]),
          ...(codeBlocks === 0 ? [] : [count('knowledge.code_blocks', codeBlocks)]),
        ].join(' · ')}
      </p>
      {named.length < 2 ? null : (
        <details class="contents">
          <summary>{t('knowledge.contents')}</summary>
          <ul>
            {named.map(({ id, heading }) => (
              <li key={id}>
                <a href={`#${id}`}>{heading}</a>
              </li>
            ))}
          </ul>
        </details>
      )}
      <p class="small" role="status">
        {isFound.value === undefined
          ? ''
          : t(isFound.value ? 'knowledge.passage_marked' : 'knowledge.passage_missing')}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <div class="panel pane" ref={shown} tabIndex={0}>
        {parts.map((part) => (
          <div key={part.id} id={part.id}>
            <Markdown text={part.text} raisedBy={1} />
          </div>
        ))}
      </div>
    </section>
  );
};

/** More lines are shown when they are wanted. */
const MAX_LINES = 2000;

interface SourceProps {
  lines: readonly SourceLine[];
  list: { current: HTMLOListElement | null };
  content: string;
}

const Source = ({ lines, list, content }: SourceProps) => {
  const isWhole = useSignal(lines.length <= MAX_LINES);
  const shown = isWhole.value ? lines : lines.slice(0, MAX_LINES);
  return (
    <section aria-labelledby="as-written">
      <div class="row between">
        <h2 id="as-written">{t('knowledge.as_written')}</h2>
        <CopyButton text={() => content}>{t('copy')}</CopyButton>
      </div>
      <p class="quiet small">{t('knowledge.as_written_text')}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <div class="panel pane" tabIndex={0}>
        <ol class="source-lines" ref={list}>
          {shown.map(({ text, fate }, at) => (
            <li
              key={at}
              data-line={at + 1}
              class={isLeftOut(fate) ? 'left' : undefined}
              tabIndex={-1}
            >
              <code>{text === '' ? '\u00a0' : text}</code>
              {isLeftOut(fate) && fate !== lines[at - 1]?.fate ? (
                <span class="why">{reasonOf(fate)}</span>
              ) : null}
            </li>
          ))}
        </ol>
        {isWhole.value ? null : (
          <Button onClick={() => (isWhole.value = true)}>
            {count('knowledge.all_lines', lines.length)}
          </Button>
        )}
      </div>
    </section>
  );
};

const isLeftOut = (
  fate: SourceLine['fate'],
): fate is Exclude<SourceLine['fate'], 'read' | 'blank'> => fate !== 'read' && fate !== 'blank';

const reasonOf = (fate: Exclude<SourceLine['fate'], 'read' | 'blank'>): string =>
  fate === 'fields' || fate === 'unread'
    ? t(`knowledge.fate_${fate}`)
    : t(`knowledge.omission_${fate}`);

/** A name of the marks of the page (CSS Custom Highlight API). */
const MARK = 'passage';

/**
 * Marks the passage of a text from `start` to `end` where it is shown, and scrolls there.
 *
 * @returns Whether it was found among what is shown.
 */
function markPassage(
  shown: HTMLElement,
  text: string,
  { start, end }: { start: number; end: number },
): boolean {
  const quote = shownWords(text.slice(start, end));
  const before = shownWords(text.slice(0, start)).length;
  const range = quote.length === 0 ? undefined : closestRange(shown, quote, before);
  if (range === undefined) return false;
  // Older browsers only scroll there.
  if (globalThis.CSS?.highlights !== undefined) CSS.highlights.set(MARK, new Highlight(range));
  const { startContainer } = range;
  const at = startContainer instanceof Element ? startContainer : startContainer.parentElement;
  at?.scrollIntoView({ block: 'center' });
  return true;
}

function unmarkPassage(): void {
  globalThis.CSS?.highlights?.delete(MARK);
}

/** Without the marks of lists, and the names of languages behind fences, which are no text on the page. */
const shownWords = (markdown: string): string[] =>
  wordsOf(
    markdown
      .replace(/^[ \t]*(?:`{3,}|~{3,}).*$/gm, ' ')
      .replace(/^(?:[ \t>]|[-*+] )*\d{1,9}[.)] /gm, ' '),
  );

interface Place {
  node: Text;
  start: number;
  end: number;
}

/** Finds these words one after the other, as close as may be to the words before them in the text. */
const closestRange = (
  shown: HTMLElement,
  quote: readonly string[],
  before: number,
): Range | undefined => {
  const words: string[] = [];
  const places: Place[] = [];
  const walker = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue;
    for (const { 0: word, index } of node.data.matchAll(WORD)) {
      words.push(word.toLowerCase());
      places.push({ node, start: index, end: index + word.length });
    }
  }
  let best = -1;
  for (let at = 0; at + quote.length <= words.length; at += 1) {
    const isNearer = best < 0 || Math.abs(at - before) < Math.abs(best - before);
    if (isNearer && quote.every((word, place) => words[at + place] === word)) best = at;
  }
  const first = places[best];
  const last = places[best + quote.length - 1];
  if (best < 0 || first === undefined || last === undefined) return undefined;
  const range = document.createRange();
  range.setStart(first.node, first.start);
  range.setEnd(last.node, last.end);
  return range;
};
