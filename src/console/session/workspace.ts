const STORED = 'constellation.workspace';

/** The workspace that was chosen in this tab; the first one of the key when absent. */
export const chosenWorkspace = sessionStorage.getItem(STORED) ?? undefined;

/** Shows another workspace: everything on the page is of the one before, so it begins again. */
export const chooseWorkspace = (workspace: string): void => {
  sessionStorage.setItem(STORED, workspace);
  location.assign('/');
};
