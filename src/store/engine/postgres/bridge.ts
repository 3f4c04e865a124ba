import { MessageChannel } from 'node:worker_threads'
import { startThread } from '../../../lib/thread.ts'
import { Figures } from '../figures.ts'
import type { Migration } from '../migrations.ts'
import { AsyncCalls } from './async-calls.ts'
import { Line } from './line.ts'
import type { Settings } from './messages.ts'

export type PostgresOptions = {
  /** `postgres://…`, which may contain a password. */
  url: string
  /** How long a call waits for the database, in milliseconds. */
  deadlineMs?: number
  /** How long a start waits, in milliseconds: it, or another node, may migrate the schema. */
  startMs?: number
}

const usualDeadlineMs = 2_000
const usualStartMs = 1_800_000

/** The thread that has the connections, and the lines to it. */
export class Bridge {
  readonly figures = new Figures()
  /** The connection of calls that block the caller. */
  readonly now: Line
  /** The connection of transactions that the caller awaits. */
  readonly beside: Line
  /** Statements that the caller awaits, on a connection of their own. */
  readonly async: AsyncCalls
  readonly #end: () => void

  /** Connects and migrates. Throws an error with a sentence for the operator. */
  constructor(
    { url, deadlineMs = usualDeadlineMs, startMs = usualStartMs }: PostgresOptions,
    migrations: readonly Migration[],
  ) {
    this.now = new Line(deadlineMs, this.figures, false)
    this.beside = new Line(deadlineMs, this.figures, true)
    const awaited = new MessageChannel()
    this.async = new AsyncCalls(awaited.port1)
    const [now, beside, asyncPort] = [this.now.end, this.beside.end, awaited.port2]
    const settings: Settings = { url, now, beside, asyncPort, migrations, deadlineMs }
    const transferList = [now.port, beside.port, asyncPort]
    const thread = startThread('postgres', { workerData: settings, transferList })
    thread.unref()
    this.#end = () => void thread.terminate()
    const begun = this.now.begun(startMs)
    if (begun && !begun.failed) return
    this.#end()
    const { sqlState = '', message = `there was no answer in ${startMs / 1000} seconds` } =
      begun?.failed ?? {}
    throw new Error(sentenceOf(url, sqlState, message))
  }

  close(): void {
    this.now.close()
    this.beside.close()
    this.async.close()
    this.#end()
  }
}

/** Returns the sentence for a failed start. The URL has a password, which nothing prints. */
export function sentenceOf(url: string, code: string, message: string): string {
  const { hostname, port } = URL.parse(url) ?? { hostname: '', port: '' }
  const place = hostname ? ` at ${hostname}:${port || 5432}` : ''
  return `PostgreSQL${place} cannot be used: ${message || code}`
}
