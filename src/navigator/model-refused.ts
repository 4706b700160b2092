/** Why quotes stand where a model's answer could (`metadata.model_refused`), and how a confidence reason says it. */
export const REFUSALS = {
  unavailable: 'the model could not be reached or failed',
  timeout: 'the model did not answer in the time that was left for it',
  over_budget: 'the budget of the request does not pay for the model',
  refused: 'the model declined to answer',
  filtered: "the model's answer was withheld by its provider",
  cut: "the model's answer was cut off before its end",
  empty: 'the model gave an empty answer',
  malformed: "the model's answer did not have the form that was asked for",
  unsupported: "the model's answer made statements that its sources do not support, and was discarded",
  no_answer: 'the model found no answer in the passages',
  /** Nothing was found that it could answer from, or the question is out of domain: it was not asked. */
  not_asked: '',
} as const;
export type ModelRefusal = keyof typeof REFUSALS;
