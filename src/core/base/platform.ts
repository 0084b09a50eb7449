/** Whether this is Node, and not a page. */
export const isNode = typeof process === 'object' && process.versions?.node !== undefined;

export const isWindows = isNode && process.platform === 'win32';
