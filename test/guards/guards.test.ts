import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, actor, type Reply, startApp } from '../support/app.ts'
import { isInShare } from '../support/long-run.ts'
import { ask, type Operation, operationOf, operations } from './asking.ts'
import { type Column, columns, makeCallers } from './callers.ts'
import { calls } from './calls/all.ts'
import type { Call, Sent } from './calls/call.ts'
import { makeReader } from './reader.ts'
import { readTable, writeLine } from './table.ts'
import { makeWorld } from './world.ts'
import { changedBetween, readWritten, type Written } from './written.ts'

const table = readTable()
const lines = new Set(table.map(line => line.name))

// Two of the columns send unusable tokens more often than the limit per address allows.
const app = await startApp({
  STEMMA_ALLOW_PRIVATE_REMOTES: 'true',
  STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: '0',
  STEMMA_MAX_SPACES_PER_DAY: '0',
})
test.after(() => app.stop())
const members = makeCallers(app)
const world = await makeWorld(app, app.admin, 'acme')
const callers = { ...members, reader: await makeReader(world) }
/** The answer to every unusable token, whatever the request: the same as to an unknown one. */
const { text: unusable } = await actor(app.url, '', 'stm_never').get('/v1/user')

const nothingMore: Call = { make: () => ({}) }

type Outcome = { cell: string; text: string; wrote: string[] }

type Asked = { operation: Operation; actor: Actor; sent: Sent }

/**
 * Sends a request and returns the tables written. A refusal with a write is repeated: jobs write as
 * well.
 */
async function watch(
  { operation, actor, sent }: Asked,
  before: Written,
): Promise<{ reply: Reply; after: Written; wrote: string[] }> {
  const spaceId = spaceOf(sent)
  const reply = await ask(actor, operation, world, sent)
  const after = await readWritten(app, spaceId)
  const wrote = changedBetween(before, after)
  if (reply.status < 400 || wrote.length === 0) return { reply, after, wrote }
  const again = await ask(actor, operation, world, sent)
  const then = await readWritten(app, spaceId)
  return { reply: again, after: then, wrote: changedBetween(after, then) }
}

const spaceOf = (sent: Sent): string => sent.ids?.spaceId ?? (world.ids.spaceId as string)

/**
 * Returns the outcome of a call in the notation of the table: "ok" for a success that changed
 * something or was a read, else the status.
 */
async function tryOne(
  asked: Asked,
  before: Written | undefined,
): Promise<[Outcome, Written | undefined]> {
  const { method } = asked.operation
  const seen =
    method === 'GET' || !before
      ? {
          reply: await ask(asked.actor, asked.operation, world, asked.sent),
          after: undefined,
          wrote: [],
        }
      : await watch(asked, before)
  const { status, text } = seen.reply
  const done = status < 300 && (method === 'GET' || seen.wrote.length > 0)
  return [{ cell: done ? 'ok' : String(status), text, wrote: seen.wrote }, seen.after]
}

type Outcomes = Partial<Record<Column, Outcome>>

/** The roles of members, each with all rights of those before. */
const roles: Column[] = ['read', 'comment', 'edit', 'review', 'create', 'admin', 'owner']

/**
 * Returns the columns that this run asks for the line at this index. A run of a sample asks every
 * fourth one, which the commit id chooses, and always the strongest role that is refused and the
 * weakest one that is admitted.
 */
function columnsOf(at: number, cells: Record<Column, string>): readonly Column[] {
  const admitted = roles.findIndex(column => cells[column] === 'ok')
  const edges =
    admitted === -1 ? roles.slice(-1) : roles.slice(Math.max(0, admitted - 1)).slice(0, 2)
  return columns.filter((column, index) => edges.includes(column) || isInShare(at + index))
}

/** Calls an operation as these callers in turn. */
async function tryAll(
  operation: Operation,
  call: Call,
  asked: readonly Column[] = columns,
): Promise<Outcomes> {
  const outcomes: Outcomes = {}
  let sent: Sent | undefined
  let written: Written | undefined

  for (const column of asked) {
    const asker = callers[column]
    if (!sent || call.own) {
      sent = await call.make(world, { column, actor: asker })
      written = undefined
    }

    if (operation.method !== 'GET') written ??= await readWritten(app, spaceOf(sent))

    const [outcome, after] = await tryOne({ operation, actor: asker, sent }, written)
    const { cell, text } = outcome
    if (cell === '401' && column !== 'none')
      assert.is(text, unusable, `${operation.key}, ${column}: another answer than others`)
    outcomes[column] = outcome
    written = after
    if (cell === 'ok' && operation.method !== 'GET') sent = undefined
  }

  call.after?.(world)

  return outcomes
}

/** Returns the problems of a cell, one per line. */
function differences(column: Column, expected: string, outcome: Outcome | undefined): string[] {
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
const cellsOf = (outcomes: Outcomes, cells?: Record<Column, string>) =>
  Object.fromEntries(
    columns.map(column => [column, outcomes[column]?.cell ?? cells?.[column]]),
  ) as Record<Column, string>

for (const [at, { name, operationId, cells }] of table.entries()) {
  test(name, async () => {
    const operation = operationOf(operationId)
    if (!operation)
      throw new Error(
        `There is no operation "${operationId}": take its line out of test/guards/table.txt.`,
      )

    const call = calls[name]
    if (!call && name !== operationId)
      throw new Error(`How "${name}" is called, nobody says: see test/guards/calls.`)

    const asked = columnsOf(at, cells)
    const outcomes = await tryAll(operation, call ?? nothingMore, asked)
    const wrong = asked.flatMap(column => differences(column, cells[column], outcomes[column]))
    const found = writeLine(name, cellsOf(outcomes, cells))
    if (wrong.length > 0)
      throw new Error(`${operation.key}\n${wrong.join('\n')}\n  found:\n${found}`)
  })
}

for (const operation of operations.filter(({ endpoint }) => !lines.has(endpoint.operationId))) {
  const { operationId } = operation.endpoint
  test(`${operationId} has a line`, async () => {
    const outcomes = await tryAll(operation, calls[operationId] ?? nothingMore)
    const found = writeLine(operationId, cellsOf(outcomes))
    const strange = columns
      .filter(column => !/^(?:ok|40[134])$/.test(outcomes[column]?.cell ?? ''))
      .map(column => `\n  ${column}: ${outcomes[column]?.text.slice(0, 300)}`)
    throw new Error(
      `"${operation.key}" has no line in test/guards/table.txt. Write how it is called into test/guards/calls, and add a line there. What is found now, to be checked by a person, cell by cell:\n${found}${strange.join('')}`,
    )
  })
}

test('every described call is in the table', () => {
  for (const name of Object.keys(calls))
    assert.ok(
      lines.has(name),
      `"${name}" in test/guards/calls has no line in test/guards/table.txt`,
    )
})

test('every operation has a unique name', () => {
  const names = operations.map(({ endpoint }) => endpoint.operationId)
  assert.equal([...new Set(names)], names)
})

test('readers are admitted where the endpoint says so, and nowhere else', () => {
  for (const { endpoint } of operations) {
    const cells = table
      .filter(line => line.operationId === endpoint.operationId)
      .map(line => line.cells.reader)
    // The revision of the world may be an earlier one, which is "404" to readers.
    if (endpoint.readers) assert.ok(!cells.includes('403'), endpoint.operationId)
    else assert.equal([...new Set(cells)], ['403'], endpoint.operationId)
  }
})

test('a stronger role has all rights of a weaker one', () => {
  const steps: Column[][] = [['guest', 'guest+'], roles, ['create', 'creator', 'owner']]
  for (const { name, cells } of table)
    for (const step of steps) {
      const first = step.findIndex(column => cells[column] === 'ok')
      const refused = step.findLastIndex(column => /^40[34]$/.test(cells[column]))
      assert.ok(first === -1 || refused < first, `${name}: ${step}`)
    }
})

test.run()
