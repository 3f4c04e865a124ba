import { DatabaseError, type DatabaseErrorCode } from '../driver.ts'
import { connectionLost, type Failed, outcomeUnknown } from './messages.ts'

/** SQLSTATEs and the codes of the driver, the longest start first: two characters are a class. */
const codes: readonly (readonly [start: string, code: DatabaseErrorCode])[] = [
  ['23505', 'unique'],
  ['23503', 'foreign'],
  ['23', 'constraint'],
  // What a trigger raises.
  ['P0001', 'constraint'],
  ['25006', 'readonly'],
  ['25P03', 'unavailable'],
  // A text with U+0000, also as an escape in JSON.
  ['22021', 'text'],
  ['22P05', 'text'],
  ['53100', 'full'],
  ['53', 'unavailable'],
  ['55P03', 'busy'],
  ['57014', 'busy'],
  ['40', 'busy'],
  ['58030', 'io'],
  ['XX001', 'damaged'],
  ['XX002', 'damaged'],
  ['08', 'unavailable'],
  ['57P', 'unavailable'],
]

/** A transaction that failed because of another one, and may succeed when it runs again. */
export class RepeatError extends DatabaseError {}

const sentences: Readonly<Record<string, string>> = {
  [outcomeUnknown]:
    'The connection to PostgreSQL was lost during a commit: the change may or may not be there.',
  [connectionLost]: 'The connection to PostgreSQL was lost.',
}

/**
 * Returns the error for a failed statement. In the first run of a transaction, a row that a key
 * refuses may be because of another transaction that committed meanwhile: PostgreSQL does not say so
 * for certain, and what the transaction reads in its next run may spare the row.
 */
export function errorOf({ sqlState, message }: Failed, isFirstRun = false): DatabaseError {
  if (sqlState === '40001' || sqlState === '40P01')
    return new RepeatError('busy', 'Other transactions changed the same rows at the same time.')
  const [, code] = codes.find(([start]) => sqlState.startsWith(start)) ?? []
  const isRefused = code === 'unique' || code === 'foreign'
  const Kind = isFirstRun && isRefused ? RepeatError : DatabaseError
  return new Kind(code ?? 'other', sentences[sqlState] ?? `${message} (${sqlState})`)
}

/** Returns whether a SQLSTATE means that the connection, and its open transaction, is lost. */
export const isLost = (sqlState: string): boolean => /^(?:08|57P|25P03)/.test(sqlState)

/** Returns the error of a call that gets no answer. */
export const unavailable = (): DatabaseError =>
  new DatabaseError('unavailable', 'PostgreSQL does not answer.')
