/**
 * `traceparent` of W3C Trace Context, always rebuilt from the signed context, which takes precedence over an incoming header. Only the
 * sampled flag comes from that header.
 */
export const traceParent = (trace: { traceId: string; spanId: string; sampled?: boolean | undefined }): string =>
  `00-${trace.traceId}-${trace.spanId}-${trace.sampled === false ? '00' : '01'}`;

/** The sampled flag of an incoming `traceparent`; `undefined` when there is none or it is malformed. */
export const isSampled = (header: string | undefined): boolean | undefined => {
  const flags = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-([0-9a-f]{2})$/.exec(header ?? '')?.[1];
  return flags === undefined ? undefined : (Number.parseInt(flags, 16) & 1) === 1;
};
