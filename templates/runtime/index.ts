export * from "./error-codes.js";
export * from "./message.js";
export { collectBatch, DEFAULT_MAX_DEPTH, parseMessage } from "./parse.js";
export type {
  Classification,
  ClassifiedMessage,
  Fault,
  Invalid,
  Parsed,
  ParsedBatch,
  ParseOptions,
} from "./parse.js";
export {
  DEFAULT_MAX_MESSAGE_BYTES,
  MessageReader,
  readMessages,
} from "./ndjson.js";
export type {
  ByteSource,
  Diagnostic,
  DiagnosticCode,
  ReaderOptions,
  StreamEvent,
  WebByteStream,
} from "./ndjson.js";
export type { About } from "./text.js";
export { encodeLine, encodeText, writeLine, writeText } from "./write.js";
export type { NodeSink, Sink, WebSink, WebSinkWriter } from "./write.js";
