import type { MessagePort } from 'node:worker_threads'
import type { Migration } from '../migrations.ts'

/** The worker's end of a line to a connection. */
export type LineEnd = {
  /** The port on which questions come and answers go. */
  port: MessagePort
  /** The memory that both threads see: `answered` and `state` are indexes of it. */
  shared: SharedArrayBuffer
}

/** What the worker thread gets when it starts. */
export type Settings = {
  url: string
  /** The line whose calls block the caller, and that of transactions which the caller awaits. */
  now: LineEnd
  beside: LineEnd
  /** The port of single statements that the caller awaits. */
  asyncPort: MessagePort
  migrations: readonly Migration[]
  /** How long the caller waits for a batch, in milliseconds. */
  deadlineMs: number
}

/** How long a connection may take to open, in milliseconds. */
export const openMs = 1_500
/** How long the worker waits before it looks again for a database that did not answer. */
export const pauseMs = 200

/** The index of the number of the last batch that was answered. */
export const answered = 0
/** The index of the state of the connection. */
export const state = 1
export const ready = 0
/** Calls fail at once until the worker has found the database again. */
export const broken = 1

/** A value as the two threads exchange it. */
export type Value = string | number | bigint | Uint8Array | null

export type Question = {
  sql: string
  values: readonly unknown[]
  /** Whether the answer names the columns: those of a known statement are kept by the caller. */
  describe: boolean
  /** Whether its only value is the id of the transaction. */
  isXid?: boolean
  /** What names this process in the rows of `change` that it inserts. */
  origin?: string
}

/** Statements that travel together. The first that fails ends the batch. */
export type Batch = {
  questions: readonly Question[]
  /** The connection of the open transaction; undefined: any. */
  connection?: number | undefined
  /** Whether it may run a second time when a connection is lost. */
  repeatable?: boolean
  /** Whether it ends with a commit, which is not repeated. */
  commits?: boolean
}

export type ToWorker = { id: number; batch: Batch } | { reset: true } | { close: number }

/** Statements that the caller awaits; `Answer` is their answer. */
export type AsyncQuestions = { id: number; questions: readonly Question[] }

export type Column = { name: string; table: string | null; column: string | null }

export type Result = {
  columns: readonly Column[] | undefined
  rows: readonly (readonly Value[])[]
  /** The number of rows that were read or changed. */
  count: number
}

/** Why a statement failed: its SQLSTATE, and its place in the batch. */
export type Failed = { at: number; sqlState: string; message: string }

export type Answer = {
  id: number
  /** The number of the connection: a transaction ends with its connection. */
  connection: number
  results: readonly Result[]
  failed?: Failed
}

/** SQLSTATEs that this driver gives too. */
export const connectionLost = '08006'
export const outcomeUnknown = '08007'
