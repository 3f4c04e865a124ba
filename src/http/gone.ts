import type { ServerResponse } from 'node:http'
import { Fault } from '../errors.ts'

const signals = new WeakMap<ServerResponse, AbortSignal>()

/** Returns a signal that is aborted when the connection closes before the answer was sent: the same one for each response. */
export function goneOf(res: ServerResponse): AbortSignal {
  const known = signals.get(res)
  if (known) return known
  const gone = new AbortController()
  signals.set(res, gone.signal)
  const close = () => {
    if (!res.writableFinished) gone.abort(new Fault('unavailable', 'The caller hung up before the answer.'))
  }
  if (res.closed) close()
  else res.once('close', close)
  return gone.signal
}
