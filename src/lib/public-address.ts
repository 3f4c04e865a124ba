import { isIP } from 'node:net'

/**
 * Networks that are not the public internet: this machine, the operator's network, and what no host may use.
 */
const closed4: readonly [network: string, bits: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

const closed6: readonly [network: string, bits: number][] = [
  ['::', 96], // unspecified, loopback, and the old form of IPv4 inside IPv6
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]

/** Whether requests may go to this IP address when only the public internet is allowed. No address: false. */
export function isPublicAddress(address: string): boolean {
  const [bare = ''] = address.split('%') // a zone says which interface, not which address
  if (isIP(bare) === 4)
    return !closed4.some(([network, bits]) => inNetwork(bits4(bare), bits4(network), bits, 32))
  if (isIP(bare) !== 6) return false
  const value = bits6(bare)
  // ::ffff:0:0/96 is IPv4 in disguise: the rule of the address inside holds.
  if (value >> 32n === 0xffffn) return isPublicAddress(text4(value & 0xffffffffn))
  return !closed6.some(([network, bits]) => inNetwork(value, bits6(network), bits, 128))
}

const inNetwork = (value: bigint, network: bigint, bits: number, width: number): boolean =>
  value >> BigInt(width - bits) === network >> BigInt(width - bits)

const bits4 = (text: string): bigint => text.split('.').reduce((all, part) => (all << 8n) | BigInt(part), 0n)

const text4 = (value: bigint): string => [24n, 16n, 8n, 0n].map(shift => (value >> shift) & 0xffn).join('.')

function bits6(text: string): bigint {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  const low = dotted ? bits4(dotted[2]!) : 0n
  const plain = dotted ? `${dotted[1]}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}` : text
  const [head = '', tail] = plain.split('::')
  const parts = (side: string) => (side === '' ? [] : side.split(':'))
  const [before, after] = [parts(head), parts(tail ?? '')]
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after]
  return groups.reduce((all, part) => (all << 16n) | BigInt(`0x${part}`), 0n)
}
