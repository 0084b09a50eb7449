/** The forms of the methods, as the build makes them. */
declare module 'method-forms' {
  const forms: import('./method-forms.ts').MethodForms;
  // biome-ignore lint/style/noDefaultExport: JSON has a default export
  export default forms;
}
