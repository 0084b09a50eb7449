// An agent by hand: it keeps every byte of its input, and talks more than it should.
const version = Number(process.argv[2]);
const chunks = [];
let pending = '';

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

const initialized = {
  1: { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: 'noisy', version: '1' } },
  2: { protocolVersion: 2, info: { name: 'noisy', version: '1' }, capabilities: { session: {} } },
};

const answers = {
  initialize: () => initialized[version],
  'session/new': () => ({ sessionId: 's1' }),
  'session/prompt': () => {
    process.stderr.write('thinking \u2026\nand more\n');
    process.stdout.write('Loading model: 100%\n\n\r\n{"half": \n42\n');
    const chunk = { type: 'text', text: 'two\u2028lines\n\u00e9\ud83d\ude80' };
    say({
      jsonrpc: '2.0',
      method: 'session/update',
      params: {
        sessionId: 's1',
        update: { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: chunk },
      },
    });
    if (version === 1) return { stopReason: 'end_turn' };
    say({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: 's1', update: { sessionUpdate: 'state_update', state: 'running' } },
    });
    setTimeout(() =>
      say({
        jsonrpc: '2.0',
        method: 'session/update',
        params: {
          sessionId: 's1',
          update: { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' },
        },
      }),
    );
    return { messageId: 'u1' };
  },
  '_test/input': () => ({ base64: Buffer.concat(chunks).toString('base64') }),
};

process.stdin.on('data', (chunk) => {
  chunks.push(chunk);
  pending += chunk.toString('latin1');
  const lines = pending.split('\n');
  pending = lines.pop() ?? '';
  for (const line of lines) {
    const { id, method } = JSON.parse(Buffer.from(line, 'latin1').toString('utf8'));
    if (id !== undefined && answers[method]) say({ jsonrpc: '2.0', id, result: answers[method]() });
  }
});
