// An agent of the official SDK: `v1` or `v2`, `stable` or `unstable`, or a `router` over the versions that follow.
import { Readable, Writable } from 'node:stream';
import * as v1Stable from '@agentclientprotocol/sdk';
import * as v2Stable from '@agentclientprotocol/sdk/experimental/v2';
import * as v2Unstable from '@agentclientprotocol/sdk/experimental/v2/unstable';
import * as v1Unstable from '@agentclientprotocol/sdk/unstable';
import { build as buildV1 } from './v1-agent.mjs';
import { build as buildV2 } from './v2-agent.mjs';

const [kind, ...rest] = process.argv.slice(2);
const stream = v1Stable.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));

const agents = {
  v1: () => buildV1(v1Stable),
  v2: () => buildV2(v2Stable),
  'v1-unstable': () => buildV1(v1Unstable, { unstable: true }),
  'v2-unstable': () => buildV2(v2Unstable, { unstable: true }),
};

if (kind === 'router') {
  const router = v2Stable.agentProtocolRouter();
  if (rest.includes('v1')) router.withV1(agents.v1());
  if (rest.includes('v2')) router.withV2(agents.v2());
  router.connect(stream);
} else {
  agents[kind]().connect(stream);
}
