import { runsOutsideCode } from '../language/outside-code.ts';
import { unclosedComment, withoutComments } from './author-comments.ts';
import { withComponents } from './block-components.ts';
import { bracketTagsIn, readBracketTags, withBracketCode } from './bracket-tags.ts';
import type { Container } from './containers.ts';
import { withoutDocfx } from './docfx.ts';
import { withMath } from './dollar-formulas.ts';
import { type OpenHtml, withoutIndents } from './html-lines.ts';
import { readIndented, withLoneDefinitions } from './indented-blocks.ts';
import { maskIndentedCode } from './indented-code.ts';
import { jsxStateOf, readJsx } from './jsx.ts';
import { readLines } from './mark-lines.ts';
import { readModule } from './mdx-module.ts';
import { withCallouts, withNotices } from './note-lines.ts';
import { collectOmissions, type Omissions, unknownValues } from './omissions.ts';
import { RAW_CLOSE, RAW_OPEN, withFences, withoutRaw } from './protected-code.ts';
import { withReadmeBlocks } from './readme-blocks.ts';
import { withCellsWhole, withGrids } from './table-lines.ts';
import { readTemplates, type TemplateState } from './templates.ts';

interface DialectOptions {
  isMdx: boolean;
  /** Collects what is left out. */
  omissions?: Omissions | undefined;
}

interface PlainMarkdown {
  /** Markdown with HTML, as CommonMark and GFM have it. */
  text: string;
  warnings: string[];
}

/**
 * Turns what site generators and note programs add to Markdown into Markdown with HTML: comments, ids, containers and tabs of Docusaurus,
 * VitePress, Starlight, MkDocs, MyST and GitBook, template tags of Liquid, Jinja and Hugo, components of MDX, links of Obsidian. Fenced
 * code and code spans stay. Every expression is bounded, so that the time is linear in the text.
 */
export function readDialects(
  markdown: string,
  { isMdx, omissions = collectOmissions() }: DialectOptions,
): PlainMarkdown {
  const warnings: string[] = [];
  const unclosed = unclosedComment(markdown);
  if (unclosed) warnings.push('A comment that is never closed hides the rest of the article');
  const raw = withFences(withComponents(withReadmeBlocks(withoutRaw(markdown))));
  const code = isMdx ? undefined : maskIndentedCode(raw);
  const fencedText = withMath(code === undefined ? raw : withBracketCode(code.text));
  const plain = runsOutsideCode(fencedText, (lines) =>
    withGrids(withCallouts(withoutDocfx(lines, omissions))),
  );
  const text = readIndented(withLoneDefinitions(plain.split('\n')), 0).join('\n');
  const templates: TemplateState = {
    unknown: 0,
    isTemplate: /\{%-?\s|\{\{[<%]/.test(text),
    omissions,
  };
  const brackets = bracketTagsIn(text);
  const jsx = jsxStateOf(text, omissions);
  const values = new Map<string, string>();
  const hasComponents = isMdx || COMPONENT_SIGN.test(text);
  const open: Container[] = [];
  const html: OpenHtml = { depth: 0, tables: 0, isPre: false };
  const result = runsOutsideCode(text, (run) => {
    let lines = isMdx ? run : withNotices(run);
    if (isMdx) lines = readModule(lines, values, omissions);
    let part = withoutComments(lines.join('\n'), { isMdx, omissions });
    if (part.includes('{')) part = readTemplates(part, templates);
    if (!isMdx && part.includes(']')) part = readBracketTags(part, brackets, templates);
    lines = withCellsWhole(part.split('\n'));
    if (!isMdx) lines = withoutIndents(lines, html);
    part = readLines(lines, { open, isMdx, omissions }).join('\n');
    if (hasComponents) part = readJsx(part, { hasExpressions: isMdx, values }, jsx);
    return part.split('\n');
  });
  warnings.push(...unknownValues(templates.unknown + jsx.unknown));
  const unmaskedText = code?.unmask(result) ?? result;
  return { text: unmaskedText.replaceAll(RAW_OPEN, '{').replaceAll(RAW_CLOSE, '}'), warnings };
}

/** A component, a value of JSX, or HTML that holds Markdown. */
const COMPONENT_SIGN =
  /<\/?[A-Z]|<[a-z]\w{0,20}\s[^<>\n]{0,300}=\{|\smarkdown(?:="?(?:1|block|span)"?)?[\s>]/;
