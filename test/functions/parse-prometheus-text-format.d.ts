declare module 'parse-prometheus-text-format' {
  interface Family {
    name: string;
    help: string;
    type: string;
    metrics: ({ labels?: Record<string, string> } & (
      | { value: string }
      | { count: string; sum: string }
    ))[];
  }
  /** Throws for text of another form. */
  export default function parsePrometheusTextFormat(text: string): Family[];
}
