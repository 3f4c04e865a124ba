import type { ServerResponse } from 'node:http'
import { Fault } from '../errors.ts'

const signals = new WeakMap<ServerResponse, AbortSignal>()

/**
 * Returns a signal that aborts when the connection closes before the response is sent: one signal
 * per response.
 */
export function abortSignalOf(res: ServerResponse): AbortSignal {
  const known = signals.get(res)
  if (known) return known
  const gone = new AbortController()
  signals.set(res, gone.signal)
  const close = () => {
    if (!res.writableFinished)
      gone.abort(new Fault('client_gone', 'The client closed the connection before the response.'))
  }
  if (res.closed) close()
  else res.once('close', close)

  return gone.signal
}
