import shapes from './icon-shapes.json' with { type: 'json' };

export type IconName = keyof typeof shapes;

/** A drawing of 24 by 24 that has no meaning of its own: a text beside it or the label of its button says what it is. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={shapes[name]} />
  </svg>
);
