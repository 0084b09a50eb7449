import { resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..');

/** Where the pages are written from which the site is built. */
export const stage = resolve(import.meta.dirname, 'pages');
