/**
 * English words too common to tell one chunk from another: articles, pronouns, auxiliaries, question words and what an
 * apostrophe leaves behind (`s`, `t`, `ll`). Kept short on purpose: a longer list loses questions made of common words.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the this that these those i me my we our you your he him his she her it its they them their ' +
    'is am are was were be been being do does did has have had can could will would shall should may might must ' +
    'what which who whom whose when where why how and or but if as of at by for with to from in on there s t ll re ve'
  ).split(' '),
);
