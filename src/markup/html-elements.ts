/** Elements that act, show or take input rather than say something; their contents are left out. */
export const ACTIVE_ELEMENTS: ReadonlySet<string> = new Set(
  `
    script style iframe frame frameset object embed applet noscript template svg math canvas audio video
    form button input select textarea nav link meta base
  `
    .trim()
    .split(/\s+/),
);

/** Elements that stand on lines of their own. */
export const BLOCK_ELEMENTS: ReadonlySet<string> = new Set(
  `
    address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer
    h1 h2 h3 h4 h5 h6 header hr html li main ol p pre section summary table tbody tfoot thead tr ul
  `
    .trim()
    .split(/\s+/),
);

/** Elements that hold nothing and have no end tag (HTML Standard, 13.1.2), those of old included. */
export const VOID_ELEMENTS: ReadonlySet<string> = new Set(
  `
    area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr
  `
    .trim()
    .split(/\s+/),
);
