export type PromiseKind = 'refund' | 'replacement' | 'repair' | 'compensation' | 'date' | 'price' | 'warranty' | 'act';

/** How a language promises. The patterns read small letters, one clause at a time. */
export interface PromiseLanguage {
  /** Parts a sentence; what stands behind is read by itself. */
  clauseEnd: RegExp;
  /** Opens a clause that says when, whether or why: what is said behind it in the clause is not promised. */
  condition: RegExp;
  /** Denies the clause it stands in. Undefined: the denials of the support check are read. */
  denial: RegExp | undefined;
  /** No promise where it is found in the clause that seems to make one. */
  harmless: RegExp;
  /** What promises by denying: "you won't have to pay". */
  denying: RegExp;
  /** What was promised is what one of these finds; the first one counts. */
  promises: readonly (readonly [PromiseKind, RegExp])[];
}
