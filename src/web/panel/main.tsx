/** The page beside a ticket, in a frame of the helpdesk. */
const root = document.getElementById('console');

const begin = async (element: HTMLElement): Promise<void> => {
  try {
    // A browser that refuses storage to frames throws here, and in what the panel is made of.
    void sessionStorage.length;
  } catch {
    element.textContent =
      'This panel keeps its key in the storage of its frame. Allow storage (cookies) for it.';
    return;
  }
  const { showPanel } = await import('./panel.tsx');
  await showPanel(element);
};

if (root !== null) await begin(root);
