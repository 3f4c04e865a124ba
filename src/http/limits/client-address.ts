import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Config } from '../../config.ts'

const mapped = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i
const loopback = /^(?:127\.|::1$)/

/** Returns whether an address is a loopback address. */
export const isLoopback = (address: string): boolean => loopback.test(address.replace(mapped, ''))

/**
 * Returns whether a connection from this address comes from a trusted proxy, which speaks for many
 * clients.
 */
export const isProxy = (address: string, trust: Config['trustProxy']): boolean =>
  trust === 'loopback' ? isLoopback(address) : trust !== false

/**
 * Returns the address of the client: the connection's, or behind trusted proxies the one that the
 * last of them names in X-Forwarded-For. Returns '' when the connection is already closed.
 */
export function clientAddress(req: IncomingMessage, trust: Config['trustProxy']): string {
  let address = (req.socket.remoteAddress ?? '').replace(mapped, '')
  const header = trust === false ? undefined : req.headers['x-forwarded-for']
  if (header === undefined) return address

  const told = String(header).split(',')

  for (let hop = 0; told.length > 0; hop++) {
    if (trust === 'loopback' ? !isLoopback(address) : hop >= Number(trust)) break
    const before = told.pop()?.trim().replace(mapped, '') ?? ''
    if (isIP(before) === 0) break
    address = before
  }

  return address
}

/**
 * Returns the group that counts as one client: an IPv4 address, or the /64 network of an IPv6
 * address, which one host has to itself.
 */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array<string>(Math.max(0, zeros)).fill('0'), ...right]

  return `${groups
    .slice(0, 4)
    .map(group => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')}::/64`
}
