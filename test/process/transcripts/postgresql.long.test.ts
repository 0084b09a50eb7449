import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresqlStorage } from '../../../docs/examples/postgresql/postgresql-storage.ts';
import { checkTranscriptStorage } from '../../../src/records/testing/check-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import { said, storeSession } from '../../support/recorded-stores.ts';

const programs = '/usr/lib/postgresql/15/bin';

/** PostgreSQL does not run as root. */
const asUser =
  process.getuid?.() === 0 ? { uid: Number(execFileSync('id', ['-u', 'nobody'])), gid: 65534 } : {};

describe.skipIf(!existsSync(programs))('the example with PostgreSQL', () => {
  const directory = mkdtempSync('/tmp/acp-postgresql-');
  const data = join(directory, 'data');
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(join(programs, program), args, { ...asUser, stdio: 'ignore', cwd: '/' });
  let pool: pg.Pool;

  beforeAll(async () => {
    const port = await freePort();
    if (asUser.uid !== undefined) execFileSync('chown', [String(asUser.uid), directory]);
    run('initdb', '-D', data, '-U', 'test', '--auth=trust', '--no-sync', '-E', 'UTF8');
    const options = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories= -c fsync=off`;
    run('pg_ctl', '-D', data, '-w', '-o', options, '-l', join(directory, 'log'), 'start');
    pool = new pg.Pool({ host: '127.0.0.1', port, user: 'test', database: 'postgres' });
  });

  afterAll(async () => {
    await pool?.end();
    run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
    rmSync(directory, { recursive: true, force: true });
  });

  async function emptyStorage() {
    await pool.query('DROP TABLE IF EXISTS transcripts');
    return postgresqlStorage(pool);
  }

  test('passes the contract of a storage', () => checkTranscriptStorage(emptyStorage));

  test('finds with its own full-text search what a session has', async () => {
    const transcripts = await openTranscripts({ storage: await emptyStorage() });
    for (const [id, text] of [
      ['s1', 'if (isLeapYear(2000))'],
      ['s2', 'Something else'],
    ] as const) {
      const { session, apply } = storeSession(id);
      await apply(said('user', text));
      await transcripts.record(session)();
    }
    const found: string[] = [];
    for await (const { id } of transcripts.search('leap')) found.push(id);
    expect(found).toEqual(['s1']);
    await transcripts.close();
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
