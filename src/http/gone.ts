import type { ServerResponse } from 'node:http'
import { Fault } from '../errors.ts'

/** Returns a signal that is aborted when the connection closes before the answer was sent. */
export function goneOf(res: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const close = () => {
    if (!res.writableFinished) gone.abort(new Fault('unavailable', 'The caller hung up before the answer.'))
  }
  if (res.closed) close()
  else res.once('close', close)
  return gone.signal
}
