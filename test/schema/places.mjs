// Where a definition of the protocol belongs in src/core/protocol.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { versions } from './schemas.mjs';

/** Programs that stand between a client and an agent: this library leaves them out. */
const proxy = /Proxy/;

/**
 * Returns a function from a version, a name and a definition to a file: the one that declares it, the one that is named
 * as the page of the specification that the definition links to, and otherwise `unstable.ts`.
 */
export function placesIn(root) {
  const declared = new Map();
  const pages = new Map();
  for (const version of versions) {
    const folder = join(root, 'src/core/protocol', `v${version}`);
    const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
    pages.set(version, new Set(files.map((file) => basename(file, '.ts'))));
    for (const [at, names] of [
      ...files.map((file) => [
        `src/core/protocol/v${version}/${file}`,
        readFileSync(join(folder, file), 'utf8'),
      ]),
      ...['unstable.ts', 'unstable-providers.ts'].map((file) => [
        `src/core/protocol/${file}`,
        readFileSync(join(root, 'src/core/protocol', file), 'utf8'),
      ]),
    ]) {
      for (const [, name] of names.matchAll(/^export const (\w+)/gm)) {
        const key = `${version} ${name}`;
        if (!declared.has(key)) declared.set(key, at);
      }
    }
  }
  return (version, name, definition) => {
    const own = declared.get(`${version} ${name}`);
    if (own !== undefined) return own;
    if (proxy.test(name)) return 'nowhere: a proxy stands between a client and an agent';
    const [, page] =
      /agentclientprotocol\.com\/protocol\/(?:v\d\/)?(?:draft\/)?([\w-]+)/.exec(
        definition?.description ?? '',
      ) ?? [];
    if (page !== undefined && pages.get(version).has(page)) return `src/core/protocol/v${version}/${page}.ts`;
    return `src/core/protocol/v${version}/unstable.ts`;
  };
}
