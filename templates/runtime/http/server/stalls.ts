/** When a client counts as one that reads nothing. */

/** Bytes written at once. What the system accepts shows that a client reads, even within a message. */
export const SLICE_BYTES = 64 * 1024;
/** Milliseconds after which accepted bytes prove that a client reads: by then the system's buffers are full. */
export const READING_GAP_MS = 500;
/** Bytes that the system may accept although the client has read none. */
const MAX_SOCKET_BUFFER_BYTES = 2 * 1024 * 1024;
/**
 * The system accepts more only after a large part of its buffers is read: each of these many bytes adds one stall time.
 */
const SOCKET_BYTES_PER_STALL = 256 * 1024;

/**
 * Whether a client has read nothing for too long.
 *
 * @param idle - Milliseconds since it last read something.
 * @param stallTimeout - Milliseconds that it may take, if the system has accepted nothing.
 * @param passedOn - Bytes that the system has accepted for it in total.
 */
export function hasStalled(
  idle: number,
  stallTimeout: number,
  passedOn: number,
): boolean {
  const invisible = Math.min(passedOn, MAX_SOCKET_BUFFER_BYTES);
  return idle > stallTimeout * (1 + invisible / SOCKET_BYTES_PER_STALL);
}
