import type { RequestHandler } from 'express'
import { Fault } from '../errors.ts'

/**
 * Refuses requests with several Host headers: a proxy and the server may believe different ones.
 */
export const refuseSecondHost: RequestHandler = (req, _res, next) => {
  let hosts = 0
  for (let at = 0; at < req.rawHeaders.length; at += 2)
    if (req.rawHeaders[at]?.toLowerCase() === 'host') hosts++
  next(
    hosts > 1
      ? new Fault('malformed_request', 'The request has several Host headers. Send one.')
      : undefined,
  )
}
