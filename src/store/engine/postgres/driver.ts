import type { Compilable } from 'kysely'
import { type Compiled, type Driver, type Statement, tablesIn } from '../driver.ts'
import { type Migration, migrationsIn } from '../migrations.ts'
import type { DerivedDriver } from '../sqlite/driver.ts'
import { BothTransactions } from './both-transactions.ts'
import { Bridge, type PostgresOptions } from './bridge.ts'
import { compileForPostgres } from './compile.ts'
import type { Column, Question, Result } from './messages.ts'
import { OthersChanges } from './others-changes.ts'
import { Session } from './session.ts'
import { asObjects } from './values.ts'

/** Returns the steps of the schema. */
export const migrations = (): Migration[] => migrationsIn(new URL('./migrations/', import.meta.url))

/** The number of statements whose engine is kept. */
const mostKnown = 2_000

const writes =
  /^\s*(?:(?:insert|update|delete)\b|with\b[\s\S]*\b(?:insert\s+into|delete\s+from|update\s+"?\w+"?\s+set)\b)/i

/**
 * Opens a PostgreSQL database with our schema. The derived rows, which no other node needs, are in
 * SQLite. Throws an error with a sentence for the operator.
 */
export function openPostgres(options: PostgresOptions, derived: DerivedDriver): Driver {
  const bridge = new Bridge(options, migrations())
  const session = new Session(bridge)
  const others = new OthersChanges(bridge.async, () => session.origin)
  const both = new BothTransactions(session, derived)
  const isDerived = kept((sql: string) =>
    tablesIn(sql).some(name => derived.derivedTables.has(name)),
  )

  return {
    derivedTables: derived.derivedTables,
    get inTransaction() {
      return session.inTransaction
    },
    figures: bridge.figures,
    compile(built: Compilable): Compiled {
      const compiled = compileForPostgres(built)
      return isDerived(compiled.sql) ? derived.compile(built) : compiled
    },
    prepare: sql =>
      isDerived(sql) ? both.statement(derived.prepare(sql)) : statementOf(session, sql),
    readsAhead: session.ahead,
    transact: (work, isDerived) => both.transact(work, isDerived),
    transactBeside: work => both.transactBeside(work),
    savepoint: work => both.savepoint(work),
    unsynced: work => session.unsynced(work),
    inTurn: (name, work) => session.inTurn(name, work),
    later: async (sql, values) => (await bridge.async.ask(sql, values)).rows,
    changes: scope => session.changes(scope),
    changedByOthers: () => derived.changedByOthers(),
    look: () => others.look(),
    othersHaveChanged: () => session.read(others.sinceLook()).rows.length > 0,
    pruneChanges: () => others.prune(),
    backup() {
      throw new Error('The rows are in PostgreSQL: back them up with pg_dump.')
    },
    // PostgreSQL checks its pages when it reads them, and its keys when they are written.
    problems: () => [],
    derivedProblems: () => derived.derivedProblems(),
    overwriteDeleted: isOn => derived.overwriteDeleted(isOn),
    checkpoint: () => derived.checkpoint(),
    close() {
      bridge.close()
      derived.close()
    },
  }
}

/** Returns a function that keeps what it has found. */
function kept<Found>(find: (sql: string) => Found): (sql: string) => Found {
  const known = new Map<string, Found>()
  return sql => {
    let found = known.get(sql)
    if (found !== undefined) return found
    if (known.size >= mostKnown) known.clear()
    found = find(sql)
    known.set(sql, found)
    return found
  }
}

function statementOf(session: Session, sql: string): Statement {
  const readonly = !writes.test(sql)
  let columns: readonly Column[] | undefined
  const run = (values: readonly unknown[]): Result => {
    const question: Question = { sql, values, describe: columns === undefined }
    const result = readonly ? session.read(question) : session.write(question)
    columns ??= result.columns
    return result
  }
  const all = (values: readonly unknown[]) => {
    const { rows } = run(values)
    return asObjects(columns ?? [], rows)
  }

  return {
    readonly,
    get columns() {
      return columns ?? []
    },
    all,
    first: values => all(values)[0],
    run: values => run(values).count,
    send: values => session.send({ sql, values, describe: false }),
  }
}
