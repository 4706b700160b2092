/** Why a sentence is doubted. */
export type SupportReason =
  | 'number-not-in-source'
  | 'number-misplaced'
  | 'unit-differs'
  | 'name-not-in-source'
  | 'negation-differs'
  | 'antonym'
  | 'quantifier-differs'
  | 'modality-differs'
  | 'comparison-differs'
  | 'condition-differs'
  | 'roles-differ'
  | 'words-not-in-source'
  | 'wording-differs'
  | 'speaks-of-itself';
