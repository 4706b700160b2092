import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  /** What is wrong with the value, said where it is entered. */
  problem?: string | undefined;
  hint?: string | undefined;
}

/** A line of text with its label. */
export function TextField({
  label,
  problem,
  hint,
  ...input
}: FieldProps & JSX.IntrinsicElements['input']) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-notes`}
        {...input}
      />
      <Notes id={`${id}-notes`} problem={problem} hint={hint} />
    </div>
  );
}

/** Several lines of text with their label. @public */
export function TextArea({
  label,
  problem,
  hint,
  ...area
}: FieldProps & JSX.IntrinsicElements['textarea']) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={4}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-notes`}
        {...area}
      />
      <Notes id={`${id}-notes`} problem={problem} hint={hint} />
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: ComponentChildren; isDisabled?: boolean }[];
  onChoose: (value: Value) => void;
}

/** One of several values. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChoose,
}: ChoiceProps<Value>) {
  const id = useId();
  return (
    <div class="choice">
      <label for={id}>{label}</label>
      {/* The values of the options are the only ones that it can have. */}
      <select
        id={id}
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.isDisabled === true}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}

const Notes = ({ id, problem, hint }: { id: string } & Omit<FieldProps, 'label'>) => (
  <p
    id={id}
    class={problem === undefined ? 'quiet small' : 'problem'}
    role={problem === undefined ? undefined : 'alert'}
  >
    {problem ?? hint}
  </p>
);
