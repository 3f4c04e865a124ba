import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { startThread } from '../../../lib/thread.ts'
import type { Migration } from '../migrations.ts'
import { AsyncCalls } from './async-calls.ts'
import { unavailable } from './codes.ts'
import {
  type Answer,
  answered,
  type Batch,
  broken,
  ready,
  type Settings,
  state,
  type ToWorker,
} from './messages.ts'

export type PostgresOptions = {
  /** `postgres://…`, which may contain a password. */
  url: string
  /** How long a call waits for the database, in milliseconds. */
  deadlineMs?: number
  /** How long a start waits, in milliseconds: it, or another node, may migrate the schema. */
  startMs?: number
}

const usualDeadlineMs = 2_000
const usualStartMs = 1_800_000

/**
 * Lets a caller wait for a connection in another thread, but never longer than a deadline: when one
 * has passed, calls fail at once until that thread has found the database again.
 */
export class Bridge {
  readonly deadlineMs: number
  /** The number of calls that have waited for the database. */
  trips = 0
  /** How long calls have waited for the database, in milliseconds. */
  waitedMs = 0
  /** Statements that the caller awaits, on a connection of their own. */
  readonly async: AsyncCalls
  readonly #flags: Int32Array
  readonly #port: MessagePort
  readonly #end: () => void
  #asked = 1

  /** Connects and migrates. Throws an error with a sentence for the operator. */
  constructor(
    { url, deadlineMs = usualDeadlineMs, startMs = usualStartMs }: PostgresOptions,
    migrations: readonly Migration[],
  ) {
    this.deadlineMs = deadlineMs
    const shared = new SharedArrayBuffer(8)
    this.#flags = new Int32Array(shared)
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.unref()
    const awaited = new MessageChannel()
    this.async = new AsyncCalls(awaited.port1)
    const ports = { port: port2, asyncPort: awaited.port2 }
    const settings: Settings = { url, ...ports, shared, migrations, deadlineMs }
    const transferList = [port2, awaited.port2]
    const thread = startThread('postgres', { workerData: settings, transferList })
    thread.unref()
    this.#end = () => void thread.terminate()
    const begun = this.#await(1, startMs)
    if (begun && !begun.failed) return
    this.#end()
    const { sqlState = '', message = `there was no answer in ${startMs / 1000} seconds` } =
      begun?.failed ?? {}
    throw new Error(sentenceOf(url, sqlState, message))
  }

  /**
   * Runs a batch and returns its answer. Waits for at most `mostMs`. Throws a DatabaseError if
   * there is no answer.
   */
  call(batch: Batch, mostMs: number): Answer {
    if (Atomics.load(this.#flags, state) === broken) throw unavailable()
    this.trips++
    const id = this.#post(batch)
    const from = performance.now()
    const answer = this.#await(id, Math.min(mostMs, this.deadlineMs))
    this.waitedMs += performance.now() - from
    if (answer) return answer
    Atomics.compareExchange(this.#flags, state, ready, broken)
    this.#send({ reset: true })
    throw unavailable()
  }

  /** Runs a batch before the next one, without an answer. */
  post(batch: Batch): void {
    if (Atomics.load(this.#flags, state) === ready) this.#post(batch)
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

  /** Takes the answer with a number, and drops those that no call waits for. */
  #receive(id: number): Answer | undefined {
    for (;;) {
      const received = receiveMessageOnPort(this.#port) as { message: Answer } | undefined
      if (received === undefined || received.message.id === id) return received?.message
    }
  }

  close(): void {
    const id = ++this.#asked
    this.#send({ close: id })
    this.#await(id, 500)
    this.#port.close()
    this.async.close()
    this.#end()
  }
}

/** Returns the sentence for a failed start. The URL has a password, which nothing prints. */
export function sentenceOf(url: string, code: string, message: string): string {
  const { hostname, port } = URL.parse(url) ?? { hostname: '', port: '' }
  const place = hostname ? ` at ${hostname}:${port || 5432}` : ''
  return `PostgreSQL${place} cannot be used: ${message || code}`
}
