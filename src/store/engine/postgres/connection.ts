import pg from 'pg'
import { isLost } from './codes.ts'
import {
  type Batch,
  type Column,
  connectionLost,
  type Failed,
  outcomeUnknown,
  type Question,
  type Result,
  type Settings,
} from './messages.ts'
import { types } from './values.ts'

/** How many statements stay prepared. Others, which are rare, are parsed each time. */
const mostPrepared = 1_000

/** What a batch of statements returned. */
export type Ran = { results: Result[]; failed?: Failed }

export const lost: Ran = { results: [], failed: { at: 0, sqlState: connectionLost, message: '' } }

type Rows = pg.QueryArrayResult & {
  fields: (pg.FieldDef & { tableID: number; columnID: number })[]
}

/**
 * Returns the settings of a session: a statement ends before its caller stops to wait for it, and a
 * transaction whose node sleeps does not block the other nodes for longer than that. Rows are read
 * through indexes: a transaction that reads the whole of a small table depends on every row of it,
 * and would run again for each write of another node. Where no index serves, PostgreSQL therefore expects a
 * huge cost, and would compile the statement each time (JIT), for a quarter of a second.
 */
const sessionSettings = (deadlineMs: number): string => `
  set statement_timeout = ${Math.ceil(deadlineMs * 0.9)};
  set lock_timeout = ${Math.ceil(deadlineMs * 0.75)};
  set idle_in_transaction_session_timeout = ${Math.max(2_000, deadlineMs)};
  set enable_seqscan = off;
  set jit = off;
  set bytea_output = hex;
  set client_min_messages = warning`

const listColumns = `
  select a.attrelid::int8, a.attnum, c.relname, a.attname
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v')
  and a.attnum > 0 and not a.attisdropped`

/** A connection to PostgreSQL. It is not used again once it is lost. */
export class Connection {
  readonly #client: pg.Client
  readonly #names = new Map<string, string>()
  /** The table and column of `oid.number`. */
  readonly #columns = new Map<string, readonly [table: string, column: string]>()
  #isLost = false

  private constructor(client: pg.Client) {
    this.#client = client
    const lose = () => {
      this.#isLost = true
    }
    client.on('error', lose)
    client.on('end', lose)
  }

  /** Connects. Throws the errors of `pg`. */
  static async open(
    { url, deadlineMs }: Pick<Settings, 'url' | 'deadlineMs'>,
    timeoutMs: number,
  ): Promise<Connection> {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'stemma',
      connectionTimeoutMillis: timeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
      pipeline: true,
    } as pg.ClientConfig)
    const connection = new Connection(client)
    await client.connect()
    const timer = setTimeout(() => connection.drop(), timeoutMs)
    try {
      await client.query(sessionSettings(deadlineMs))
      const { rows } = await client.query('select pg_is_in_recovery() as standby')
      if (rows[0].standby) throw new Error('it is a standby, which only reads')
      await connection.readColumns()
    } catch (error) {
      connection.drop()
      throw error
    } finally {
      clearTimeout(timer)
    }
    return connection
  }

  get isLost(): boolean {
    return this.#isLost
  }

  /** Reads the names of all columns, which results give by number. */
  async readColumns(): Promise<void> {
    const { rows } = await this.#client.query({ text: listColumns, rowMode: 'array', types })
    this.#columns.clear()
    for (const [table, number, ...names] of rows)
      this.#columns.set(`${table}.${number}`, names as [string, string])
  }

  /** Runs SQL of this program, which may have several statements. */
  async script(sql: string): Promise<void> {
    await this.#client.query(sql)
  }

  /** Runs a query with values, and returns its rows. */
  async rows(sql: string, values: unknown[] = []): Promise<unknown[][]> {
    return (await this.#client.query({ text: sql, values, rowMode: 'array', types })).rows
  }

  /** Runs statements together: none waits for the answer to the one before it. */
  async run({ questions }: Batch): Promise<Ran> {
    const asked = questions.map(question => this.#ask(question))
    const results: Result[] = []
    for (const [at, answer] of (await Promise.allSettled(asked)).entries()) {
      if (answer.status === 'rejected') return { results, failed: this.#failed(at, answer.reason) }
      results.push(this.#result(questions[at]!, answer.value as Rows))
    }
    return { results }
  }

  #ask({ sql, values }: Question): Promise<unknown> {
    const name = this.#nameOf(sql)
    return this.#client.query({
      text: sql,
      values: [...values],
      rowMode: 'array',
      types,
      ...(name && { name }),
    })
  }

  #nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql)
    if (known !== undefined || this.#names.size >= mostPrepared) return known
    const name = `s${this.#names.size}`
    this.#names.set(sql, name)
    return name
  }

  #result({ describe, sql }: Question, { fields, rows, rowCount, command }: Rows): Result {
    // PostgreSQL answers a commit of a failed transaction with ROLLBACK.
    if (sql === 'commit' && command !== 'COMMIT') return { columns: [], rows: [], count: -1 }
    const columns = describe ? fields.map(field => this.#column(field)) : undefined
    return { columns, rows: rows as Result['rows'], count: rowCount ?? 0 }
  }

  #column({ name, tableID, columnID }: Rows['fields'][number]): Column {
    const [table, column] = this.#columns.get(`${tableID}.${columnID}`) ?? [null, null]
    return { name, table, column }
  }

  #failed(at: number, error: unknown): Failed {
    const { code, message } = error as { code?: unknown; message: string }
    // Other errors come from the socket.
    const sqlState = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : connectionLost
    // A prepared statement that another version of the schema has made useless.
    const isStale = sqlState === '0A000' && message.includes('cached plan')
    if (isStale || isLost(sqlState)) {
      this.drop()
      return { at, sqlState: isStale ? connectionLost : sqlState, message }
    }
    return { at, sqlState, message }
  }

  /** Ends the connection at once; what runs on it fails. */
  drop(): void {
    this.#isLost = true
    const { connection } = this.#client as unknown as {
      connection: { stream: { destroy: () => void } }
    }
    connection.stream.destroy()
  }

  async close(): Promise<void> {
    if (!this.#isLost) await this.#client.end()
  }
}

/**
 * Returns how a transaction ended whose connection was lost during its commit: `undefined` if it is
 * committed, else the failure. A primary that has taken over gives the ids of transactions that it has
 * not received to others: only the row of `change` of this process shows that it is the same one.
 */
export async function failureOfCommit(
  connection: Connection,
  { xid, origin }: { xid: string; origin: string | undefined },
  goesOn: () => boolean,
): Promise<Failed | undefined> {
  for (let wasCommitted = false; ; ) {
    const [row] = await connection.rows(
      `select pg_xact_status($1::text::xid8),
        exists (select from change where xid = $1::text::xid8 and origin = $2)::int`,
      [xid, origin ?? null],
    )
    const [status, isOurs] = row ?? []
    if (status === 'committed' && isOurs) return undefined
    const isOthers = status === 'committed' && origin !== undefined
    // It may have been committed while the rows were read: then they are there now.
    if (isOthers && !wasCommitted) {
      wasCommitted = true
      continue
    }
    if (isOthers || status === 'aborted') return { at: 0, sqlState: connectionLost, message: '' }
    if (status !== 'in progress' || !goesOn())
      return { at: 0, sqlState: outcomeUnknown, message: '' }
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
