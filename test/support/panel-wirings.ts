import { MessageChannel } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { messagePortChannel, type PanelChannel, webSocketChannel } from '../../src/ui/panel/channel.ts';
import { channelPair } from './panel-pair.ts';
import { socketServer } from './web-socket-server.ts';

/** Connects pages to a host over one kind of channel. Returns a function that opens the page's end of a new channel. */
type Wiring = (attach: (channel: PanelChannel) => unknown) => Promise<() => PanelChannel>;

export const wirings: Readonly<Record<string, Wiring>> = {
  async memory(attach) {
    return () => {
      const { host, page } = channelPair();
      attach(host);
      return page;
    };
  },
  async MessagePort(attach) {
    return () => {
      const { port1, port2 } = new MessageChannel();
      onTestFinished(() => port1.close());
      attach(messagePortChannel(port1));
      return messagePortChannel(port2);
    };
  },
  async WebSocket(attach) {
    const { server, url } = await socketServer();
    server.on('connection', (socket) => attach(webSocketChannel(socket)));
    return () => webSocketChannel(new WebSocket(url));
  },
};
