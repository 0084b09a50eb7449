import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { listen } from '../../src/node/loopback/http-server.ts';
import { type Certificate, whyNoCertificate } from './certificate.ts';
import { eventually } from './eventually.ts';
import { listens } from './open-tools.ts';
import { endProgram, spawn } from './spawn.mjs';
import { temporaryFolder } from './temporary-folder.ts';

const page = readFileSync(new URL('../../docs/remote-agents.md', import.meta.url), 'utf8');

/** What a configuration of the page needs around it to run in a folder of its own. */
interface Proxy {
  readonly program: string;
  /** The language of its block on the page. */
  readonly language: string;
  /** The arguments, with the file of the configuration. */
  args(file: string, folder: string): readonly string[];
  /** What is around the configuration of the page. */
  wrap(config: string, folder: string): string;
  /** Makes it listen on a port of this machine. `tls` is absent for plain HTTP. */
  listen(config: string, port: number, tls: Certificate | undefined): string;
}

/** Fails if the page does not have the text: a test would run something else than the page says. */
function replaced(config: string, text: string | RegExp, by: string): string {
  const result = config.replace(text, by);
  if (result === config) throw new Error(`docs/remote-agents.md does not have ${text}.`);
  return result;
}

export const proxies = {
  nginx: {
    program: '/usr/sbin/nginx',
    language: 'nginx',
    args: (file, folder) => ['-p', folder, '-c', file, '-e', 'stderr'],
    wrap: (config, folder) => {
      const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const paths = own.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
      const main = `daemon off; master_process off; pid ${folder}/pid; error_log stderr warn;`;
      return `${main} events {} http { access_log off; ${paths}\n${config}\n}`;
    },
    listen: (config, port, tls) =>
      tls
        ? replaced(config, 'listen 443 ', `listen 127.0.0.1:${port} `)
        : replaced(
            replaced(replaced(config, 'listen 443 ssl http2', `listen 127.0.0.1:${port}`), /ssl_.*\n/g, ''),
            ' secure',
            '',
          ),
  },
  haproxy: {
    program: '/usr/sbin/haproxy',
    language: 'haproxy',
    args: (file) => ['-db', '-f', file],
    wrap: (config) => config,
    listen: (config, port, tls) =>
      tls
        ? replaced(config, 'bind :443', `bind 127.0.0.1:${port}`)
        : replaced(replaced(config, /bind :443 .*/, `bind 127.0.0.1:${port}`), ' secure', ''),
  },
  nghttpx: {
    program: '/usr/sbin/nghttpx',
    language: 'ini',
    args: (file) => [`--conf=${file}`],
    wrap: (config) => `${config}\nsingle-process=yes\n`,
    listen: (config, port, tls) =>
      tls
        ? replaced(config, '*,443', `127.0.0.1,${port}`)
        : replaced(
            replaced(config, '*,443', `127.0.0.1,${port};no-tls`),
            /(?:private-key|certificate)-file=.*\n/g,
            '',
          ),
  },
} satisfies Readonly<Record<string, Proxy>>;

export type ProxyName = keyof typeof proxies;

/** Why the tests with a proxy cannot run, or `undefined`. */
export function whyNot(name: ProxyName): string | undefined {
  const { program } = proxies[name];
  return existsSync(program) ? whyNoCertificate : `${program} is not installed`;
}

/** Whether the tests with a proxy are skipped. The output says why. */
export function skipsProxy(name: ProxyName): boolean {
  const reason = whyNot(name);
  if (reason !== undefined) process.stderr.write(`The tests with ${name} are skipped: ${reason}.\n`);
  return reason !== undefined;
}

export interface ProxyOptions {
  /** The ports of the two servers behind it. */
  readonly servers: readonly [number, number];
  /** Absent for plain HTTP. */
  readonly tls?: Certificate | undefined;
  /** Changes the configuration of the page. */
  readonly edit?: (config: string) => string;
}

/** Starts a proxy with its configuration on the page. Resolves to the URL of the agent. The end of the test ends it. */
export async function startProxy(name: ProxyName, { servers, tls, edit }: ProxyOptions): Promise<string> {
  const proxy: Proxy = proxies[name];
  const folder = temporaryFolder();
  const port = await freePort();
  let config = proxy.listen(blockOf(proxy.language), port, tls);
  const [first, second] = servers;
  config = replaced(replaced(config, /\b8137\b/g, String(first)), /\b8138\b/g, String(second));
  if (tls) {
    for (const kind of ['cert', 'key', 'both'] as const)
      config = config.replaceAll(`/etc/ssl/agents/${kind}.pem`, tls[kind]);
  }
  config = edit?.(config) ?? config;
  const file = join(folder, 'config');
  writeFileSync(file, proxy.wrap(config, folder));
  const running = spawn(proxy.program, proxy.args(file, folder), { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  running.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  onTestFinished(() => endProgram(running, 'SIGTERM'));
  await eventually(async () => hasEnded(running) || (await listens({ host: '127.0.0.1', port }))).toBe(true);
  if (hasEnded(running)) throw new Error(`${name} did not start: ${complaints}`);
  return `${tls ? 'https' : 'http'}://127.0.0.1:${port}/acp`;
}

/** The configuration on the page. */
function blockOf(language: string): string {
  const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1];
  if (block === undefined) throw new Error(`docs/remote-agents.md has no block ${language}.`);
  return block;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}
