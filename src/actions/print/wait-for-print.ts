import { setTimeout } from 'node:timers/promises'
import { Fault } from '../../errors.ts'
import type { PrintFile } from '../made-files/print-files.ts'

/**
 * The longest wait for a PDF, in milliseconds, before the client is asked to retry. Proxies close
 * slow requests.
 */
const longestWait = 50_000

/**
 * Returns the PDF of a run. Throws 'unavailable' if the run takes longer than a client waits; it
 * goes on meanwhile.
 */
export async function waitForPrint(run: Promise<PrintFile>): Promise<PrintFile> {
  const stop = new AbortController()
  const late = setTimeout(longestWait, undefined, { signal: stop.signal, ref: false }).catch(
    () => undefined,
  )
  try {
    const print = await Promise.race([run, late])
    if (print) return print
  } finally {
    stop.abort()
  }

  throw new Fault(
    'pdf_pending',
    'The PDF is still being made. Open this address again in a minute.',
  )
}
