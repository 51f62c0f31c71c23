/** An app of another program: a webhook on this machine that answers events. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Webhook {
  readonly url: string;
  /** The answer to the next events. */
  answer: object;
  readonly stop: () => void;
}

export async function startWebhook(answer: object): Promise<Webhook> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(webhook.answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const webhook: Webhook = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    answer,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return webhook;
}
