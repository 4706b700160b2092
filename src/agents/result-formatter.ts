import type { AgentResponse } from '../contract/agent-response.ts';
import type { DisplayModel } from '../contract/display-model.ts';
import { displayModelOf } from './format/display-model-of.ts';
import type { RenderOptions } from './format/render.ts';
import { renderMarkdown } from './format/render-markdown.ts';
import { renderText } from './format/render-text.ts';

/**
 * Any agent's answer or failure for people (seed 003, ResultFormatter). Texts of databases, documents and the web stay
 * texts: in none of the three forms do they make a link, a tag, an image or a cell. All three are bounded.
 */
export const resultFormatter = {
  /** Blocks of plain text, for a page. */
  toDisplay: (response: AgentResponse): DisplayModel => displayModelOf(response),
  toMarkdown: (response: AgentResponse, options: RenderOptions = {}): string =>
    renderMarkdown(displayModelOf(response), options),
  toText: (response: AgentResponse, options: RenderOptions = {}): string =>
    renderText(displayModelOf(response), options),
};
