export const GENERATE = ['generate', '-r', '2026-07-28', '--emit', 'methods'] as const;

export function rows(catalog: Record<string, unknown>): object[] {
  return catalog['methods'] as object[];
}
