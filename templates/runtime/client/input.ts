/**
 * Results that require input (MCP 2026-07-28).
 */
export const DEFAULT_MAX_ROUNDS = 10;

export const DEFAULT_MAX_INPUT_REQUESTS = 100;

export interface InputRequiredResult {
  readonly inputRequests?: Readonly<
    Record<string, { readonly method: string; readonly params?: object }>
  >;
  readonly requestState?: string;
}

export function isInputRequired(result: object): result is InputRequiredResult {
  return (
    (result as { readonly resultType?: unknown }).resultType ===
    "input_required"
  );
}
