import type { MessagePort } from 'node:worker_threads'
import { Connection, failureOfCommit, lost, type Ran } from './connection.ts'
import {
  type Answer,
  answered,
  type Batch,
  broken,
  type LineEnd,
  openMs,
  outcomeUnknown,
  pauseMs,
  ready,
  type Settings,
  state,
  type ToWorker,
} from './messages.ts'
import { prepareDatabase } from './prepare-database.ts'

/** How long the first connection may take to open, in milliseconds: a database may be starting. */
const firstOpenMs = 10_000

/**
 * Answers batches of statements on a connection to PostgreSQL, one after the other, and opens a new
 * connection when one is lost. Runs in a thread of its own, so that its caller can wait for it with
 * a deadline.
 */
export class Server {
  readonly #settings: Settings
  readonly #port: MessagePort
  readonly #flags: Int32Array
  #connection: Connection | undefined
  /** The number of the connection, which answers name. */
  #number = 0
  /** Rises when the caller has stopped to wait: what ran until then needs no answer. */
  #era = 0
  #turn: Promise<unknown>
  #isClosed = false

  /** `prepares`: whether it migrates the schema, and then answers a call with the number 1. */
  constructor(settings: Settings, { port, shared }: LineEnd, prepares: boolean) {
    this.#settings = settings
    this.#port = port
    this.#flags = new Int32Array(shared)
    this.#turn = prepares ? this.#start() : Promise.resolve()
    this.#port.on('message', (message: ToWorker) => this.#hear(message))
  }

  async #start(): Promise<void> {
    try {
      const first = await Connection.open(this.#settings, firstOpenMs)
      await prepareDatabase(first, this.#settings.migrations)
      await first.close()
      await this.#open()
      this.#reply({ id: 1, connection: this.#number, results: [] })
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      const failed = { at: 0, sqlState: String(code ?? ''), message }
      this.#reply({ id: 1, connection: 0, results: [], failed })
    }
  }

  #hear(message: ToWorker): void {
    if ('reset' in message) this.reset()
    else if ('close' in message) {
      this.#isClosed = true
      this.#turn = this.#turn.then(() => this.#close(message.close))
    } else {
      const { id, batch } = message
      this.#turn = this.#turn.then(() => this.#serve(id, batch))
    }
  }

  /** Gives up what runs. Until the database is found again, calls fail at once. */
  reset(): void {
    Atomics.store(this.#flags, state, broken)
    this.#era++
    this.#connection?.drop()
    this.#turn = this.#turn.then(() => this.#search())
  }

  async #close(id: number): Promise<void> {
    await this.#connection?.close().catch(() => {})
    this.#reply({ id, connection: 0, results: [] })
    this.#port.close()
  }

  #reply(answer: Answer): void {
    this.#port.postMessage(answer)
    Atomics.store(this.#flags, answered, answer.id)
    Atomics.notify(this.#flags, answered)
  }

  async #serve(id: number, batch: Batch): Promise<void> {
    const era = this.#era
    try {
      const ran = await this.#run(batch, () => this.#era === era)
      this.#reply({ id, connection: this.#number, ...ran })
    } catch {
      // No connection could be opened.
      Atomics.store(this.#flags, state, broken)
      this.#reply({ id, connection: this.#number, ...lost })
      await this.#search()
    }
  }

  async #run(batch: Batch, isAwaited: () => boolean): Promise<Ran> {
    if (!(await this.#isUsable(batch)) || !isAwaited()) return lost
    const ran = await this.#connection!.run(batch)
    if (!this.#connection!.isLost || !isAwaited()) return ran
    if (batch.repeatable) {
      await this.#open()
      return isAwaited() ? this.#connection!.run(batch) : lost
    }
    return batch.commits ? this.#settle(batch, ran, isAwaited) : ran
  }

  /** Returns whether a batch can run: on the connection of its transaction, or on any. */
  async #isUsable({ connection }: Batch): Promise<boolean> {
    const isOpen = this.#connection?.isLost === false
    if (connection !== undefined) return isOpen && connection === this.#number
    if (!isOpen) await this.#open()
    return true
  }

  /** Finds out how a transaction ended whose connection was lost during its commit. */
  async #settle({ questions }: Batch, ran: Ran, isAwaited: () => boolean): Promise<Ran> {
    const at = questions.findIndex(({ isXid }) => isXid)
    const xid = ran.results[at]?.rows[0]?.[0] as string | undefined
    if (xid === undefined || !isAwaited())
      return { ...ran, failed: { at: 0, sqlState: outcomeUnknown, message: '' } }
    await this.#open()
    const origin = questions[at]!.origin
    const failed = await failureOfCommit(this.#connection!, { xid, origin }, isAwaited)
    if (failed) return { ...ran, failed }
    const missing = questions.length - ran.results.length
    const done = Array.from({ length: missing }, () => ({ columns: undefined, rows: [], count: 0 }))
    return { results: [...ran.results, ...done] }
  }

  async #open(): Promise<void> {
    this.#connection?.drop()
    this.#connection = await Connection.open(this.#settings, openMs)
    this.#number++
  }

  /** Looks for the database until it answers. Until then the calls of the caller fail at once. */
  async #search(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#open()
        break
      } catch {
        await new Promise(resolve => setTimeout(resolve, pauseMs))
      }
    }
    Atomics.store(this.#flags, state, ready)
  }
}
