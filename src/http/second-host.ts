import type { IncomingMessage } from 'node:http'
import { Fault } from '../errors.ts'

/**
 * Throws 'malformed_request' for a request with several Host headers: a proxy and the server may believe
 * different ones.
 */
export function checkHosts({ rawHeaders }: IncomingMessage): void {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === 'host') hosts++
  if (hosts > 1)
    throw new Fault('malformed_request', 'The request has several Host headers. Send one.')
}
