import type { IncomingMessage, RequestListener } from 'node:http'
import type { Gate } from '../store/gate.ts'
import { closeWithConnection, markBusy } from './limits/connections.ts'

/** The error of each request that did not pass. */
const failures = new WeakMap<IncomingMessage, unknown>()

/** The requests that were there with their whole body before the look that they waited for began. */
const arrivedWhole = new WeakSet<IncomingMessage>()

/**
 * Resolves when this node knows what other nodes have written before the body of a request ended. One
 * that came together with its headers waits for no look of its own.
 */
export async function passWithBody(gate: Gate | undefined, req: IncomingMessage): Promise<void> {
  if (!arrivedWhole.has(req)) await gate?.pass()
}

/** Returns why a request did not pass the gate; undefined: it passed, or there is none. */
export const failureAtGate = (req: IncomingMessage): unknown => failures.get(req)

/**
 * Lets a request wait until this node knows all that other nodes have written before it arrived: so no
 * answer is older than a write that another node has acknowledged. A request that fails there is
 * answered too, and `failureAtGate` tells why. Whether the process runs can be asked without the gate.
 */
export const behindGate =
  (gate: Gate, answer: RequestListener): RequestListener =>
  (req, res) => {
    closeWithConnection(req, res)
    markBusy(req.socket, res)
    const goOn = () => {
      if (!res.closed && !req.socket.destroyed) answer(req, res)
    }
    if (isAboutProcess(req)) return goOn()
    const pass = () => {
      if (req.complete) arrivedWhole.add(req)
      gate.pass().then(goOn, error => {
        failures.set(req, error)
        goOn()
      })
    }
    // What came together with the headers is read after this function.
    if (req.method === 'GET') pass()
    else setImmediate(pass)
  }

const isAboutProcess = ({ url = '' }: IncomingMessage): boolean => /^\/healthz(?:\?|$)/.test(url)
