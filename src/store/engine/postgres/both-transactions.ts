import { beforeRuns, type Statement } from '../driver.ts'
import type { DerivedDriver } from '../sqlite/driver.ts'
import type { Session } from './session.ts'

/**
 * Transactions over PostgreSQL and the derived rows in SQLite. One writes to one of them only; that
 * of SQLite begins with its first write, as that of PostgreSQL does with its first statement.
 */
export class BothTransactions {
  readonly #session: Session
  readonly #derived: DerivedDriver

  constructor(session: Session, derived: DerivedDriver) {
    this.#session = session
    this.#derived = derived
  }

  /** Returns a statement on derived rows as one of the open transaction. */
  statement(statement: Statement): Statement {
    if (statement.readonly) return statement
    return beforeRuns(statement, () => {
      this.#session.endGuess()
      if (this.#session.inTransaction && !this.#derived.inTransaction)
        this.#derived.control('begin immediate')
    })
  }

  transact<Result>(work: () => Result, isDerived?: boolean): Result {
    if (this.#session.inTransaction) return work()
    try {
      const result = this.#session.transact(() => {
        // A repeat starts from nothing.
        this.#rollBack()
        return work()
      }, isDerived)
      if (this.#derived.inTransaction) this.#derived.control('commit')
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** Like `transact`. Derived rows, which are then all that `work` writes, are committed at once. */
  transactBeside<Result>(work: () => Result): Promise<Result> {
    return this.#session.transactBeside(() => {
      try {
        const result = work()
        if (this.#derived.inTransaction) this.#derived.control('commit')
        return result
      } finally {
        this.#rollBack()
      }
    })
  }

  savepoint<Result>(work: () => Result): Result {
    const hadBegun = this.#derived.inTransaction
    if (hadBegun) this.#derived.control('savepoint both')
    try {
      const result = this.#session.savepoint(work)
      if (hadBegun) this.#derived.control('release both')
      return result
    } catch (error) {
      if (hadBegun) {
        this.#derived.control('rollback to both')
        this.#derived.control('release both')
      } else this.#rollBack()
      throw error
    }
  }

  #rollBack(): void {
    if (this.#derived.inTransaction) this.#derived.control('rollback')
  }
}
