import type { ViewProps } from '../../shell/view-entry.ts';
import { AnswerList } from './answer-list.tsx';
import { KeptAnswerPage } from './kept-answer-page.tsx';

/** The answers that the deployment has kept, and one of them at an address that stays. */
const AnswersView = ({ parts: [id], query }: ViewProps) =>
  id === undefined ? <AnswerList query={query} /> : <KeptAnswerPage key={id} id={id} />;

export default AnswersView;
