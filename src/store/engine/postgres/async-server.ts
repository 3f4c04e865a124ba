import { once } from 'node:events'
import type { MessagePort } from 'node:worker_threads'
import { Connection, lost, type Ran } from './connection.ts'
import { type AsyncQuestion, openMs, pauseMs, type Settings } from './messages.ts'

/**
 * Answers single statements on a connection of its own, beside that of `Server`, which a caller
 * waits for. A statement waits for no other one, and is answered by the deadline: if the database
 * has not answered by then, this and later statements fail until the database is found again.
 */
export class AsyncServer {
  readonly #settings: Settings
  readonly #port: MessagePort
  #connection: Connection | undefined
  #opening: Promise<Connection> | undefined
  /** The number of the connection, which answers name. */
  #number = 0
  #isSearching = false

  constructor(settings: Settings) {
    this.#settings = settings
    this.#port = settings.asyncPort as MessagePort
    this.#port.on('message', (asked: AsyncQuestion) => this.#answer(asked))
  }

  async #answer({ id, question }: AsyncQuestion): Promise<void> {
    const ran = await this.#run(question)
    this.#port.postMessage({ id, connection: this.#number, ...ran })
  }

  async #run(question: AsyncQuestion['question']): Promise<Ran> {
    if (this.#isSearching) return lost
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), this.#settings.deadlineMs)
    const ended = once(late.signal, 'abort').then(() => lost)
    try {
      return await Promise.race([this.#ask(question, late.signal), ended])
    } catch {
      // No connection could be opened.
      late.abort()
      return lost
    } finally {
      clearTimeout(timer)
      if (late.signal.aborted) void this.#search()
    }
  }

  /** Runs a statement, a second time if its connection is lost meanwhile. */
  async #ask(question: AsyncQuestion['question'], late: AbortSignal): Promise<Ran> {
    const batch = { questions: [question] }
    const first = await this.#usable()
    if (late.aborted) return lost
    const ran = await first.run(batch)
    if (!first.isLost || late.aborted) return ran
    const second = await this.#usable()
    return late.aborted ? lost : second.run(batch)
  }

  async #usable(): Promise<Connection> {
    if (this.#connection?.isLost === false) return this.#connection
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #open(): Promise<Connection> {
    this.#connection = await Connection.open(this.#settings, openMs)
    this.#number++
    return this.#connection
  }

  /** Looks for the database until it answers. Until then all statements fail at once. */
  async #search(): Promise<void> {
    if (this.#isSearching) return
    this.#isSearching = true
    this.#connection?.drop()
    for (;;) {
      try {
        await this.#usable()
        break
      } catch {
        await new Promise(resolve => setTimeout(resolve, pauseMs))
      }
    }
    this.#isSearching = false
  }
}
