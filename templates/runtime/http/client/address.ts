import { publicUrl } from "../errors.js";

/** The network from which an address can be reached. */
type Reach = "loopback" | "private" | "public" | "link-local";

/** Names that only this machine or its local network resolves (RFC 6761, 6762, 8375; `.internal` by ICANN). */
const PRIVATE_NAME = /(?:^|\.)(?:local|internal|home\.arpa|lan|intranet)$/;

/** IPv4 blocks that are not public: first address, prefix length, and reach. */
const V4_BLOCKS: readonly (readonly [string, number, Reach])[] = [
  // "This host": connects to loopback.
  ["0.0.0.0", 8, "loopback"],
  ["127.0.0.0", 8, "loopback"],
  ["169.254.0.0", 16, "link-local"],
  ["10.0.0.0", 8, "private"],
  ["172.16.0.0", 12, "private"],
  ["192.168.0.0", 16, "private"],
  // Shared address space, IETF protocols, benchmarks, multicast and reserved blocks.
  ["100.64.0.0", 10, "private"],
  ["192.0.0.0", 24, "private"],
  ["198.18.0.0", 15, "private"],
  ["224.0.0.0", 3, "private"],
];

/**
 * Why a URL named by a server must not be fetched; undefined if it may. A public server must not direct the client to
 * this machine or its local network (MCP, security best practices, SSRF): it may name only public addresses, a server
 * in a private network also private ones, and a server on this machine all of these. Only a link-local server may name
 * link-local addresses, where clouds provide credentials. Another origin requires https, unless it is on this machine.
 *
 * Checks literal addresses, in every notation of URLs, and names that are private by definition. Other names are not
 * resolved: only the network, or a custom `fetch`, can check their addresses.
 *
 * @param server - The URL of the server, which the user chose.
 */
export function refuseTarget(server: URL, target: URL): string | undefined {
  if (target.origin === server.origin) return undefined;
  const shown = publicUrl(target);
  if (target.protocol !== "https:" && target.protocol !== "http:")
    return `the server names ${shown}, which is not an HTTP URL`;
  const from = reachOfHost(server.hostname);
  const to = reachOfHost(target.hostname);
  if (!MAY_NAME[from].includes(to))
    return `the server names ${shown}, a ${to} address, but is itself ${from}`;
  if (target.protocol === "http:" && to !== "loopback")
    return `the server names ${shown}, which must be an https URL`;
  return undefined;
}

/** Whether a URL is on this machine. */
export function isLoopback(url: URL): boolean {
  return reachOfHost(url.hostname) === "loopback";
}

const MAY_NAME: Readonly<Record<Reach, readonly Reach[]>> = {
  loopback: ["loopback", "private", "public"],
  private: ["private", "public"],
  public: ["public"],
  "link-local": ["link-local", "public"],
};

/** The reach of a host as `URL` serializes it, which normalizes all notations of an address. */
function reachOfHost(hostname: string): Reach {
  const host = hostname.replace(/\.$/, "");
  if (host.startsWith("[")) return reachOfV6(ipv6Groups(host.slice(1, -1)));
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return reachOfV4(ipv4Number(host));
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  // A name without a dot belongs to the local network.
  return !host.includes(".") || PRIVATE_NAME.test(host) ? "private" : "public";
}

function reachOfV4(address: number): Reach {
  const block = V4_BLOCKS.find(
    ([first, length]) =>
      Math.floor(address / 2 ** (32 - length)) ===
      Math.floor(ipv4Number(first) / 2 ** (32 - length)),
  );
  return block?.[2] ?? "public";
}

function reachOfV6(groups: readonly number[]): Reach {
  const [first = 0, second = 0, third = 0] = groups;
  const v4 = (index: number): Reach =>
    reachOfV4((groups[index] ?? 0) * 2 ** 16 + (groups[index + 1] ?? 0));
  const hasZeros = (from: number, to: number): boolean =>
    groups.slice(from, to).every((group) => group === 0);
  if (hasZeros(0, 7) && (groups[7] ?? 0) <= 1) return "loopback";
  // Embedded IPv4 addresses: compatible and mapped (RFC 4291), translated (RFC 2765), NAT64 (RFC 6052, 8215), 6to4.
  if (hasZeros(0, 6) || (hasZeros(0, 5) && groups[5] === 0xffff)) return v4(6);
  if (hasZeros(0, 4) && groups[4] === 0xffff && groups[5] === 0) return v4(6);
  if (first === 0x64 && second === 0xff9b)
    return third === 0 && hasZeros(3, 6) ? v4(6) : "private";
  if (first === 0x2002) return v4(1);
  if ((first & 0xffc0) === 0xfe80) return "link-local";
  // Only 2000::/3 is public; unique local, site-local and multicast addresses are outside it.
  return (first & 0xe000) === 0x2000 ? "public" : "private";
}

function ipv4Number(address: string): number {
  return address
    .split(".")
    .reduce((number, part) => number * 256 + Number(part), 0);
}

/** The eight groups of an IPv6 address. */
function ipv6Groups(address: string): readonly number[] {
  const [head = "", tail] = address.split("::");
  const parse = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => parseInt(group, 16));
  const before = parse(head);
  if (tail === undefined) return before;
  const after = parse(tail);
  const zeros = Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<number>(zeros).fill(0), ...after];
}
