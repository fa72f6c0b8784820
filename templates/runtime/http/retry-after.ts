/**
 * The milliseconds in a `Retry-After` header (RFC 9110, 10.2.3): seconds, or a date.
 *
 * @param now - Milliseconds since 1970.
 * @returns Undefined if there is no header, or it is neither.
 */
export function retryAfterMs(
  { headers }: Pick<Response, "headers">,
  now: number = Date.now(),
): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Each form of a date begins with the name of a day.
  const date = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
