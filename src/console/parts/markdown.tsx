import { signal } from '@preact/signals';
import type { Lexer, Token, Tokens } from 'marked';
import { Component, type ComponentChildren, type JSX } from 'preact';
import { safeUrl } from './source-link.tsx';

/** Longer texts are shown as they are: no answer is that long. */
const MAX_LENGTH = 32_000;

const loaded = signal<typeof Lexer | undefined>(undefined);

/** Loads the parser, which the first view does without: texts are shown as they are until it is there. */
export const loadMarkdown = async (): Promise<void> => {
  const { Lexer: lexer } = await import('marked');
  loaded.value = lexer;
};

interface MarkdownProps {
  text: string;
  /** Levels by which its headings are higher than usual, below a heading of the page: `##` is an `h4` unless raised. */
  raisedBy?: number;
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
    const { text, raisedBy = 0 } = this.props;
    if (loaded.value === undefined) void loadMarkdown().catch(() => undefined);
    if (loaded.value === undefined || this.state.hasFailed || text.length > MAX_LENGTH)
      return <div class="prose plain">{text}</div>;
    return <div class="prose">{blocks(raised(tokensOf(text, loaded.value), raisedBy))}</div>;
  }
}

/** Headings of the text that stand in no list or quote, by some levels higher. */
const raised = (tokens: readonly Token[], by: number): readonly Token[] =>
  by === 0
    ? tokens
    : tokens.map((token) => (token.type === 'heading' ? { ...token, depth: Math.max(token.depth - by, 0) } : token));

/** A text of hostile depth exhausts the stack of the lexer. */
const tokensOf = (text: string, Parser: typeof Lexer): Token[] => {
  try {
    return new Parser({ gfm: true }).lex(text);
  } catch {
    return [{ type: 'text', raw: text, text }];
  }
};

const blocks = (tokens: readonly Token[]): ComponentChildren => tokens.map((token) => block(token as Tokens.Generic));

const block = (token: Tokens.Generic): ComponentChildren => {
  switch (token.type) {
    case 'heading': {
      const Heading = `h${Math.min(token.depth + 2, 6)}` as 'h3'; // the page and its sections have the higher ones
      return <Heading>{inlines(token.tokens)}</Heading>;
    }
    case 'paragraph':
      return <p>{inlines(token.tokens)}</p>;
    case 'text':
      return token.tokens === undefined ? decoded(token.text) : inlines(token.tokens);
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        <pre tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{blocks(token.tokens ?? [])}</blockquote>;
    case 'list': {
      const items = (token as Tokens.List).items.map((item) => (
        <li>{item.loose ? blocks(item.tokens) : item.tokens.map((each) => block(each as Tokens.Generic))}</li>
      ));
      return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return table(token as Tokens.Table);
    case 'hr':
      return <hr />;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'space':
    case 'def':
      return null;
    default:
      return token.raw;
  }
};

const table = ({ header, rows }: Tokens.Table): JSX.Element => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
  <div class="scrolls" tabIndex={0}>
    <table>
      <thead>
        <tr>
          {header.map((cell) => (
            <th scope="col" class={cell.align ?? undefined}>
              {inlines(cell.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {row.map((cell) => (
              <td class={cell.align ?? undefined}>{inlines(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const inlines = (tokens: readonly Token[] = []): ComponentChildren =>
  tokens.map((token) => inline(token as Tokens.Generic));

const inline = (token: Tokens.Generic): ComponentChildren => {
  switch (token.type) {
    case 'strong':
      return <strong>{inlines(token.tokens)}</strong>;
    case 'em':
      return <em>{inlines(token.tokens)}</em>;
    case 'del':
      return <del>{inlines(token.tokens)}</del>;
    case 'codespan':
      return <code>{decoded(token.text)}</code>;
    case 'br':
      return <br />;
    case 'link': {
      const url = safeUrl(decoded(token.href));
      const text = inlines(token.tokens);
      return url === undefined ? (
        text
      ) : (
        <a href={url} rel="noreferrer noopener" target="_blank">
          {text}
        </a>
      );
    }
    // A remote image would report to its host that and what was read.
    case 'image':
      return token.text === '' ? decoded(token.title ?? '') : decoded(token.text);
    case 'escape':
      return decoded(token.text);
    case 'text':
      return token.tokens === undefined ? decoded(token.text) : inlines(token.tokens);
    default:
      return token.raw;
  }
};

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: '\u00a0',
};

const decoded = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (entity, name: string) => ENTITIES[name] ?? entity);
