import { type ReadValue, readAs } from '../../contract/core/error-info.ts';
import {
  type AgentMetadata,
  type AgentType,
  type AnalyticsResult,
  ATTRIBUTIONS,
  type HybridResult,
  type SemanticResult,
  type SourceAttribution,
  type WebSearchResult,
  AgentResponse as WireAgentResponse,
} from '../../contract/wire/agent-response.ts';

interface Results {
  analytics: AnalyticsResult;
  semantic: SemanticResult;
  web_search: WebSearchResult;
  hybrid: HybridResult;
}

/** Builds an agent's response: `success()` or `error()`, setters, then `toArray()`. */
export class AgentResponse<Type extends AgentType = AgentType> {
  readonly #type: Type;
  readonly #query: string;
  readonly #error: string | null;
  #result: Results[Type] | Record<string, never> = {};
  #attribution: Partial<SourceAttribution> = {};
  #metadata: AgentMetadata = {};

  private constructor(type: Type, query: string, error: string | null) {
    this.#type = type;
    this.#query = query;
    this.#error = error;
  }

  static success<Type extends AgentType>(type: Type, query: string): AgentResponse<Type> {
    return new AgentResponse(type, query, null);
  }

  /**
   * @param message One sentence of our own, never text of a source or a stack trace. The standard code
   *   belongs in the metadata, as `error_code`.
   */
  static error<Type extends AgentType>(
    type: Type,
    query: string,
    message: string,
  ): AgentResponse<Type> {
    return new AgentResponse(type, query, message);
  }

  setResult(result: Results[Type]): this {
    this.#result = result;
    return this;
  }

  setSourceAttribution(attribution: SourceAttribution): this {
    this.#attribution = attribution;
    return this;
  }

  /** Replaces what was set before. */
  setMetadata(metadata: AgentMetadata): this {
    this.#metadata = metadata;
    return this;
  }

  getType(): Type {
    return this.#type;
  }

  getQuery(): string {
    return this.#query;
  }

  /** Empty until it is set. */
  getResult(): Results[Type] | Record<string, never> {
    return this.#result;
  }

  /** Empty until it is set. */
  getSourceAttribution(): Partial<SourceAttribution> {
    return this.#attribution;
  }

  getMetadata(): AgentMetadata {
    return this.#metadata;
  }

  isSuccess(): boolean {
    return this.#error === null;
  }

  getError(): string | null {
    return this.#error;
  }

  /** The response on the wire. A part that was never set is empty there; `validateAgentResponse` checks the whole. */
  toArray(): WireAgentResponse {
    const wire = {
      success: this.isSuccess(),
      type: this.#type,
      query: this.#query,
      result: this.#result,
      source_attribution: this.#attribution,
      metadata: this.#metadata,
      error: this.#error,
    };
    // The compiler cannot follow which result belongs to which type, nor that all was set: the server validates.
    return wire as WireAgentResponse;
  }

  /** @param table The table or tables that were read. */
  static createAnalyticsSourceAttribution(
    table: string | readonly string[],
    confidence = 0.9,
  ): SourceAttribution {
    const tables = typeof table === 'string' ? [table] : table;
    const details = tables.length === 1 ? { table: tables[0] } : { tables: [...tables] };
    return { ...ATTRIBUTIONS.analytics, details, confidence };
  }

  static createSemanticSourceAttribution(
    documentCount: number,
    confidence = 0.85,
  ): SourceAttribution {
    return { ...ATTRIBUTIONS.semantic, details: { document_count: documentCount }, confidence };
  }

  static createWebSearchSourceAttribution(urlCount: number, confidence = 0.7): SourceAttribution {
    return { ...ATTRIBUTIONS.web_search, details: { url_count: urlCount }, confidence };
  }

  /** @param fallback Whether the model answered because no source could. */
  static createLlmSourceAttribution(fallback = true, confidence = 0.5): SourceAttribution {
    return { ...ATTRIBUTIONS.llm, details: { fallback }, confidence };
  }

  /** @param sources The agent types that were used: `analytics`, `semantic`. */
  static createHybridSourceAttribution(
    sources: readonly string[],
    confidence = 0.8,
  ): SourceAttribution {
    return { ...ATTRIBUTIONS.mixed, details: { sources: [...sources] }, confidence };
  }
}

/** Checks an agent's response against the contract (docs/contract.md#agents). Never throws. */
export function validateAgentResponse(value: unknown): ReadValue<WireAgentResponse> {
  return readAs(WireAgentResponse, value);
}
