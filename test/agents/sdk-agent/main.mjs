// A small agent on the official SDK, in both versions. It has no model and follows the directives itself.
import { Readable, Writable } from 'node:stream';
import { agentProtocolRouter, ndJsonStream } from '@agentclientprotocol/sdk/experimental/v2';
import { Archive } from './archive.mjs';
import { agentOfVersion1 } from './version-1.mjs';
import { agentOfVersion2 } from './version-2.mjs';

const archive = new Archive(process.argv[2]);
const { closed } = agentProtocolRouter()
  .withV1(agentOfVersion1(archive))
  .withV2(agentOfVersion2(archive))
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
await closed;
process.exit(0);
