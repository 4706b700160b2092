import { runsOutsideCode } from '../language/outside-code.ts';
import type { Omissions } from './omissions.ts';
import { literalOf } from './tag-attributes.ts';

/** The statements of a module that MDX begins with, and the constants that it exports. */
export function readModule(
  lines: readonly string[],
  values: Map<string, string>,
  omissions: Omissions,
): string[] {
  const out: string[] = [];
  let isCode = false;
  let isScript = false;
  /** The constant whose members are being read. */
  let object: string | undefined;
  for (const line of lines) {
    // Scripts of a page are dropped with what they hold.
    if (/^<(?:script|style)[\s>]/i.test(line)) isScript = true;
    if (isScript) {
      out.push(line);
      isScript = !/<\/(?:script|style)\s*>/i.test(line);
      continue;
    }
    if (!isCode && MODULE_LINE.test(line)) {
      isCode = true;
      omissions.add('code', () => line);
    }
    if (!isCode) {
      out.push(line);
      continue;
    }
    object = readConstants(line, object, values);
    // A statement ends at an empty line.
    if (line.trim() === '') {
      isCode = false;
      object = undefined;
      out.push('');
    }
  }
  return out;
}

const CONSTANT =
  /(?:^export\s+(?:const|let|var)\s+|,\s*)(\w{1,80})\s*=\s*('[^']{0,500}'|"[^"]{0,500}"|`[^`$]{0,500}`|-?\d[\d.]*)\s*(?=[,;]|$)/g;

const MEMBER =
  /(?:^|[{,])\s*['"]?([\w-]{1,80})['"]?\s*:\s*('[^']{0,500}'|"[^"]{0,500}"|`[^`$]{0,500}`|-?\d[\d.]*)\s*(?=[,}]|$)/g;

/** Literals that a line exports: `export const days = 30, port = '80'`, and members of an object, until it ends. */
function readConstants(
  line: string,
  open: string | undefined,
  values: Map<string, string>,
): string | undefined {
  if (line.length > 2000) return open;
  const set = (name: string, code: string): void => {
    const value = literalOf(code);
    if (value !== undefined) values.set(name, value);
  };
  const [, opened] = /^export\s+(?:const|let|var)\s+(\w{1,80})\s*=\s*\{/.exec(line) ?? [];
  const object = opened ?? open;
  if (object !== undefined) {
    for (const [, name = '', code = ''] of line.slice(line.indexOf('{') + 1 || 0).matchAll(MEMBER))
      set(`${object}.${name}`, code);
    return /\}\s*;?\s*$/.test(line) ? undefined : object;
  }
  if (line.startsWith('export'))
    for (const [, name = '', code = ''] of line.matchAll(CONSTANT)) set(name, code);
  return undefined;
}

const MODULE_LINE =
  /^(?:import\s+(?:[\w{*'"]|type\b)|export\s+(?:default|const|let|var|function|async|class|type|interface|\{|\*))/;

export function hasModule(text: string): boolean {
  if (!/^(?:import|export)\s|\{\/\*/m.test(text)) return false;
  let isModule = false;
  let isScript = false;
  runsOutsideCode(text, (lines) => {
    for (const line of lines) {
      isScript ||= /^<script[\s>]/i.test(line);
      isModule ||=
        !isScript &&
        /^import\s+.{1,300}\s+from\s+['"]|^export\s+(?:const|default)\s|\{\/\*/.test(line);
      isScript &&= !/<\/script\s*>/i.test(line);
    }
    return lines;
  });
  return isModule;
}
