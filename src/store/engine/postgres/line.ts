import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { Figures } from '../figures.ts'
import { unavailable } from './codes.ts'
import {
  type Answer,
  answered,
  type Batch,
  broken,
  type LineEnd,
  ready,
  state,
  type ToWorker,
} from './messages.ts'

/** A call that its caller awaits. */
type Awaited = { id: number; take: (answer: Answer | undefined) => void }

/**
 * A connection in the worker thread. A call waits for it, but never longer than a deadline: when one
 * has passed, calls fail at once until that thread has found the database again.
 */
export class Line {
  readonly deadlineMs: number
  /** For the worker thread. */
  readonly end: LineEnd
  readonly #figures: Figures
  readonly #flags: Int32Array
  readonly #port: MessagePort
  /** The number 1 is that of the start. */
  #asked = 1
  #awaited: Awaited | undefined

  /** `isAwaited`: whether calls may be awaited, one at a time. */
  constructor(deadlineMs: number, figures: Figures, isAwaited: boolean) {
    this.deadlineMs = deadlineMs
    this.#figures = figures
    const shared = new SharedArrayBuffer(8)
    this.#flags = new Int32Array(shared)
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    if (isAwaited) port1.on('message', (answer: Answer) => this.#hear(answer))
    port1.unref()
    this.end = { port: port2, shared }
  }

  /** Waits for the start of the thread. Returns undefined after `mostMs`. */
  begun(mostMs: number): Answer | undefined {
    return this.#await(1, mostMs)
  }

  /**
   * Runs a batch and returns its answer. Blocks the thread, for at most `mostMs`. Throws a
   * DatabaseError if there is no answer.
   */
  call(batch: Batch, mostMs: number): Answer {
    const id = this.#ask(batch)
    const from = performance.now()
    const answer = this.#await(id, Math.min(mostMs, this.deadlineMs))
    this.#figures.addBlock(performance.now() - from)
    return answer ?? this.#giveUp()
  }

  /** Like `call`, but blocks nothing. One call must have ended before the next. */
  async callBeside(batch: Batch, mostMs: number): Promise<Answer> {
    const id = this.#ask(batch)
    const answer = await this.#awaitBeside(id, Math.min(mostMs, this.deadlineMs))
    return answer ?? this.#giveUp()
  }

  /** Runs a batch before the next one, without an answer. */
  post(batch: Batch): void {
    if (Atomics.load(this.#flags, state) === ready) this.#post(batch)
  }

  #ask(batch: Batch): number {
    if (Atomics.load(this.#flags, state) === broken) throw unavailable()
    this.#figures.trips++
    return this.#post(batch)
  }

  #giveUp(): never {
    Atomics.compareExchange(this.#flags, state, ready, broken)
    this.#send({ reset: true })
    throw unavailable()
  }

  #post(batch: Batch): number {
    const id = ++this.#asked
    this.#send({ id, batch })
    return id
  }

  #send(message: ToWorker): void {
    this.#port.postMessage(message)
  }

  /** Waits for the answer with a number; undefined: it did not come in time. */
  #await(id: number, mostMs: number): Answer | undefined {
    const until = performance.now() + mostMs
    for (;;) {
      const last = Atomics.load(this.#flags, answered)
      if (last >= id) return this.#receive(id)
      const left = until - performance.now()
      if (left <= 0 || Atomics.wait(this.#flags, answered, last, left) === 'timed-out')
        return undefined
    }
  }

  #awaitBeside(id: number, mostMs: number): Promise<Answer | undefined> {
    return new Promise(resolve => {
      const finish = (answer: Answer | undefined) => {
        clearTimeout(timer)
        this.#awaited = undefined
        resolve(answer)
      }
      // The answer may be there, where this thread has been busy.
      const late = () => finish(this.#await(id, 0))
      const timer = setTimeout(late, mostMs)
      this.#awaited = { id, take: finish }
    })
  }

  #hear(answer: Answer): void {
    if (this.#awaited?.id === answer.id) this.#awaited.take(answer)
  }

  /** Takes the answer with a number, and drops those that no call waits for. */
  #receive(id: number): Answer | undefined {
    for (;;) {
      const received = receiveMessageOnPort(this.#port) as { message: Answer } | undefined
      if (received === undefined || received.message.id === id) return received?.message
    }
  }

  close(): void {
    this.#awaited?.take(undefined)
    const id = ++this.#asked
    this.#send({ close: id })
    this.#await(id, 500)
    this.#port.close()
  }
}
