import { attributesIn } from './tag-attributes.ts';

/** Stand for the braces of what template tags protect: characters that no text has. */
export const RAW_OPEN = '\ufdd0';

export const RAW_CLOSE = '\ufdd1';

const RAW_TAG =
  /^[ \t]{0,40}\{%-?\s{0,9}(end)?(?:raw|verbatim)\s{0,9}-?%\}[ \t]{0,40}\n|\{%-?\s{0,9}(end)?(?:raw|verbatim)\s{0,9}-?%\}/gm;

/** Without the template tags that only protect what they enclose, in code too; its braces are text. */
export function withoutRaw(text: string): string {
  if (!text.includes('{%')) return text;
  let out = '';
  let from = 0;
  let isRaw = false;
  const tags = [...text.matchAll(RAW_TAG)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    isEnd: (match[1] ?? match[2]) !== undefined,
  }));
  const last = tags.findLastIndex(({ isEnd }) => isEnd);
  for (const [at, { start, end, isEnd }] of tags.entries()) {
    // What is protected may name the tag itself; a tag without its other one protects nothing.
    if (isEnd !== isRaw || at > last) continue;
    const part = text.slice(from, start);
    out += isRaw ? part.replaceAll('{', RAW_OPEN).replaceAll('}', RAW_CLOSE) : part;
    isRaw = !isEnd;
    from = end;
  }
  return out + text.slice(from);
}

/** Code between template tags (`{% highlight ruby %}`, `{{< highlight go >}}`) as fenced code. */
export function withFences(text: string): string {
  const fenced = /highlight|codeblock/.test(text)
    ? text.replace(HIGHLIGHT, (_, indent, language = '') => `${indent}\`\`\`${language}`)
    : text;
  return withDiagrams(
    fenced.includes('{{< code') ? fenced.replace(CODE_SHORTCODE, codeOfShortcode) : fenced,
  );
}

const HIGHLIGHT =
  /^([ \t]{0,40})\{(?:%-?|\{[<%])[ \t]{0,9}(?:(?:highlight|codeblock)(?:[ \t]{1,9}(?:lang:)?([\w+#.-]{1,40})[^\n%>]{0,200}|[ \t]{0,9})|(?:end|\/[ \t]{0,9})(?:highlight|codeblock)[ \t]{0,9})(?:-?%\}|[>%]\}\})[ \t]{0,40}$/gm;

/** Shortcodes that are named after code and enclose text: `{{< code-toggle file=hugo >}}`. */
const CODE_SHORTCODE =
  /^([ \t]{0,40})\{\{< (code[\w-]{0,40})((?:\s[^\n>]{0,300})?)(?<!\/)>\}\}[ \t]*\n((?:(?!.*\{\{<).*\n){1,500}?)[ \t]{0,40}\{\{<[ \t]{0,9}\/[ \t]{0,9}\2[ \t]{0,9}>\}\}[ \t]*$/gm;

function codeOfShortcode(
  all: string,
  indent: string,
  _name: string,
  given: string,
  code: string,
): string {
  // Others hold code that is fenced already.
  if (/^[ \t]*(?:`{3}|~{3})/m.test(code)) return all;
  const { named } = attributesIn(given);
  const language =
    named.get('lang') ??
    named.get('language') ??
    /\.(\w+)$/.exec(named.get('file') ?? '')?.[1] ??
    '';
  return `${indent}\`\`\`${language}\n${code}${indent}\`\`\``;
}

/** `::: mermaid` of Azure DevOps as fenced code. */
const withDiagrams = (text: string): string =>
  text.includes(':::')
    ? text.replace(
        /^(:{3,9})[ \t]{0,9}(mermaid|plantuml)[ \t]{0,9}\n((?:(?!:::).*\n){1,500})\1[ \t]{0,9}$/gm,
        (_, _mark, language: string, code: string) => `\`\`\`${language}\n${code}\`\`\``,
      )
    : text;
