// What a page has, or does not need, of packages that markdown-it imports. The build puts this file in their place.

/** Of `linkify-it`, which `linkify: false` leaves unused. */
export class LinkifyIt {}

/** Of `punycode.js`: a browser knows the form of a host name that a network understands. */
// biome-ignore lint/style/noDefaultExport: markdown-it imports it so
export default {
  toASCII: (hostname: string) => new URL(`https://${hostname}`).hostname,
  // The form of the network is shown. Letters of other scripts can look like those of a known name.
  toUnicode: (hostname: string) => hostname,
};
