export type {
  DefinitionContext,
  ObjectSchema,
  SchemaValidation,
  ToolSchema,
  TypedSchema,
  ContentAnnotations,
  ResourceContents,
  Content,
  ResourceInfo,
  ResourceMeta,
  ResourceOutcome,
  ToolMeta,
} from "./registry/types.js";
export { ToolError, defineTool, toolHandlers } from "./registry/tools.js";
export type {
  ToolOutcome,
  PlainToolResult,
  FailedToolResult,
  StructuredToolResult,
  ToolHints,
  ToolDefinition,
  RegisteredTool,
  ToolHandlers,
} from "./registry/tools.js";
export { APP_MIME_TYPE } from "./server/apps.js";
export {
  appWarnings,
  defineResource,
  defineResourceTemplate,
  resourceHandlers,
} from "./registry/resources.js";
export type {
  ResourceDefinition,
  VariablesOf,
  TemplateVariables,
  TemplateResource,
  Completer,
  ResourceTemplateDefinition,
  RegisteredResource,
  ResourceHandlers,
} from "./registry/resources.js";
export { definePrompt, promptHandlers } from "./registry/prompts.js";
export type {
  PromptArgument,
  PromptMessage,
  PromptOutcome,
  PromptValues,
  PromptDefinition,
  RegisteredPrompt,
  PromptHandlers,
} from "./registry/prompts.js";
