/** Prompt files are bundled as text; tests load them through `test/support/text-loader.mjs`. */
declare module '*.md' {
  const text: string;
  export default text;
}
