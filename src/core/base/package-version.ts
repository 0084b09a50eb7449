/** The version in package.json, as a constant: a page would load the whole file otherwise. */
export const packageVersion = '1.0.0';
