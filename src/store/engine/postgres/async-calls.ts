import type { MessagePort } from 'node:worker_threads'
import { errorOf, unavailable } from './codes.ts'
import type { Answer, AsyncQuestions, Question, Result } from './messages.ts'

/** The results of statements, and the number of the connection that they ran on. */
type AsyncResults = Pick<Answer, 'results' | 'connection'>

type Call = { resolve: (results: AsyncResults) => void; reject: (error: unknown) => void }

/** Lets callers await statements, while others may wait for the connection of `Bridge`. */
export class AsyncCalls {
  readonly #port: MessagePort
  readonly #waiting = new Map<number, Call>()
  #asked = 0
  #isClosed = false

  constructor(port: MessagePort) {
    this.#port = port
    port.on('message', (answer: Answer) => this.#take(answer))
    port.unref()
  }

  /**
   * Runs a statement in a transaction of its own, READ COMMITTED, a second time if the connection is
   * lost. Rejects with a DatabaseError, by the deadline if the database does not answer.
   */
  async ask(
    sql: string,
    values: readonly unknown[],
  ): Promise<Pick<Result, 'rows'> & Pick<Answer, 'connection'>> {
    const { results, connection } = await this.askAll([{ sql, values, describe: false }])
    return { rows: results[0]?.rows ?? [], connection }
  }

  /** Runs statements together, each like `ask`. Rejects with the error of the first that fails. */
  askAll(questions: readonly Question[]): Promise<AsyncResults> {
    if (this.#isClosed) return Promise.reject(unavailable())
    return new Promise((resolve, reject) => {
      const id = ++this.#asked
      this.#waiting.set(id, { resolve, reject })
      // The process goes on as long as a caller waits.
      this.#port.ref()
      this.#port.postMessage({ id, questions } satisfies AsyncQuestions)
    })
  }

  #take({ id, failed, results, connection }: Answer): void {
    const call = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#port.unref()
    if (failed) call?.reject(errorOf(failed))
    else call?.resolve({ results, connection })
  }

  close(): void {
    this.#isClosed = true
    this.#port.close()
    for (const call of this.#waiting.values()) call.reject(unavailable())
    this.#waiting.clear()
  }
}
