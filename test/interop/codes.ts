/** JSON-RPC's code for params that are wrong. */
export const INVALID_PARAMS = -32602;
/** JSON-RPC's code for a method that there is not. */
export const METHOD_NOT_FOUND = -32601;
