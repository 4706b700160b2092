/** How a file that describes an interface begins, in YAML or JSON. */
export const isOpenApi = (beginning: string): boolean =>
  /(?:^|[{,\n])\s*["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]\./.test(beginning);
