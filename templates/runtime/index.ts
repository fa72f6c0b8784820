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
export * from "./call-errors.js";
export {
  allPages,
  BaseClient,
  InvalidResultError,
  TooManyRoundsError,
} from "./client.js";
export type {
  ClientContext,
  ClientHandler,
  ClientListener,
  ClientSettings,
  ListenOptions,
  ServerFacts,
  Subscription,
} from "./client.js";
export { Endpoint, SERVER_BUSY } from "./endpoint.js";
export type {
  CallOptions,
  EndpointEvent,
  EndpointOptions,
  Exchange,
  Progress,
  Role,
} from "./endpoint.js";
export { memoryPair } from "./memory.js";
export { vendorNotification } from "./revision.js";
export { RequestStateSeal } from "./request-state.js";
export type { RequestState, RequestStateOptions } from "./request-state.js";
export type {
  EmbeddedFacts,
  Implementation,
  MethodFacts,
  Revision,
  Side,
  VendorNotification,
} from "./revision.js";
export { Server, ServerSession } from "./server.js";
export type {
  ClientFacts,
  EmbeddedRequest,
  Handler,
  HandlerContext,
  Listener,
  ServerCore,
  ServerSettings,
} from "./server.js";
export type { SendOptions, Transport } from "./transport.js";
