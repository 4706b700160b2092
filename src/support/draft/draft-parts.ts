import type { ComposedDraft } from './generate-draft.ts';
import type { DraftPart } from './model-prompt.ts';
import type { PickedSteps } from './pick-steps.ts';

/** A part of a draft with what it may rest on. */
export interface OwnedPart extends DraftPart {
  /** Of an article; undefined for a part of the template. */
  steps: PickedSteps | undefined;
  /** The reference that it cites, from 1; undefined for a part of the template. */
  reference: number | undefined;
}

/** What a draft says, in order, in parts that a model can be asked to join: paragraphs of the template, single quotes. */
export const draftParts = ({ filled, picked, grounded: { references } }: ComposedDraft): OwnedPart[] => {
  const parts: OwnedPart[] = [];
  const count = { t: 0, s: 0, f: 0 };
  const add = (kind: keyof typeof count, text: string, steps?: PickedSteps) => {
    count[kind] += 1;
    const place = references.findIndex(({ url, title }) => url === steps?.passage.url && title === steps.passage.title);
    parts.push({ id: `${kind}${count[kind]}`, text, steps, reference: steps === undefined ? undefined : place + 1 });
  };
  for (const paragraph of paragraphsOf(filled.before)) add('t', paragraph);
  for (const steps of picked) {
    if (steps.intro !== undefined && steps.kind === 'list') add('s', steps.intro, steps);
    // A table or code is no prose: it goes out as it is, with what introduces it.
    if (steps.kind === 'table' || steps.kind === 'code') add('f', steps.quotes.join('\n'), steps);
    else for (const quote of steps.quotes) add('s', quote, steps);
  }
  for (const paragraph of paragraphsOf(filled.after)) add('t', paragraph);
  return parts;
};

const paragraphsOf = (text: string): string[] => text.split(/\n{2,}/).filter((each) => each.trim() !== '');
