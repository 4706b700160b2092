import { join } from 'node:path';
import type { DocumentReader } from '../document-reader.ts';
import { type ReadArticle, readArticle } from './read-article.ts';
import { type FolderFile, type FolderOptions, type FolderScan, scanFolder } from './scan-folder.ts';

export interface OpenFolder {
  /** Finds the articles again. */
  scan(): Promise<FolderScan>;
  /** Reads an article of the last scan. */
  read(file: FolderFile, documents: DocumentReader): Promise<ReadArticle>;
}

/** @param root Real path of the folder. */
export function openFolder(root: string, options: FolderOptions = {}): OpenFolder {
  let urls: ReadonlyMap<string, string> = new Map();
  return {
    scan: async () => {
      const scan = await scanFolder(root, options);
      urls = new Map(
        scan.files.flatMap(({ path, url }) => (url === undefined ? [] : [[join(root, path), url]])),
      );
      return scan;
    },
    read: (file, documents) =>
      readArticle(root, file, { documents, urlOf: (path) => urls.get(path) }),
  };
}
