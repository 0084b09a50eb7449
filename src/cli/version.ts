import packageJson from '../../package.json' with { type: 'json' };

/** The version of this package, as of when it was built. */
export const { version } = packageJson;
