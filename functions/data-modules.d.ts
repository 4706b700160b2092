/** What a bundler hands over for a binary file: wrangler by its default rules, the local runner by `src/dev/local-cloud.ts`. */
declare module '*.bin' {
  const bytes: ArrayBuffer;
  export default bytes;
}
