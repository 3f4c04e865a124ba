import type { DatabaseError } from '../driver.ts'
import { ReadRows } from './foresight.ts'
import type { Line } from './line.ts'
import type { Question } from './messages.ts'
import type { Patience } from './steps.ts'

/** An open transaction. */
export type Transaction = {
  readonly line: Line
  readonly patience: Patience
  /** The connection that it runs on; undefined: nothing has been sent yet. */
  connection: number | undefined
  /** Statements that travel with the next one whose answer is needed. */
  queue: Question[]
  hasWritten: boolean
  readonly scopes: Set<string>
  readonly read: ReadRows
  /** Why it can only be rolled back: later statements throw the same error. */
  failed: DatabaseError | undefined
  /** Whether no savepoint can undo the failure. */
  isDoomed: boolean
  readonly isFirstRun: boolean
  depth: number
}

/** Matches statements that change rows. */
export const writes = /^\s*(?:insert|update|delete|with)\b/i

/** Returns a statement without values, such as "commit". */
export const command = (sql: string): Question => ({ sql, values: [], describe: false })

/** Returns a transaction that begins with some commands. */
export const newTransaction = (
  begun: Pick<Transaction, 'line' | 'patience' | 'queue' | 'isFirstRun'>,
): Transaction => ({
  ...begun,
  connection: undefined,
  hasWritten: false,
  scopes: new Set(),
  read: new ReadRows(),
  failed: undefined,
  isDoomed: false,
  depth: 0,
})

/** Returns the kind of a statement for counters, such as "update member". */
export const kindOf = (sql: string): string =>
  /^\s*(insert into|update|delete from|select|commit)(?:\s+"?(\w+))?/i
    .exec(sql)
    ?.slice(1, sql.trimStart().startsWith('select') ? 2 : 3)
    .filter(Boolean)
    .join(' ')
    .toLowerCase() ?? 'other'

/** Writes what a transaction has changed where the other nodes look, and returns its id. */
const noteChanges = `
  insert into change (scope, origin) select value, $2 from json_array_elements_text($1::json)
  returning xid::text`
const askXid = 'select pg_current_xact_id()::text'

/** Returns what ends a transaction of a process: its changes for the other nodes, and its commit. */
export function closing({ hasWritten, scopes }: Transaction, origin: string): Question[] {
  if (!hasWritten) return [command('commit')]
  const xid: Question =
    scopes.size > 0
      ? { sql: noteChanges, values: [JSON.stringify([...scopes]), origin], describe: false, origin }
      : command(askXid)
  return [{ ...xid, isXid: true }, command('commit')]
}
