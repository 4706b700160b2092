import { signal } from '@preact/signals';
import { Component, type ComponentChildren, createElement } from 'preact';
import type { MarkdownNode, readMarkdown } from '../../../documents/markdown/markdown-tree.ts';
import { markWords } from './matched-words.ts';

/** Longer texts are shown as they are: no answer is that long. */
const MAX_LENGTH = 32_000;

const parser = signal<typeof readMarkdown | undefined>(undefined);

/** Loads the parser, which the first view does without: texts are shown as they are until it is there. */
export async function loadMarkdown(): Promise<void> {
  const { readMarkdown: parse } = await import('../../../documents/markdown/markdown-tree.ts');
  parser.value = parse;
}

interface MarkdownProps {
  text: string;
  /** Levels by which its headings are higher than usual, below a heading of the page: `##` is an `h4` unless raised. */
  raisedBy?: number;
  /** Words to be marked, in any of their forms. */
  marked?: readonly string[];
}

/**
 * Markdown as elements. Nothing in it becomes HTML: tags are shown as text, images as their description, links with other schemes than
 * http, https and mailto as their text. What cannot be parsed is shown as it is.
 */
export class Markdown extends Component<MarkdownProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static override getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidUpdate({ text }: MarkdownProps) {
    if (this.state.hasFailed && text !== this.props.text) this.setState({ hasFailed: false });
  }

  override render() {
    const { text, raisedBy = 0, marked = [] } = this.props;
    if (parser.value === undefined) void loadMarkdown().catch(() => undefined);
    if (parser.value === undefined || this.state.hasFailed || text.length > MAX_LENGTH)
      return <div class="prose plain">{text}</div>;
    return (
      <div class="prose">
        {raised(parser.value(text), raisedBy).map((node) => element(node, marked))}
      </div>
    );
  }
}

/** Headings of the text that stand in no list or quote, by some levels higher. */
const raised = (nodes: readonly MarkdownNode[], by: number): readonly MarkdownNode[] =>
  nodes.map((node) =>
    levelOf(node) > 0 ? { ...node, tag: `h${Math.max(levelOf(node) - by, 0)}` } : node,
  );

const levelOf = ({ tag }: MarkdownNode): number => Number(/^h(\d)$/.exec(tag)?.[1] ?? 0);

const element = (node: MarkdownNode, marked: readonly string[]): ComponentChildren => {
  const { tag, text, url, start, align } = node;
  const children = node.children.map((child) => element(child, marked));
  switch (tag) {
    case '':
      return marked.length === 0 ? text : withMarks(text, marked);
    // A remote image would report to its host that and what was read.
    case 'img':
      return text;
    case 'code':
      return <code>{text}</code>;
    case 'pre':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        <pre tabIndex={0}>
          <code>{text}</code>
        </pre>
      );
    case 'a':
      return (
        <a href={url} rel="noreferrer noopener" target="_blank">
          {children}
        </a>
      );
    case 'ol':
      return <ol start={start}>{children}</ol>;
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        <div class="scrolls" tabIndex={0}>
          <table>{children}</table>
        </div>
      );
    case 'th':
      return (
        <th scope="col" class={align}>
          {children}
        </th>
      );
    case 'td':
      return <td class={align}>{children}</td>;
    default:
      return createElement(elementName(node), null, children);
  }
};

const withMarks = (text: string, marked: readonly string[]): ComponentChildren =>
  markWords(text, marked).map(({ text: part, isMarked }) =>
    isMarked ? <mark>{part}</mark> : part,
  );

/** The page and its sections have the higher headings. */
const elementName = (node: MarkdownNode): string =>
  /^h\d$/.test(node.tag) ? `h${Math.min(levelOf(node) + 2, 6)}` : node.tag;
