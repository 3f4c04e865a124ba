import { randomUUID } from 'node:crypto'
import { DatabaseError } from '../driver.ts'
import type { Bridge } from './bridge.ts'
import { errorOf, isLost, RepeatError } from './codes.ts'
import { Foresight, Guess } from './foresight.ts'
import type { Line } from './line.ts'
import type { Answer, Question, Result } from './messages.ts'
import { ReadingAhead } from './reading-ahead.ts'
import { runBeside, runNow, type Steps } from './steps.ts'
import {
  closing,
  command,
  kindOf,
  newTransaction,
  type Transaction,
  writes,
} from './transaction.ts'

/** How often a transaction runs again because of others, and the longest first pause in ms. */
const mostRepeats = 5
const firstPauseMs = 4

/** Begins a transaction that runs in turn. */
const turnOf = (name: string): Question[] => [
  command('begin isolation level read committed'),
  {
    sql: 'select pg_advisory_xact_lock(0, hashtext($1::text))',
    values: [name],
    describe: false,
  },
]
/** How a batch is sent, as `Batch` says. */
type How = { repeatable?: boolean; commits?: boolean }

/**
 * The transactions of one process: SERIALIZABLE, because what a transaction reads must still be
 * true when it commits, as with the one writer of SQLite. Transactions that lose against others run
 * again.
 */
export class Session {
  /**
   * A test sets STEMMA_TEST_READ_COMMITTED=1 to show that rules break without SERIALIZABLE. Read for
   * each session, so that one process has both.
   */
  readonly #isolation =
    process.env.STEMMA_TEST_READ_COMMITTED === '1' ? 'read committed' : 'serializable'
  readonly #bridge: Bridge
  #origin = randomUUID()
  /** The transaction whose work runs now. */
  #open: Transaction | undefined
  /** The end of the last transaction that is awaited. */
  #lastBeside: Promise<unknown> = Promise.resolve()
  readonly #foresight = new Foresight()
  #guess: Guess | undefined
  readonly ahead: ReadingAhead
  #isUnsynced = false
  #turn: string | undefined
  /** What the next statement changes. */
  #scopes: string[] = []

  constructor(bridge: Bridge) {
    this.#bridge = bridge
    this.ahead = new ReadingAhead(bridge)
  }

  /** What names this process in the rows of `change`. */
  get origin(): string {
    return this.#origin
  }

  get inTransaction(): boolean {
    return this.#open !== undefined || this.#guess !== undefined
  }

  /** Records what the next statement changes. */
  changes(scope: string): void {
    this.#scopes.push(scope)
  }

  /** Throws if work runs only to learn what it reads: nothing may be written then. */
  endGuess(): void {
    this.#guess?.end()
  }

  /** Runs a statement that only reads. */
  read(question: Question): Result {
    if (this.#guess) return this.#guess.read(question)
    if (this.#open) return this.#readIn(this.#open, question)
    const known = this.ahead.take(question)
    if (known) return known
    const { now } = this.#bridge
    const batch = { questions: [question], repeatable: true }
    const { results, failed } = now.call(batch, now.deadlineMs)
    if (failed) throw errorOf(failed)
    this.#foresight.keep(question, results[0]!)
    return results[0]!
  }

  #readIn(open: Transaction, question: Question): Result {
    const known = !open.failed && open.read.find(question)
    if (known) return known
    const result = this.#ask(open, question)
    this.#keep(open, question, result)
    return result
  }

  #keep(open: Transaction, question: Question, result: Result): void {
    open.read.keep(question, result)
    this.#foresight.keep(question, result)
  }

  /** Runs a statement that writes: without an open transaction, in one of its own, in one trip. */
  write(question: Question): Result {
    const scopes = this.#scopes
    this.#scopes = []
    if (this.#guess) return this.#guess.write(question)
    if (this.#open) {
      const result = this.#ask(this.#open, question, scopes)
      this.#foresight.keep(question, result)
      return result
    }
    return runNow(this.#repeating(this.#bridge.now, open => this.#commit(open, question, scopes)))!
  }

  /**
   * Runs a statement that writes and whose result is not needed. In a transaction it may travel with
   * a later statement, which then throws its error.
   */
  send(question: Question): void {
    const open = this.#open
    if (!open && !this.#guess) return void this.write(question)
    const scopes = this.#scopes
    this.#scopes = []
    this.#guess?.send(question)
    if (!open) return
    if (open.failed) throw open.failed
    this.#note(open, scopes)
    open.read.forget(question.sql)
    open.queue.push(question)
  }

  /** Runs `work` in a transaction. With `isDerived` it reads nothing here. */
  transact<Result>(work: () => Result, isDerived = false): Result {
    if (this.inTransaction) return work()
    const reads = isDerived || this.#turn !== undefined ? [] : this.#guessReads(work)
    const together = reads.length > 1 ? reads : []
    return runNow(this.#repeating(this.#bridge.now, open => this.#run(open, work, together)))
  }

  /**
   * Runs `work` in a transaction whose beginning and commit block nothing; what `work` reads beside
   * what was expected does. Such transactions run one at a time.
   */
  transactBeside<Result>(work: () => Result): Promise<Result> {
    const run = () => {
      const reads = this.#guessReads(work)
      const once = (open: Transaction) => this.#run(open, work, reads)
      return runBeside(this.#repeating(this.#bridge.beside, once))
    }
    const mine = this.#lastBeside.then(run)
    this.#lastBeside = mine.catch(() => {})
    return mine
  }

  *#run<Result>(open: Transaction, work: () => Result, reads: readonly Question[]): Steps<Result> {
    // A repeat may have to read other rows.
    if (open.isFirstRun && reads.length > 0) yield* this.#readTogether(open, reads)
    const result = this.#within(open, work)
    if (open.failed) throw open.failed
    yield* this.#commit(open)
    return result
  }

  #within<Result>(open: Transaction, work: () => Result): Result {
    this.#open = open
    try {
      return work()
    } finally {
      this.#open = undefined
    }
  }

  /** Returns what `work` will read, as far as earlier transactions tell. */
  #guessReads(work: () => unknown): Question[] {
    const guess = new Guess(this.#foresight)
    this.#guess = guess
    try {
      work()
    } catch {
      // It ends where something is unknown. What it says of outdated rows does not count.
    } finally {
      this.#guess = undefined
    }
    return guess.questions
  }

  /** Sends the beginning of a transaction together with what it reads. */
  *#readTogether(open: Transaction, questions: readonly Question[]): Steps<void> {
    const first = open.queue.length
    const all = [...open.queue, ...questions]
    const { results } = yield* this.#send(open, all, { repeatable: true })
    for (const [at, question] of questions.entries())
      this.#keep(open, question, results[first + at]!)
  }

  /** Runs `work` in the open transaction, and undoes only its own rows if it throws. */
  savepoint<Result>(work: () => Result): Result {
    if (this.#guess) return work()
    const open = this.#open
    if (!open) return this.transact(work)
    if (open.failed) throw open.failed
    const name = `s${++open.depth}`
    open.queue.push(command(`savepoint ${name}`))
    try {
      const result = work()
      if (open.failed) throw open.failed
      // An error of a statement is one of its own work.
      if (open.queue.some(({ sql }) => writes.test(sql))) this.#flush(open)
      open.queue.push(command(`release savepoint ${name}`))
      return result
    } catch (error) {
      if (open.isDoomed) throw open.failed
      open.read.clear()
      open.failed = undefined
      open.queue.push(command(`rollback to savepoint ${name}`))
      open.queue.push(command(`release savepoint ${name}`))
      throw error
    } finally {
      open.depth--
    }
  }

  /** Runs `work`, whose transactions do not wait for the disk. */
  unsynced<Result>(work: () => Result): Result {
    this.#isUnsynced = true
    try {
      return work()
    } finally {
      this.#isUnsynced = false
    }
  }

  /**
   * Runs `work`, whose transactions wait for their turn. They are READ COMMITTED: with a snapshot from
   * before their turn they would not see the ones before.
   */
  inTurn<Result>(name: string, work: () => Result): Result {
    this.#turn = name
    try {
      return work()
    } finally {
      this.#turn = undefined
    }
  }

  #begin(begun: Pick<Transaction, 'line' | 'patience' | 'isFirstRun'>): Transaction {
    const queue =
      this.#turn === undefined
        ? [command(`begin isolation level ${this.#isolation}`)]
        : turnOf(this.#turn)
    if (this.#isUnsynced) queue.push(command('set local synchronous_commit = off'))
    return newTransaction({ ...begun, queue })
  }

  /** Runs one transaction, again if others got in its way. */
  *#repeating<Result>(line: Line, once: (open: Transaction) => Steps<Result>): Steps<Result> {
    const patience = { leftMs: line.deadlineMs }
    for (let repeat = 0; ; repeat++) {
      const open = this.#begin({ line, patience, isFirstRun: repeat === 0 })
      try {
        return yield* once(open)
      } catch (error) {
        // `work` may have thrown another error because of what it could not read.
        const cause = open.isDoomed ? open.failed : error
        rollBack(open)
        if (!(cause instanceof RepeatError) || repeat === mostRepeats || patience.leftMs <= 0)
          throw cause
      }
      yield { pauseMs: Math.random() * firstPauseMs * 2 ** repeat, patience }
    }
  }

  /** Runs a statement of the open transaction, after those that have not been sent. */
  #ask(open: Transaction, question: Question, scopes?: readonly string[]): Result {
    if (open.failed) throw open.failed
    if (scopes) open.read.forget(question.sql)
    this.#note(open, scopes)
    const questions = [...open.queue, question]
    const repeatable = open.connection === undefined
    const { results } = runNow(this.#send(open, questions, { repeatable }))
    return results[questions.length - 1]!
  }

  #flush(open: Transaction): void {
    runNow(this.#send(open, [...open.queue], { repeatable: open.connection === undefined }))
  }

  #note(open: Transaction, scopes: readonly string[] | undefined): void {
    if (!scopes) return
    open.hasWritten = true
    for (const scope of scopes) open.scopes.add(scope)
  }

  /** Commits, in one trip with the last statement, whose result it returns. */
  *#commit(
    open: Transaction,
    last?: Question,
    scopes?: readonly string[],
  ): Steps<Result | undefined> {
    this.#note(open, scopes)
    // A transaction of derived rows, or of none, has sent nothing.
    if (open.connection === undefined && !open.hasWritten && !last) return undefined
    const questions = [...open.queue, ...(last ? [last] : []), ...closing(open, this.#origin)]
    const { results } = yield* this.#send(open, questions, { commits: true })
    if (results.at(-1)?.count === -1)
      throw new DatabaseError('other', 'PostgreSQL rolled the transaction back.')
    return last && results[open.queue.length]
  }

  /** Sends the statements of the open transaction. Throws the error of the first that fails. */
  *#send(open: Transaction, questions: Question[], how: How): Steps<Answer> {
    const { line, patience, connection } = open
    let answer: Answer
    try {
      answer = (yield { line, batch: { questions, ...how, connection }, patience })!
    } catch (error) {
      if (how.commits) this.#rename()
      open.failed = error as DatabaseError
      open.isDoomed = true
      throw error
    }
    open.connection = answer.connection
    const { failed } = answer
    if (!failed) {
      if (!how.commits) open.queue = []
      return answer
    }
    if (how.commits && isLost(failed.sqlState)) this.#rename()
    open.queue = []
    open.failed = errorOf(failed, open.isFirstRun)
    open.isDoomed = open.failed instanceof RepeatError || isLost(failed.sqlState)
    if (open.failed instanceof RepeatError)
      this.#bridge.figures.addRepeat(kindOf(questions[failed.at]?.sql ?? ''))
    throw open.failed
  }

  /**
   * Makes this process learn as another's what it has changed: a commit without an answer may still
   * happen, after its rows have been read again.
   */
  #rename(): void {
    this.#origin = randomUUID()
  }
}

function rollBack({ line, connection }: Transaction): void {
  if (connection !== undefined) line.post({ questions: [command('rollback')], connection })
}
