import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ts } from '@ts-morph/common';
import { build, type Plugin } from 'esbuild';
import { ROOT } from '../../tools/functions.ts';

/** A call of a function while a request is answered. */
export interface TracedCall {
  /** Id of the deployed function: `navigator`. */
  deployed: string;
  /** Path of the request that the deployed function answers. */
  path: string;
  file: string;
  /** The called function; for one without a name, the named one around it. */
  name: string;
}

const MARK = 'traced call ';

/** The call that a line of the log names. */
export function tracedCall(line: string): TracedCall | undefined {
  return line.startsWith(MARK) ? (JSON.parse(line.slice(MARK.length)) as TracedCall) : undefined;
}

/**
 * Bundles a deployed function whose code logs the first call of each of its functions in every request.
 *
 * @returns The path of the bundle in `folder`, for `mains` of `startProduct`.
 */
export async function bundleTraced(deployed: string, folder: string): Promise<string> {
  const entry = join(ROOT, 'functions', deployed, 'index.ts');
  const main = join(folder, `${deployed}.ts`);
  const outfile = join(folder, `${deployed}.mjs`);
  writeFileSync(main, mainOf(deployed, entry));
  await build({
    entryPoints: [main],
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*', '*.bin'],
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'silent',
    plugins: [tracing],
  });
  return outfile;
}

const mainOf = (deployed: string, entry: string): string => `
let request = '';
let calls = new Set();
globalThis.traceCall = (file, name) => {
  const call = JSON.stringify({ deployed: ${JSON.stringify(deployed)}, path: request, file, name });
  if (calls.has(call)) return;
  calls.add(call);
  console.log(${JSON.stringify(MARK)} + call);
};
export * from ${JSON.stringify(entry)};
import app from ${JSON.stringify(entry)};
export default {
  ...app,
  fetch(incoming, env, execution) {
    request = new URL(incoming.url).pathname;
    calls = new Set();
    return app.fetch(incoming, env, execution);
  },
};
`;

const tracing: Plugin = {
  name: 'trace calls',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /\.bin$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      external: true,
    }));
    onLoad({ filter: /\/(?:src|functions)\/.*\.ts$/ }, ({ path }) => {
      if (!path.startsWith(ROOT) || path.includes('node_modules')) return;
      return {
        contents: withTraces(relative(ROOT, path), readFileSync(path, 'utf8')),
        loader: 'ts',
      };
    });
  },
};

/** The code with a call of `traceCall` at the beginning of each function. */
function withTraces(file: string, code: string): string {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const insertions: { at: number; text: string }[] = [];
  const visit = (node: ts.Node, outer: string): void => {
    const body =
      ts.isFunctionLike(node) && 'body' in node ? (node.body as ts.Node | undefined) : undefined;
    const name = body === undefined ? outer : (nameOf(node) ?? outer);
    if (body !== undefined) {
      const trace = `globalThis.traceCall?.(${JSON.stringify(file)}, ${JSON.stringify(name)})`;
      if (ts.isBlock(body)) insertions.push({ at: body.getStart() + 1, text: `${trace};` });
      else
        insertions.push(
          { at: body.getStart(), text: `(${trace}, ` },
          { at: body.getEnd(), text: ')' },
        );
    }
    node.forEachChild((child) => visit(child, name));
  };
  visit(source, '');
  return insertions
    .sort((left, right) => right.at - left.at)
    .reduce((text, { at, text: added }) => `${text.slice(0, at)}${added}${text.slice(at)}`, code);
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return node.name?.getText();
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)
    ? parent.name.getText()
    : undefined;
}
