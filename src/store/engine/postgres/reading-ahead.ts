import type { Questions, ReadsAhead, Results } from '../driver.ts'
import type { Bridge } from './bridge.ts'
import { ReadRows } from './foresight.ts'
import type { Question, Result } from './messages.ts'

/** Reads outside of transactions that know some results before. */
export class ReadingAhead implements ReadsAhead {
  readonly #bridge: Bridge
  #reading: { known: ReadRows | undefined; asked: Question[] } | undefined

  constructor(bridge: Bridge) {
    this.#bridge = bridge
  }

  /** Runs statements that only read in one trip. */
  ask(asked: Questions): ReadRows {
    const questions = asked as Question[]
    const { now } = this.#bridge
    const { results } = now.call({ questions, repeatable: true }, now.deadlineMs)
    return rowsOf(questions, results)
  }

  /** Like `ask`, but blocks nothing. Rejects with a DatabaseError. */
  async askBeside(asked: Questions): Promise<ReadRows> {
    const questions = asked as Question[]
    return rowsOf(questions, (await this.#bridge.async.askAll(questions)).results)
  }

  run<Value>(known: Results | undefined, read: () => Value): { value: Value; asked: Questions } {
    const outer = this.#reading
    const asked: Question[] = []
    this.#reading = { known: known as ReadRows | undefined, asked }
    try {
      return { value: read(), asked }
    } finally {
      this.#reading = outer
    }
  }

  /** Notes what is asked, and returns its result if it is known. */
  take(question: Question): Result | undefined {
    this.#reading?.asked.push(question)
    return this.#reading?.known?.take(question)
  }
}

function rowsOf(questions: readonly Question[], results: readonly Result[]): ReadRows {
  const rows = new ReadRows()
  // After one that fails, each read asks for itself, and throws the error.
  for (const [at, result] of results.entries()) rows.keep(questions[at]!, result)
  return rows
}
