import { tablesIn } from '../driver.ts'
import { RepeatError } from './codes.ts'
import type { Question, Result } from './messages.ts'

/** The most results that are kept, and the most rows of one. */
const mostResults = 5_000
const mostRows = 100
const longestKey = 2_000

/** What else is written, by triggers, where a row of a table is inserted or updated. */
export const alsoWritten: Readonly<Record<string, readonly string[]>> = {
  comment: ['space', 'change_request', 'commenter'],
  comment_reply: ['comment', 'space', 'change_request', 'commenter'],
}

/** Tables to whose rows no others refer: who deletes one deletes no other. */
export const deletedAlone: readonly string[] = ['ref']

/** Returns what a read and its values are known by; undefined: its result is not kept. */
function keyOf({ sql, values }: Question): string | undefined {
  if (values.some(value => value instanceof Uint8Array)) return undefined
  const key = `${sql}\n${JSON.stringify(values)}`
  return key.length > longestKey ? undefined : key
}

/** Returns the tables that a statement writes to; undefined: it may write to any. */
function tablesWritten(sql: string): readonly string[] | undefined {
  const [, verb, table] = /^\s*(insert\s+into|update|delete\s+from)\s+"?(\w+)/i.exec(sql) ?? []
  if (verb === undefined || table === undefined) return undefined
  if (verb.toLowerCase().startsWith('delete') && !deletedAlone.includes(table)) return undefined
  return [table, ...(alsoWritten[table] ?? [])]
}

/** What an open transaction has read, as of its snapshot and its own writes. */
export class ReadRows {
  readonly #results = new Map<string, Result>()

  find(question: Question): Result | undefined {
    const key = keyOf(question)
    return key === undefined ? undefined : usable(question, this.#results.get(key))
  }

  /** Returns a result that is then no longer there. */
  take(question: Question): Result | undefined {
    const key = keyOf(question)
    if (key === undefined) return undefined
    const result = usable(question, this.#results.get(key))
    this.#results.delete(key)
    return result
  }

  keep(question: Question, result: Result): void {
    const key = keyOf(question)
    if (key !== undefined) this.#results.set(key, result)
  }

  clear(): void {
    this.#results.clear()
  }

  /** Forgets what a write may change: a deletion also deletes rows of other tables. */
  forget(sql: string): void {
    const tables = tablesWritten(sql)
    if (!tables) return void this.#results.clear()
    for (const key of this.#results.keys())
      if (tablesIn(key).some(table => tables.includes(table))) this.#results.delete(key)
  }
}

/** Returns a result unless it lacks the columns that the caller does not know. */
const usable = ({ describe }: Question, result: Result | undefined): Result | undefined =>
  describe && result?.columns === undefined ? undefined : result

/** Ends a run of work whose only purpose is to learn what it reads. */
const isOver = () => new RepeatError('busy', 'What the transaction reads is known.')

/** A run of work on results of earlier statements, until one is new. */
export class Guess {
  readonly #earlier: Foresight
  readonly #reads = new Map<string, Question>()
  readonly #written = new Set<string>()
  #hasEnded = false
  #hasDeleted = false

  constructor(earlier: Foresight) {
    this.#earlier = earlier
  }

  get questions(): Question[] {
    return [...this.#reads.values()]
  }

  read(question: Question): Result {
    const key = this.#hasEnded ? undefined : keyOf(question)
    if (key === undefined) return this.end()
    const isWritten = this.#hasDeleted || tablesIn(key).some(table => this.#written.has(table))
    // What the transaction itself has written cannot be read before.
    if (!isWritten) this.#reads.set(key, question)
    return usable(question, this.#earlier.find(key, question.sql)) ?? this.end()
  }

  /** Returns what the statement returned when it ran last, with whatever values. */
  write(question: Question): Result {
    this.send(question)
    return usable(question, this.#earlier.find('', question.sql)) ?? this.end()
  }

  send({ sql }: Question): void {
    if (this.#hasEnded) this.end()
    const tables = tablesWritten(sql)
    if (!tables) this.#hasDeleted = true
    for (const table of tables ?? []) this.#written.add(table)
  }

  end(): never {
    this.#hasEnded = true
    throw isOver()
  }
}

/**
 * Tells which rows a transaction will read. Work may run again, so it first runs on the results that the
 * same reads had before, without the database. The reads that it asks for then travel together with
 * the beginning of the transaction, which returns their results as of now. An outdated result only
 * makes the guess worse.
 */
export class Foresight {
  /** By statement and values, and by statement alone. */
  readonly #results = new Map<string, Result>()

  find(key: string, sql: string): Result | undefined {
    return this.#results.get(key) ?? this.#results.get(sql)
  }

  /** Keeps the result of a statement for later guesses. */
  keep(question: Question, result: Result): void {
    if (result.rows.length > mostRows) return
    const { sql } = question
    const kept = { ...result, columns: result.columns ?? this.#results.get(sql)?.columns }
    this.#put(sql, kept)
    const key = keyOf(question)
    if (key !== undefined) this.#put(key, kept)
  }

  #put(key: string, result: Result): void {
    this.#results.delete(key)
    this.#results.set(key, result)
    if (this.#results.size > mostResults)
      this.#results.delete(this.#results.keys().next().value as string)
  }
}
