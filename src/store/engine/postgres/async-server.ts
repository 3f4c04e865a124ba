import { once } from 'node:events'
import type { MessagePort } from 'node:worker_threads'
import { Connection, lost, type Ran } from './connection.ts'
import { type AsyncQuestions, openMs, pauseMs, type Settings } from './messages.ts'

/** A connection, and its number, which answers name. */
type Numbered = { connection: Connection; number: number }

type Done = Ran & { connection: number }

const none: Done = { ...lost, connection: 0 }

const runOn = async (
  { connection, number }: Numbered,
  questions: AsyncQuestions['questions'],
): Promise<Done> => ({ ...(await connection.run({ questions })), connection: number })

/**
 * Answers statements on a connection of its own, beside that of `Server`, which a caller
 * waits for. Statements wait for no others, and are answered by the deadline: if the database
 * has not answered by then, this and later statements fail until the database is found again.
 */
export class AsyncServer {
  readonly #settings: Settings
  readonly #port: MessagePort
  readonly #onSilence: () => void
  #open: Numbered | undefined
  #opening: Promise<Numbered> | undefined
  #isSearching = false

  /** `onSilence` is called when the database has not answered by the deadline. */
  constructor(settings: Settings, onSilence: () => void) {
    this.#settings = settings
    this.#onSilence = onSilence
    this.#port = settings.asyncPort
    this.#port.on('message', (asked: AsyncQuestions) => this.#answer(asked))
  }

  async #answer({ id, questions }: AsyncQuestions): Promise<void> {
    this.#port.postMessage({ id, ...(await this.#run(questions)) })
  }

  async #run(questions: AsyncQuestions['questions']): Promise<Done> {
    if (this.#isSearching) return none
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), this.#settings.deadlineMs)
    const ended = once(late.signal, 'abort').then(() => none)
    try {
      return await Promise.race([this.#ask(questions, late.signal), ended])
    } catch {
      // No connection could be opened.
      late.abort()
      return none
    } finally {
      clearTimeout(timer)
      if (late.signal.aborted) void this.#search()
    }
  }

  /** Runs statements, a second time if their connection is lost meanwhile. */
  async #ask(questions: AsyncQuestions['questions'], late: AbortSignal): Promise<Done> {
    const first = await this.#usable()
    if (late.aborted) return none
    const done = await runOn(first, questions)
    if (!first.connection.isLost || late.aborted) return done
    const second = await this.#usable()
    return late.aborted ? none : runOn(second, questions)
  }

  async #usable(): Promise<Numbered> {
    if (this.#open?.connection.isLost === false) return this.#open
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #connect(): Promise<Numbered> {
    const connection = await Connection.open(this.#settings, openMs)
    this.#open = { connection, number: (this.#open?.number ?? 0) + 1 }
    return this.#open
  }

  /** Looks for the database until it answers. Until then all statements fail at once. */
  async #search(): Promise<void> {
    if (this.#isSearching) return
    this.#isSearching = true
    this.#onSilence()
    this.#open?.connection.drop()
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
