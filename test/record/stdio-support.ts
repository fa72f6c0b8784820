export const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
