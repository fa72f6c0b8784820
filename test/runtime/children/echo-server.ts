/** Echoes messages over our stdio transport. With the argument `log`, it also writes to standard output. */
import { stdioServerTransport } from '../../../templates/runtime/stdio-server.js';

const mode = process.argv[2];
const transport = stdioServerTransport();
transport.onmessage = (value) => {
  if (mode === 'log') console.log('stray', JSON.stringify(value));
  if (mode === 'bye') {
    void transport.send(value as object);
    void transport.close();
  } else if (mode === 'async') {
    void Promise.resolve()
      .then(() => undefined)
      .then(() => transport.send(value as object));
  } else void transport.send(value as object);
};
transport.oninvalid = ({ reason }) => void transport.send({ jsonrpc: '2.0', method: 'invalid', params: { reason } });
transport.onerror = (error) => process.stderr.write(`error ${error.message}\n`);
transport.onclose = () => {
  process.stderr.write('closed\n');
  if (mode === 'log') console.log('after close');
};
await transport.start();
