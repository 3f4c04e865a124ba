import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Config } from '../../config.ts'
import { clientAddress, isLoopback } from './client-address.ts'

/** Headers that proxies and tunnels add. */
const addedByProxies = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
]

/**
 * Returns whether a request comes from the machine on which the server runs. A proxy on this machine
 * connects from here for clients anywhere: its requests count only if it is trusted and names a
 * client on this machine. Not every proxy adds a header, so that without one, the server must also
 * be called by a name of this machine.
 */
export function isFromThisMachine(
  req: IncomingMessage,
  { trustProxy, publicUrl }: Pick<Config, 'trustProxy' | 'publicUrl'>,
): boolean {
  if (!isOwnAddress(clientAddress(req, trustProxy))) return false
  const told = req.headers['x-forwarded-for']
  if (trustProxy !== false && told !== undefined)
    return String(told)
      .split(',')
      .every(address => isIP(address.trim()) !== 0)

  if (addedByProxies.some(name => req.headers[name] !== undefined)) return false
  const isLocal = publicUrl === undefined || isOwnHost(new URL(publicUrl).hostname)
  const host = URL.parse(`http://${req.headers.host ?? ''}`)
  return isLocal && host !== null && isOwnHost(host.hostname)
}

const isOwnHost = (hostname: string): boolean =>
  hostname === 'localhost' || isOwnAddress(hostname.replace(/^\[|\]$/g, ''))

/** Returns whether an IP address is one of this machine. */
const isOwnAddress = (address: string): boolean =>
  isIP(address) !== 0 &&
  (isLoopback(address) ||
    Object.values(networkInterfaces()).some(each =>
      each?.some(own => own.address === address.split('%', 1)[0]),
    ))
