import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { unstable_readConfig } from 'wrangler';
import { functionConfigs, ROOT } from './functions.ts';
import { bundleModules } from './local-cloud.ts';

/** What one function may weigh, compressed: 120 KiB. */
export const MAX_GZIP_BYTES = 120 * 1024;
/** Who counts tokens carries a vocabulary too, which is read on first need: 500 KiB. */
const COUNTING = new Set(['constellation-memory']);
const VOCABULARY_BYTES = 500 * 1024;

/**
 * The support desk sorts, searches, quotes, checks and drafts for one ticket: each of these alone fits, and in functions of their own
 * every ticket would pay for signed calls between them. Of its 181 KiB zod and hono are 43 (6 of them zod's JSON Schema, which nothing
 * here asks for and no bundler drops), search and its checks (also of models' drafts) 55, drafts with their check of promises 28, intents
 * 10, what a message says and guidance 10, gaps, masking and Markdown 4 each.
 */
const LARGER: Readonly<Record<string, number>> = { 'constellation-support': 185 * 1024 };

export const maxGzipBytesOf = (name: string): number =>
  LARGER[name] ?? (COUNTING.has(name) ? MAX_GZIP_BYTES + VOCABULARY_BYTES : MAX_GZIP_BYTES);

export interface FunctionSize {
  name: string;
  bytes: number;
  gzipBytes: number;
  /** Of binary files beside the code: the table of word vectors. */
  dataGzipBytes: number;
}

/** The size of every function as it is uploaded: bundled, and minified where its configuration says so. */
export const functionSizes = async (): Promise<FunctionSize[]> =>
  Promise.all(
    functionConfigs().map(async (file) => {
      const { name, main, minify } = unstable_readConfig({ config: join(ROOT, file) });
      const [code, ...data] = await bundleModules(main ?? '', { minify: minify === true });
      const bytes = Buffer.from(code?.contents ?? '');
      return {
        ...{ name: name ?? file, bytes: bytes.byteLength, gzipBytes: gzipSync(bytes).byteLength },
        dataGzipBytes: data.reduce((sum, { contents }) => sum + gzipSync(contents).byteLength, 0),
      };
    }),
  );

export const benchSize = async (): Promise<void> => {
  console.log('Size of each function, bundled for deployment');
  console.table(
    (await functionSizes()).map(({ name, bytes, gzipBytes, dataGzipBytes }) => ({
      function: name,
      KiB: (bytes / 1024).toFixed(1),
      'KiB gzip': (gzipBytes / 1024).toFixed(1),
      'data, KiB gzip': (dataGzipBytes / 1024).toFixed(1),
      limit: maxGzipBytesOf(name) / 1024,
    })),
  );
};
