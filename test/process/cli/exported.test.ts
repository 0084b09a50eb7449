import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { demoAgent, printedConversation, runHere } from './command-line.ts';

/** What `transcript --format json` prints. Its terminal has a character of three bytes. */
async function exportedFile(): Promise<string> {
  const agent = await demoAgent('v2-baseline', temporaryFolder());
  const { code, stdout } = await runHere(['transcript', 'example-leap-day', '--format', 'json', ...agent]);
  expect(code).toBe(0);
  return stdout;
}

function isMissing(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
}

function read(file: string, program: string, ...args: readonly string[]): unknown {
  const env = { ...process.env, PYTHONUTF8: '1' };
  return JSON.parse(execFileSync(program, args, { input: file, encoding: 'utf8', env }));
}

/** The same values as this library reads them. */
function expected(file: string) {
  const { entries, terminals, info } = printedConversation(file);
  const outputs = Object.values(terminals).map(({ output }) => output);
  expect(outputs.join('')).toContain('✓');
  return { title: info.title, kinds: entries.map(({ kind }) => kind), outputs };
}

test.skipIf(isMissing('jq', '--version'))(
  'jq reads an exported conversation, if it is installed',
  async () => {
    const file = await exportedFile();
    const filter =
      '.conversation | {title: .info.title, kinds: [.entries[].kind], outputs: [.terminals[].output]}';
    expect(read(file, 'jq', filter)).toEqual(expected(file));
  },
);

test.skipIf(isMissing('python3', '--version'))('Python reads it, if it is installed', async () => {
  const file = await exportedFile();
  const program = `
import json, sys
file = json.load(sys.stdin)
assert file["format"] == "acp-client-sdk/conversation" and file["version"] == 2
conversation = file["conversation"]
print(json.dumps({
    "title": conversation["info"]["title"],
    "kinds": [entry["kind"] for entry in conversation["entries"]],
    "outputs": [terminal["output"] for terminal in conversation["terminals"].values()],
}))`;
  expect(read(file, 'python3', '-c', program)).toEqual(expected(file));
});
