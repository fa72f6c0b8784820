import { scriptCommand } from './support.js';

export const REVISION = ['--revision', '2025-11-25'];

/** Answers all that is asked as it should, but for what comes first; much faster to start than a whole server. */
export const small = (own: string): string =>
  scriptCommand(
    `const { id, method, params } = message;
     const answer = (result) => write({ jsonrpc: '2.0', id, result });
     const fail = (code) => write({ jsonrpc: '2.0', id: id ?? null, error: { code, message: 'No' } });
     ${own}
     if (line.trim() === '') continue;
     else if (Object.keys(message).length === 0) { try { JSON.parse(line); fail(-32600); } catch { fail(-32700); } }
     else if (typeof method !== 'string') fail(-32600);
     else if (method === 'initialize') answer({ protocolVersion: '2025-11-25', capabilities: { logging: {} }, serverInfo: { name: 'small', version: '1.0.0' } });
     else if (id === undefined) continue;
     else if (method === 'ping') answer({});
     else if (method === 'logging/setLevel') fail(-32602);
     else fail(-32601);`,
    "process.stdin.on('end', () => process.exit())",
  );
