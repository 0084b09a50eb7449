/** Parses JSON that may have comments and trailing commas, as the configuration files of editors do. */
export function parseJsonWithComments(text: string): unknown {
  // Strings are matched too, so that what looks like a comment in a string stays.
  const withoutComments = text
    .replace(/^\uFEFF/, '')
    .replaceAll(
      /("(?:\\.|[^"\\])*"?)|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g,
      (_, string?: string) => string ?? ' ',
    );
  const withoutCommas = withoutComments.replaceAll(
    /("(?:\\.|[^"\\])*"?)|,(?=\s*[}\]])/g,
    (_, string?: string) => string ?? '',
  );
  return JSON.parse(withoutCommas);
}
