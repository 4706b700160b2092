/** How a file that describes an interface begins, in YAML or JSON. */
export function isOpenApi(beginning: string): boolean {
  return /(?:^|[{,\n])\s*["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]\./.test(beginning);
}
