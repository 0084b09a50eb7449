import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loginAdvice } from '../../../src/agents/find.ts';
import { agentText } from '../../../src/core/base/remote-reason.ts';
import type { AuthMethod } from '../../../src/core/protocol/dialect.ts';
import type { LoginFacts } from '../../../src/core/protocol/login-advice.ts';
import { readInitialize } from '../../../src/core/protocol/read-initialize.ts';

/** What an agent sent in a clean home, without a key and without a network. Paths are replaced. */
interface Recorded {
  readonly authMethods: readonly unknown[];
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface Login {
  readonly agent: string;
  readonly agentInfo?: { readonly name: string; readonly version: string };
  /** The answers to a client that offers terminal logins, and to one that does not. */
  readonly withTerminal: Recorded;
  readonly withoutTerminal: Recorded;
}

const recorded: readonly Login[] = JSON.parse(
  readFileSync(new URL('../../fixtures/logins.json', import.meta.url), 'utf8'),
);

function factsOf({ agentInfo }: Login, { authMethods, error }: Recorded): LoginFacts {
  const refusal = error?.code === -32000 ? error : undefined;
  return {
    authMethods: readInitialize({ authMethods } as never).authMethods,
    names: [agentInfo?.name],
    ...(refusal && { agentMessage: agentText(refusal.message, refusal.data), data: refusal.data }),
  };
}

const node = '/opt/node/bin/node';
const claude = `${node} /opt/claude-0.100.0/@agentclientprotocol/claude-agent-acp/dist/index.js --cli auth login`;
const gemini =
  'Set GEMINI_API_KEY, and start the agent again. Or log in from an editor: "Log in with Google" or "Gemini API key" or "Vertex AI" or "AI API Gateway".';
const codex =
  'Run in a terminal: `codex login`. Or set CODEX_API_KEY or OPENAI_API_KEY, and start the agent again. Or log in from an editor: "API Key".';
const cline =
  'Log in from an editor: "Sign in with Cline" or "Sign in with ClinePass" or "Sign in with ChatGPT Subscription".';
const droid = 'Set FACTORY_API_KEY, and start the agent again. Or log in from an editor: "Login".';
const grok = 'Set XAI_API_KEY, and start the agent again. Or log in from an editor: "Grok".';
const copilot =
  'Run in a terminal: `copilot login` or `/opt/copilot-1.0.102/@github/copilot-linux-x64/copilot login`.';
const anthropicKey = 'set ANTHROPIC_API_KEY, and start the agent again.';

/** The advice for each agent: with a terminal for the login, and without. */
const advice: Readonly<Record<string, readonly [withTerminal: string, withoutTerminal: string]>> = {
  codex: [codex, codex],
  opencode: ['Run in a terminal: `opencode auth login`.', 'Run in a terminal: `opencode auth login`.'],
  kilo: [
    'Run in a terminal: `kilo auth login` or `opencode auth login`.',
    'Run in a terminal: `kilo auth login`.',
  ],
  claude: [
    `Run in a terminal: \`${claude} --claudeai\` or \`${claude} --console\`. Or ${anthropicKey}`,
    `Run in a terminal: \`claude auth login\`. Or ${anthropicKey}`,
  ],
  'claude-agent-zed': [
    `Run in a terminal: \`claude /login\` or \`${node} /opt/claude-agent-zed-0.23.1/@zed-industries/claude-agent-acp/dist/index.js --cli\`. Or ${anthropicKey}`,
    `Run in a terminal: \`claude /login\`. Or ${anthropicKey}`,
  ],
  'claude-sudocode': [
    `Run in a terminal: \`claude /login\`. Or ${anthropicKey}`,
    `Run in a terminal: \`claude /login\`. Or ${anthropicKey}`,
  ],
  'codex-zed': [
    'Run in a terminal: `codex login`. Or set CODEX_API_KEY or OPENAI_API_KEY, and start the agent again.',
    'Run in a terminal: `codex login`. Or set CODEX_API_KEY or OPENAI_API_KEY, and start the agent again.',
  ],
  copilot: [copilot, copilot],
  gemini: [gemini, gemini],
  qwen: ['Set OPENAI_API_KEY, and start the agent again.', 'Set OPENAI_API_KEY, and start the agent again.'],
  cline: [cline, cline],
  pi: [
    `Run in a terminal: \`${node} /opt/pi-0.0.34/pi-acp/dist/index.js --terminal-login\`.`,
    'Log in from an editor: "Launch pi in the terminal".',
  ],
  omp: [
    'Log in from an editor: "Use existing local credentials" or "Set up Oh My Pi in terminal".',
    'Log in from an editor: "Use existing local credentials".',
  ],
  // It offers nothing and refuses nothing: its own program asks for a provider.
  nanocoder: [
    'Log in with the program of the agent, or set its key, as its documentation describes.',
    'Log in with the program of the agent, or set its key, as its documentation describes.',
  ],
  grok: [grok, grok],
  droid: [droid, droid],
  auggie: [
    'Run in a terminal: `auggie login` or `AUGMENT_DISABLE_AUTO_UPDATE=1 AUGMENT_LOGIN_FAST_EXIT=1 node /opt/auggie-0.36.0/@augmentcode/auggie/augment.mjs login`.',
    'Run in a terminal: `auggie login`.',
  ],
  qoder: [
    'Run in a terminal: `qodercli login`.',
    'Run in a terminal: `qodercli login`. Or log in from an editor: "Use qodercli login".',
  ],
};

describe('the advice about a login', () => {
  test('there is one row for each agent', () => {
    expect(recorded.map(({ agent }) => agent).sort()).toEqual(Object.keys(advice).sort());
    expect(recorded).toHaveLength(18);
  });

  test.each(recorded.map((login) => [login.agent, login] as const))('%s', (agent, login) => {
    const shown = [login.withTerminal, login.withoutTerminal].map(
      (each) => loginAdvice(factsOf(login, each)).text,
    );
    expect(shown).toEqual(advice[agent]);
  });

  const method = (fields: Partial<AuthMethod>): AuthMethod => ({
    methodId: 'm',
    name: 'Login',
    description: null,
    type: 'agent',
    ...fields,
  });

  test('a method of type terminal is the command that starts the agent, with its arguments', () => {
    const { commands } = loginAdvice({
      authMethods: [method({ type: 'terminal', args: ['--login', 'two words'] })],
      program: { command: '/opt/my agent', args: ['--acp'] },
    });
    expect(commands).toEqual([`'/opt/my agent' --acp --login 'two words'`]);
  });

  test.each([
    ['an argument with a line break', { args: ['a\nb'] }],
    ['a direction that hides what is copied', { args: ['\u202egol'] }],
    ['an invisible character', { args: ['a\u200bb'] }],
    ['a variable that is no name', { env: { 'A;B': '1' } }],
    ['a line that is too long', { args: ['x'.repeat(1001)] }],
  ])('a method that fits into no line to copy stays one of the editor: %s', (_, fields) => {
    const { commands, methods } = loginAdvice({
      authMethods: [method({ type: 'terminal', ...fields })],
      program: { command: 'agent' },
    });
    expect([commands, methods.length]).toEqual([[], 1]);
  });

  test.each(['/usr/bin/node', 'C:\\node.exe', 'bun', 'python3.12'])(
    'no line is a bare interpreter: %s',
    (command) => {
      const linesWith = (...args: string[]) =>
        loginAdvice({ authMethods: [method({ type: 'terminal', command, args })], shell: 'posix' }).commands;
      expect(linesWith('login')).toEqual([]);
      expect(linesWith('agent.js', 'login')).toEqual([expect.stringContaining(' agent.js login')]);
    },
  );

  test('a method whose program is not known has no line to copy, and is one of the editor', () => {
    const { commands, methods, text } = loginAdvice({
      authMethods: [method({ type: 'terminal', args: ['--login'] })],
    });
    expect([commands, methods.length]).toEqual([[], 1]);
    expect(text).toBe('Log in from an editor: "Login".');
  });

  test.each([
    ['posix', "KEY='a b' agent login"],
    ['powershell', "$env:KEY = 'a b'; agent login"],
    ['cmd', 'set "KEY=a b" && agent login'],
  ] as const)('a line for %s sets the variables of the method', (shell, line) => {
    const authMethods = [method({ type: 'terminal', args: ['login'], env: { KEY: 'a b' } })];
    expect(loginAdvice({ authMethods, program: { command: 'agent' }, shell }).commands).toEqual([line]);
  });

  test.each(['rm -rf ~; x', 'a $(id)', 'a | b', 'a > b', 'a && b', "a 'b'", 'a\\b'])(
    'a text of the agent that a shell would act on is no command: %s',
    (text) => {
      expect(loginAdvice({ agentMessage: `Run \`${text}\` first.` }).commands).toEqual([]);
    },
  );

  test('the methods in the data of an error are used if the agent offers none otherwise', () => {
    const data = { authMethods: [{ id: 'k', name: 'Key', type: 'env_var', vars: [{ name: 'MY_KEY' }] }] };
    expect(loginAdvice({ authMethods: [], data }).variables).toEqual(['MY_KEY']);
    expect(loginAdvice({ authMethods: [method({})], data }).variables).toEqual([]);
  });

  test('the page of the registry is named only if nothing else is known', () => {
    const website = 'https://example.com/agent';
    expect(loginAdvice({ website }).text).toContain(website);
    expect(loginAdvice({ website, agentMessage: 'Run `my login` first.' }).text).toBe(
      'Run in a terminal: `my login`.',
    );
  });

  test('what a hostile agent sends stays on one line, and the sentences stay short', () => {
    const many = Array.from({ length: 5000 }, (_, index) => method({ methodId: `${index}` }));
    expect(loginAdvice({ authMethods: many }).text.length).toBeLessThan(200);
    const { text } = loginAdvice({
      authMethods: [method({ name: 'a\n\u001b[31mred\u202e', description: 'x'.repeat(100_000) })],
      agentMessage: 'run `'.repeat(20_000),
      data: { authMethods: 7 },
    });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(text).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});

describe('a command in _meta["terminal-auth"]', () => {
  const read = (meta: unknown, type?: string) =>
    readInitialize({ authMethods: [{ id: 'm', name: 'Login', ...(type && { type }), _meta: meta }] } as never)
      .authMethods[0];

  test('makes a method of type agent one that runs in a terminal', () => {
    const terminal = { command: 'copilot', args: ['login'], env: { A: '1' }, label: 'Copilot' };
    expect(read({ 'terminal-auth': terminal })).toMatchObject({
      type: 'terminal',
      command: 'copilot',
      args: ['login'],
      env: { A: '1' },
    });
  });

  test('changes nothing in a method of another type, or if it is malformed', () => {
    expect(read({ 'terminal-auth': { command: 'node', args: ['x'] } }, 'terminal')).not.toHaveProperty(
      'command',
    );
    expect(read({ 'terminal-auth': { command: 7 } })).toMatchObject({ type: 'agent' });
    expect(read({ 'terminal-auth': true })).toMatchObject({ type: 'agent' });
  });
});
