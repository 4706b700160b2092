/** A text that a statement may rest on, with what stands above it: title, headings, devices. */
export interface Evidence {
  text: string;
  headings: readonly string[];
}

export interface StatementCheck {
  verdict: 'supported' | 'doubtful' | 'unsupported';
  literals: string[];
  coverage: number;
  negationDiffers: boolean;
  probability: number;
  reason: string;
}
export const checkStatement = (
  statement: string,
  evidence: readonly Evidence[],
  { question }: { question: string },
): StatementCheck => ({
  verdict: 'supported',
  literals: [],
  coverage: 1,
  negationDiffers: false,
  probability: 1,
  reason: '',
});
