import { createServer, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import { listen } from '../../src/node/loopback/http-server.ts';
import type { ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { askInChat } from '../../src/ui/bridges/ask-in-chat.ts';
import type { ChatSession } from '../../src/ui/bridges/chat-source.ts';
import type { Panel } from '../../src/ui/panel/connect.ts';
import { cwd, panelPair } from './panel-pair.ts';

/** A new session of an agent, whose permission requests wait for a chat. */
export async function openChatSession(agent: ScriptedAgent): Promise<Session> {
  const connection = await connect(agent.transport, {
    clientInfo: { name: 'test', version: '0' },
    handlers: { requestPermission: askInChat },
  });
  onTestFinished(() => connection.close());
  return connection.newSession({ cwd });
}

/** A panel that shows a new session of an agent. */
export async function openChatPanel(agent: ScriptedAgent): Promise<Panel> {
  agent.on('session/list', { sessions: [] });
  const { panel } = await panelPair({ options: { agent: () => agent.transport } });
  await panel.newSession();
  return panel;
}

/** A session, and what a bridge reaches it through. */
export interface ChatPlace {
  readonly session: ChatSession;
  /** Whether the bridge is on a server, and the interface reaches it over HTTP. */
  readonly isServed: boolean;
  readonly conversation: () => Session['conversation'];
}

export const chatPlaceNames = [
  'in the process of the session',
  'over HTTP, with the handler of the example',
  'over the channel of a panel',
];

/** A new session of an agent, and the way to it that has this name. */
export async function openChatPlace(name: string, agent: ScriptedAgent): Promise<ChatPlace> {
  const isServed = name.startsWith('over HTTP');
  if (!name.endsWith('panel')) {
    const session = await openChatSession(agent);
    return { session, isServed, conversation: () => session.conversation };
  }
  const session = await openChatPanel(agent);
  // It shows a session.
  const conversation = () => session.getSnapshot().conversation as Session['conversation'];
  return { session, isServed, conversation };
}

/** Serves a handler. Returns its address. */
export async function serveChat(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${await listen(server)}/`;
}
