import { readFileSync } from 'node:fs';
import { serveLines } from '../support/line-agent.mjs';
import { initializeResult } from './clients/agent-command.mjs';

/**
 * An agent that replays files: `node agent.mjs <version> <{"sessionId": "path"}>`. The lines are in memory before
 * `initialize` is answered, and go out in slices of 256 KiB.
 */
const sliceBytes = 256 * 1024;
const version = Number(process.argv[2]);
const histories = new Map(
  Object.entries(JSON.parse(process.argv[3])).map(([sessionId, path]) => [sessionId, readFileSync(path)]),
);

const methods = {
  initialize: () => initializeResult[version],
  'session/new': () => ({ sessionId: 'another' }),
  'session/load': replay,
  'session/resume': replay,
  '_bench/ping': () => ({}),
};

async function replay({ sessionId }) {
  const lines = histories.get(sessionId);
  let written = Promise.resolve();
  for (let start = 0; start < lines.length; ) {
    const end = sliceEnd(lines, start);
    const before = written;
    written = new Promise((resolve) => {
      process.stdout.write(lines.subarray(start, end), resolve);
    });
    // One slice on its way and one behind it: an agent that queued all of them could answer nothing in between.
    await before;
    start = end;
  }
  return {};
}

/** A slice ends with a line, so that an answer never comes into the middle of one. A longer line is a slice of its own. */
function sliceEnd(lines, start) {
  if (start + sliceBytes >= lines.length) return lines.length;
  const last = lines.lastIndexOf(0x0a, start + sliceBytes);
  return (last < start ? lines.indexOf(0x0a, start) : last) + 1;
}

serveLines(methods);
process.stdin.on('end', () => process.exit());
