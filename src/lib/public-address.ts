import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

type Network = readonly [network: string, bits: number, name: string]

/**
 * The IANA IPv4 Special-Purpose Address Registry, and multicast. Blocks that the registry calls
 * globally reachable are included: they serve protocols (AS112, AMT), never a host that a user
 * would name.
 */
const special4: readonly Network[] = [
  ['0.0.0.0', 8, 'This network'],
  ['10.0.0.0', 8, 'Private-Use'],
  ['100.64.0.0', 10, 'Shared Address Space'],
  ['127.0.0.0', 8, 'Loopback'],
  ['169.254.0.0', 16, 'Link Local'],
  ['172.16.0.0', 12, 'Private-Use'],
  ['192.0.0.0', 24, 'IETF Protocol Assignments'],
  ['192.0.2.0', 24, 'Documentation (TEST-NET-1)'],
  ['192.31.196.0', 24, 'AS112-v4'],
  ['192.52.193.0', 24, 'AMT'],
  ['192.88.99.0', 24, '6to4 Relay Anycast (deprecated)'],
  ['192.168.0.0', 16, 'Private-Use'],
  ['192.175.48.0', 24, 'Direct Delegation AS112 Service'],
  ['198.18.0.0', 15, 'Benchmarking'],
  ['198.51.100.0', 24, 'Documentation (TEST-NET-2)'],
  ['203.0.113.0', 24, 'Documentation (TEST-NET-3)'],
  ['224.0.0.0', 4, 'Multicast'],
  ['240.0.0.0', 4, 'Reserved, and Limited Broadcast'],
]

/**
 * The IANA IPv6 Special-Purpose Address Registry, multicast, and blocks deprecated by RFCs. Two
 * blocks of the registry are omitted: for `::ffff:0:0/96` and `64:ff9b::/96` the embedded address
 * decides (see `embedding4`).
 */
const special6: readonly Network[] = [
  ['::', 96, 'Unspecified, Loopback, and IPv4-compatible addresses (deprecated)'],
  ['::ffff:0:0:0', 96, 'IPv4-translated addresses (SIIT)'],
  ['64:ff9b:1::', 48, 'IPv4-IPv6 Translation, local use'],
  ['100::', 64, 'Discard-Only Address Block'],
  ['100:0:0:1::', 64, 'Dummy IPv6 Prefix'],
  ['2001::', 23, 'IETF Protocol Assignments: Teredo, Benchmarking, AMT, ORCHID, Drone Remote ID'],
  ['2001:db8::', 32, 'Documentation'],
  ['2002::', 16, '6to4'],
  ['2620:4f:8000::', 48, 'Direct Delegation AS112 Service'],
  ['3fff::', 20, 'Documentation'],
  ['5f00::', 16, 'Segment Routing (SRv6) SIDs'],
  ['fc00::', 7, 'Unique-Local'],
  ['fe80::', 10, 'Link-Local Unicast'],
  ['fec0::', 10, 'Site-Local Unicast (deprecated)'],
  ['ff00::', 8, 'Multicast'],
]

/** IPv6 prefixes whose last 32 bits are the IPv4 address that the packet finally reaches. */
const embedding4 = [
  '::ffff:', // IPv4-mapped
  '64:ff9b::', // NAT64: on IPv6-only networks the name server returns such an address for every IPv4 host
]

const blocked = new BlockList()
for (const [network, bits] of special6) blocked.addSubnet(network, bits, 'ipv6')
for (const [network, bits] of special4) {
  blocked.addSubnet(network, bits, 'ipv4')
  for (const prefix of embedding4) blocked.addSubnet(`${prefix}${network}`, 96 + bits, 'ipv6')
}

/** Allocated addresses: global unicast, and the prefixes that embed IPv4. */
const allocated6 = new BlockList()
allocated6.addSubnet('2000::', 3, 'ipv6')
for (const prefix of embedding4) allocated6.addSubnet(`${prefix}0.0.0.0`, 96, 'ipv6')

/**
 * Returns whether an IP address belongs to the public internet; false for text that is not an IP
 * address.
 */
export function isPublicAddress(address: string): boolean {
  const bare = withoutZone(address)
  if (isIP(bare) === 4) return !blocked.check(bare, 'ipv4')
  return isIP(bare) === 6 && allocated6.check(bare, 'ipv6') && !blocked.check(bare, 'ipv6')
}

/**
 * Returns whether an IP address is one of this machine's own. Such an address can be public, but a
 * firewall in front of the machine does not see its connections to itself.
 */
export function isOwnAddress(address: string, interfaces = networkInterfaces()): boolean {
  const own = new BlockList()
  for (const { address: each, family } of Object.values(interfaces).flatMap(list => list ?? [])) {
    own.addAddress(withoutZone(each), family === 'IPv6' ? 'ipv6' : 'ipv4')
    if (family === 'IPv4')
      for (const prefix of embedding4) own.addAddress(`${prefix}${each}`, 'ipv6')
  }
  const bare = withoutZone(address)
  return isIP(bare) !== 0 && own.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Returns whether the server may connect to an IP address when only the public internet is allowed.
 */
export const isAllowedAddress = (address: string): boolean =>
  isPublicAddress(address) && !isOwnAddress(address)

/** Removes the zone: it selects a network interface and is not part of the address. */
const withoutZone = (address: string): string => address.split('%', 1)[0] ?? ''

/**
 * The "bad ports" of the Fetch standard: ports of protocols that an HTTP request could abuse or
 * probe.
 */
const badPorts: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95],
  ...[101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179],
  ...[389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587],
  ...[601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061],
  ...[6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
])

/**
 * Returns whether HTTP requests may use the port of a URL; like browsers, it refuses ports of other
 * protocols.
 */
export const isAllowedPort = ({ port }: URL): boolean => port === '' || !badPorts.has(Number(port))
