import type { Library } from './library.ts';

type Asked = Omit<Library, 'work' | 'isBusy'>;

/** A library that lives elsewhere: what `Library` answers, after a while. */
export type RemoteLibrary = {
  [Method in keyof Asked]: (...parameters: Parameters<Asked[Method]>) => Promise<Awaited<ReturnType<Asked[Method]>>>;
};

/** The methods that travel; nothing else of an object can be called from outside. */
export const REMOTE_METHODS = [
  ...(['status', 'startSync', 'listArticles', 'inventory', 'readArticle', 'readText'] as const),
  ...(['editions', 'editionChanges', 'activateEdition'] as const),
  ...(['writeArticle', 'deleteArticle', 'isFirstCall', 'currentEdition', 'storedEdition', 'editionPart'] as const),
];

export type RemoteMethod = (typeof REMOTE_METHODS)[number];

/** A Durable Object that answers for one workspace. */
export interface LibraryStub {
  ask(workspace: string, method: RemoteMethod, parameters: unknown[]): Promise<unknown>;
}

export const remoteLibrary = (stub: LibraryStub, workspace: string): RemoteLibrary => {
  const ask =
    (method: RemoteMethod) =>
    (...parameters: unknown[]) =>
      stub.ask(workspace, method, parameters);
  // Each method is asked of the method of the same name: the compiler does not see that names and types go together.
  return Object.fromEntries(REMOTE_METHODS.map((method) => [method, ask(method)])) as unknown as RemoteLibrary;
};
