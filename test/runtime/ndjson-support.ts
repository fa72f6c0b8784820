export const RESULT = '{"jsonrpc":"2.0","id":1,"result":{}}';

/** How many streams each property is tried with; a longer run by this variable. */
export const RUNS = Number(process.env['MCPGEN_FUZZ_RUNS'] ?? 1000);
