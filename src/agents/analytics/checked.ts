/** A value, or a sentence of our own on why there is none; `hint` is what SQLite said, for the statement's author only. */
export type Checked<T> = { ok: true; value: T } | Refusal;

export interface Refusal {
  ok: false;
  reason: string;
  hint?: string | undefined;
}

/** @param problem Goes on after "The statement". */
export const refuseStatement = (problem: string): Refusal => ({ ok: false, reason: `The statement ${problem}.` });
