import * as assert from 'uvu/assert'
import type { Actor, App } from '../support/app.ts'
import { isInShare } from '../support/long-run.ts'
import { type Caller, type Column, columns } from './callers.ts'
import type { Call, Sent } from './calls/call.ts'
import type { World } from './world.ts'
import { changedBetween, readWritten, type Written } from './written.ts'

/** What was found of a line: for the operations of the API, and the pages and forms of the workbench. */
export type Calling<Target> = {
  app: App
  world: World
  callers: Record<Column, Actor>
  /** Whether it only reads: a success needs no write. */
  reads: (target: Target) => boolean
  nameOf: (target: Target) => string
  ask: (caller: Caller, target: Target, sent: Sent) => Promise<{ status: number; text: string }>
  /** The answer to every unusable token, if all are answered alike. */
  unusable?: string
}

export type Outcome = { cell: string; text: string; wrote: string[] }

export type Outcomes = Partial<Record<Column, Outcome>>

/** The roles of members, each with all rights of those before. */
export const roles: Column[] = ['read', 'comment', 'edit', 'review', 'create', 'admin', 'owner']

/**
 * Returns the columns that this run asks for the line at this index. A run of a sample asks every
 * fourth one, which the commit id chooses, and always the strongest role that is refused and the
 * weakest one that is admitted.
 */
export function columnsOf(at: number, cells: Record<Column, string>): readonly Column[] {
  const admitted = roles.findIndex(column => cells[column] === 'ok')
  const edges =
    admitted === -1 ? roles.slice(-1) : roles.slice(Math.max(0, admitted - 1)).slice(0, 2)
  return columns.filter((column, index) => edges.includes(column) || isInShare(at + index))
}

/**
 * Sends a request and returns the tables written. A refusal with a write is repeated: jobs write as
 * well.
 */
async function watch(
  app: App,
  spaceId: string,
  before: Written,
  ask: () => Promise<{ status: number; text: string }>,
) {
  const reply = await ask()
  const after = await readWritten(app, spaceId)
  const wrote = changedBetween(before, after)
  if (reply.status < 400 || wrote.length === 0) return { reply, after, wrote }
  const again = await ask()
  const then = await readWritten(app, spaceId)
  return { reply: again, after: then, wrote: changedBetween(after, then) }
}

/**
 * Calls a target as these callers in turn. An outcome is in the notation of the table: "ok" for a
 * success that changed something or was a read, else the status.
 */
export async function tryAll<Target>(
  calling: Calling<Target>,
  target: Target,
  call: Call,
  asked: readonly Column[] = columns,
): Promise<Outcomes> {
  const { app, world, callers, unusable } = calling
  const reads = calling.reads(target)
  const outcomes: Outcomes = {}
  let sent: Sent | undefined
  let written: Written | undefined

  for (const column of asked) {
    const caller = { column, actor: callers[column] }
    if (!sent || call.own) {
      sent = await call.make(world, caller)
      written = undefined
    }

    const now: Sent = sent
    const ask = () => calling.ask(caller, target, now)
    const spaceId = now.ids?.spaceId ?? (world.ids.spaceId as string)
    if (!reads) written ??= await readWritten(app, spaceId)
    const { reply, after, wrote } = written
      ? await watch(app, spaceId, written, ask)
      : { reply: await ask(), after: undefined, wrote: [] }
    const { status, text } = reply
    const cell = status < 300 && (reads || wrote.length > 0) ? 'ok' : String(status)

    if (cell === '401' && column !== 'none' && unusable !== undefined)
      assert.is(text, unusable, `${calling.nameOf(target)}, ${column}: another answer than others`)
    outcomes[column] = { cell, text, wrote }
    written = after
    if (cell === 'ok' && !reads) sent = undefined
  }

  call.after?.(world)

  return outcomes
}

/** Returns the problems of a cell, one per line. */
export function differences(
  column: Column,
  expected: string,
  outcome: Outcome | undefined,
): string[] {
  if (!outcome) return [`  ${column}: not asked`]

  const { cell, text, wrote } = outcome
  const written = wrote.length > 0 ? `, and wrote ${wrote.join(', ')}` : ''
  if (cell !== expected)
    return [
      `  ${column}: answered ${cell}${written}; the table says ${expected}: ${text.slice(0, 300)}`,
    ]
  return cell !== 'ok' && written ? [`  ${column}: answered ${cell}${written}`] : []
}

/** Returns the cells that were found, and those of the table for callers who were not asked. */
export const cellsOf = (outcomes: Outcomes, cells?: Record<Column, string>) =>
  Object.fromEntries(
    columns.map(column => [column, outcomes[column]?.cell ?? cells?.[column]]),
  ) as Record<Column, string>
