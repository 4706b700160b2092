import type { FolderOptions } from '../src/documents/node/folder/scan-folder.ts';

/** Options of the commands that read a folder, for `readCommandLine`. */
export const FOLDER_OPTIONS = {
  include: { type: 'string', multiple: true },
  exclude: { type: 'string', multiple: true },
  'public-url': { type: 'string' },
} as const;

export const FOLDER_HELP = `  --include <glob>    only files that match it, for instance guides/ or '*.mdx'; may be given several times
  --exclude <glob>    no files that match it. Both are patterns of .gitignore, and so are the lines of a file
                      .constellationignore in the folder
  --public-url <URL>  where the files are published, if the configuration of their site does not say it`;

interface Given {
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  'public-url'?: string | undefined;
}

/** Throws an error that says which option is wrong. */
export function folderOptions({ include, exclude, 'public-url': publicUrl }: Given): FolderOptions {
  for (const [name, patterns] of Object.entries({ include, exclude }))
    for (const pattern of patterns ?? [])
      if (pattern.trim() === '') throw new Error(`Cannot use --${name}: the pattern is empty`);
  if (publicUrl !== undefined && !(URL.canParse(publicUrl) && /^https?:/i.test(publicUrl)))
    throw new Error(`Cannot use --public-url ${publicUrl}: it is not an http or https address`);
  return { include, exclude, publicUrl };
}
