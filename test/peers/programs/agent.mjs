// An agent of the official SDK: `v1` or `v2`, stable or with `-unstable`; a `router` over the versions that follow; or
// `sessions` with the folder of its sessions, which offers both versions and nothing else. It has no model.
import { Readable, Writable } from 'node:stream';
import * as v1Stable from '@agentclientprotocol/sdk';
import * as v2Stable from '@agentclientprotocol/sdk/experimental/v2';
import * as v2Unstable from '@agentclientprotocol/sdk/experimental/v2/unstable';
import * as v1Unstable from '@agentclientprotocol/sdk/unstable';
import { archiveIn, archiveInMemory } from './sessions.mjs';
import { build as buildV1 } from './version-1.mjs';
import { build as buildV2 } from './version-2.mjs';

const [kind, ...rest] = process.argv.slice(2);

const agents = {
  v1: () => buildV1(v1Stable, archiveInMemory(), 'stable'),
  v2: () => buildV2(v2Stable, archiveInMemory(), 'stable'),
  'v1-unstable': () => buildV1(v1Unstable, archiveInMemory(), 'unstable'),
  'v2-unstable': () => buildV2(v2Unstable, archiveInMemory(), 'unstable'),
  router() {
    const router = v2Stable.agentProtocolRouter();
    if (rest.includes('v1')) router.withV1(agents.v1());
    if (rest.includes('v2')) router.withV2(agents.v2());
    return router;
  },
  sessions() {
    const archive = archiveIn(rest[0]);
    return v2Stable
      .agentProtocolRouter()
      .withV1(buildV1(v1Stable, archive, 'sessions'))
      .withV2(buildV2(v2Stable, archive, 'sessions'));
  },
};

const stream = v1Stable.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
await agents[kind]().connect(stream).closed;
process.exit(0);
