import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** Why the tests with Neovim cannot run, or `undefined`. */
export const whyNoNeovim: string | undefined =
  process.platform === 'win32'
    ? 'the plugin is tested on Linux and macOS'
    : spawnSync('nvim', ['--version']).error
      ? 'nvim is not installed'
      : undefined;

/** The client of the package `neovim`, as far as the tests use it. */
interface Client {
  request(method: string, args: readonly unknown[]): Promise<unknown>;
}
interface ClientPackage {
  attach(options: { readonly proc: ChildProcess; readonly logger: object }): Client;
}

/** Without a logger, the package would replace the functions of `console`. */
const logger = { info() {}, warn() {}, error() {}, debug() {}, level: 'error' };

/** A Neovim that has the plugin of the example. */
export class Neovim {
  readonly exited: Promise<unknown>;
  readonly #process: ChildProcess;
  readonly #client: Client;

  constructor(nvim: ChildProcess) {
    this.#process = nvim;
    this.exited = once(nvim, 'exit');
    // Loaded by path, because only these tests and the example need the package.
    const { attach }: ClientPackage = createRequire(import.meta.url)('neovim');
    this.#client = attach({ proc: nvim, logger });
  }

  /** Opens a window of 120 columns and 30 lines. Neovim asks the user only if there is one. */
  async open(): Promise<void> {
    await this.#client.request('nvim_ui_attach', [120, 30, {}]);
  }
  /** Closes the window. */
  async close(): Promise<void> {
    await this.#client.request('nvim_ui_detach', []);
  }
  /** Runs a command as the user does. Not for one that waits for the user. */
  async command(text: string): Promise<void> {
    await this.#client.request('nvim_command', [text]);
  }
  async lua(code: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.#client.request('nvim_exec_lua', [code, args]);
  }
  /** Presses keys. */
  async press(keys: string): Promise<void> {
    await this.#client.request('nvim_input', [keys]);
  }
  /** Whether Neovim waits for a key, and answers no program meanwhile. */
  async isBlocked(): Promise<boolean> {
    return Object(await this.#client.request('nvim_get_mode', [])).blocking === true;
  }
  /** Such as `n` for the normal mode. */
  async mode(): Promise<string> {
    return String(Object(await this.#client.request('nvim_get_mode', [])).mode);
  }
  /** The text of the question that is shown, or an empty text. */
  async question(): Promise<string> {
    const isShown = await this.lua("return vim.fn.bufwinid('acp://question') ~= -1");
    return isShown === true ? this.lines('acp://question') : '';
  }
  /** The text on the screen, line by line. */
  async screen(): Promise<string> {
    const code = `vim.cmd('redraw')
      local lines = {}
      for row = 1, vim.o.lines do
        lines[row] = ''
        for column = 1, vim.o.columns do lines[row] = lines[row] .. vim.fn.screenstring(row, column) end
      end
      return table.concat(lines, "\\n")`;
    return String(await this.lua(code));
  }
  async lines(buffer: string): Promise<string> {
    const code = 'return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false), "\\n")';
    return String(await this.lua(code, buffer));
  }
  async transcript(): Promise<string> {
    return this.lines('acp://transcript');
  }
  /** Leaves Neovim as `:qa!` does. */
  async quit(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    // Neovim does not answer any more.
    void this.#client.request('nvim_command', ['qa!']);
    // After a test that failed, it can wait for a key.
    const hung = setTimeout(() => this.#process.kill('SIGKILL'), 20_000);
    await this.exited;
    clearTimeout(hung);
  }
}

/** Installs the example as its README says, and starts Neovim in a directory, with settings in Vim script. */
export async function startNeovim(options: {
  /** A directory with the package in `node_modules`. */
  readonly home: string;
  readonly cwd: string;
  readonly settings: string;
}): Promise<Neovim> {
  const { home, cwd, settings } = options;
  const plugin = join(home, 'nvim/site/pack/acp/start/acp');
  await mkdir(plugin, { recursive: true });
  await cp(join(root, 'docs/examples/neovim'), plugin, { recursive: true });
  const args = ['--embed', '--headless', '-n', '-i', 'NONE', '--cmd', settings];
  const env = {
    ...process.env,
    XDG_DATA_HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
  };
  const neovim = new Neovim(spawn('nvim', args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] }));
  await neovim.open();
  return neovim;
}
