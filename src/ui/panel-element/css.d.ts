// The build makes a text of a style sheet.
declare module '*.css' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: so do bundlers
  export default text;
}
