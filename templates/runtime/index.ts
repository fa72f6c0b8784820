export * from "./jsonrpc/error-codes.js";
export * from "./jsonrpc/message.js";
export {
  classifyMessage,
  collectBatchResponse,
  parseMessage,
  readJson,
} from "./jsonrpc/parse.js";
export type {
  Classification,
  ClassifiedMessage,
  InvalidCode,
  Invalid,
  JsonOptions,
  Parsed,
  ParsedBatch,
  ParseOptions,
} from "./jsonrpc/parse.js";
export {
  DEFAULT_MAX_MESSAGE_BYTES,
  JsonLineReader,
  MessageReader,
  readMessages,
} from "./jsonrpc/ndjson.js";
export type {
  ByteSource,
  Diagnostic,
  DiagnosticCode,
  JsonLineEvent,
  JsonLineOptions,
  LineReaderOptions,
  LineEvent,
  WebByteStream,
} from "./jsonrpc/ndjson.js";
export { DEFAULT_MAX_DEPTH } from "./jsonrpc/scan.js";
export type { JsonValue, MessageKind } from "./jsonrpc/scan.js";
export {
  encodeLine,
  encodeText,
  writeLine,
  writeText,
} from "./jsonrpc/write.js";
export type {
  NodeSink,
  Sink,
  WebSink,
  WebSinkWriter,
} from "./jsonrpc/write.js";
export * from "./jsonrpc/call-errors.js";
export {
  allPages,
  BaseClient,
  InvalidResultError,
  TooManyInputsError,
  TooManyRoundsError,
} from "./client.js";
export type { ClientConnectionEvent } from "./jsonrpc/connection-events.js";
export type {
  CacheOptions,
  ClientContext,
  ClientRequestHandler,
  ClientNotificationHandler,
  ClientSettings,
  KeepAliveOptions,
  ListenOptions,
  ServerInfo,
  Subscription,
} from "./client.js";
export { Endpoint, SERVER_BUSY } from "./jsonrpc/endpoint.js";
export type {
  CallOptions,
  EndpointEvent,
  EndpointOptions,
  InboundRequest,
  Progress,
  Role,
} from "./jsonrpc/endpoint.js";
export type {
  ConnectionObserver,
  Instrument,
  Observation,
  ObservedConnection,
  OutgoingObservation,
  Outcome,
  SafeInstrument,
} from "./jsonrpc/instrument.js";
export { safeInstrument } from "./jsonrpc/instrument.js";
export { memoryPair } from "./memory.js";
export { pipe } from "./pipe.js";
export type { FrameAction, Pipe, PipeEnd, PipeOptions } from "./pipe.js";
export { maySend, vendorNotification } from "./protocol/revision.js";
export { RequestStateSigner } from "./protocol/request-state.js";
export type {
  RequestState,
  RequestStateOptions,
} from "./protocol/request-state.js";
export { createRevisionSession, revisionOf } from "./protocol/revision-of.js";
export type { RevisionSession } from "./protocol/revision-of.js";
export type {
  EmbeddedInfo,
  Implementation,
  MethodInfo,
  Revision,
  Side,
  VendorNotification,
} from "./protocol/revision.js";
export {
  canElicit,
  canShowPages,
  canListRoots,
  canSample,
  Server,
  ServerSession,
} from "./server.js";
export type {
  ClientInfo,
  EmbeddedRequest,
  RequestHandler,
  HandlerContext,
  NotificationHandler,
  ServerCore,
  ServerSettings,
} from "./server.js";
export type {
  SendOptions,
  Transport,
  TransportNetwork,
} from "./jsonrpc/transport.js";
