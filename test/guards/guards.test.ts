import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Reply, startApp } from '../support/app.ts'
import { ask, type Operation, operationOf, operations } from './asking.ts'
import { type Column, columns, makeCallers } from './callers.ts'
import { calls } from './calls/all.ts'
import type { Call, Sent } from './calls/call.ts'
import { readTable, writeLine } from './table.ts'
import { makeWorld } from './world.ts'
import { changedBetween, readWritten, type Written } from './written.ts'

const table = readTable()
const lines = new Set(table.map(line => line.name))

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
test.after(() => app.stop())
const callers = makeCallers(app)
const world = await makeWorld(app, app.admin, 'acme')
/** What everybody is told whose token cannot be used, whatever they ask. */
let unusable: string | undefined

const nothingMore: Call = { make: () => ({}) }

type Outcome = { cell: string; text: string; wrote: string[] }

/** Says what became of a call as the table says it: "ok" for a success that changed something, else its status. */
function outcomeOf({ method }: Operation, reply: Reply, wrote: string[]): Outcome {
  const done = reply.status < 300 && (method === 'GET' || wrote.length > 0)
  return { cell: done ? 'ok' : String(reply.status), text: reply.text.slice(0, 300), wrote }
}

/** Calls an operation as everybody, one after the other. */
async function tryAll(operation: Operation, call: Call): Promise<Record<Column, Outcome>> {
  const outcomes: Partial<Record<Column, Outcome>> = {}
  let sent: Sent | undefined
  let before: Written | undefined
  for (const column of columns) {
    const actor = callers[column]
    if (!sent || call.own) {
      sent = await call.make(world, { column, actor })
      before = undefined
    }
    const reads = operation.method === 'GET'
    if (!reads) before ??= await readWritten(app)
    const reply = await ask(actor, operation, world, sent)
    if (column === 'expired' || column === 'revoked') unusable ??= reply.text
    if (reply.status === 401 && column !== 'none')
      assert.is(reply.text, unusable, `${operation.key}, ${column}`)
    const after = before && (await readWritten(app))
    const outcome = outcomeOf(operation, reply, before && after ? changedBetween(before, after) : [])
    outcomes[column] = outcome
    before = after
    if (outcome.cell === 'ok' && !reads) sent = undefined
  }
  call.after?.(world)
  return outcomes as Record<Column, Outcome>
}

/** What is wrong with a cell, in a line each. */
function differences(column: Column, expected: string, { cell, text, wrote }: Outcome): string[] {
  const written = wrote.length > 0 ? `, and wrote ${wrote.join(', ')}` : ''
  if (cell !== expected)
    return [`  ${column}: answered ${cell}${written}; the table says ${expected}: ${text}`]
  return cell !== 'ok' && written ? [`  ${column}: answered ${cell}${written}`] : []
}

const cellsOf = (outcomes: Record<Column, Outcome>) =>
  Object.fromEntries(columns.map(column => [column, outcomes[column].cell])) as Record<Column, string>

for (const { name, operationId, cells } of table) {
  test(name, async () => {
    const operation = operationOf(operationId)
    if (!operation)
      throw new Error(`There is no operation "${operationId}": take its line out of test/guards/table.txt.`)
    const call = calls[name]
    if (!call && name !== operationId)
      throw new Error(`How "${name}" is called, nobody says: see test/guards/calls.`)
    const outcomes = await tryAll(operation, call ?? nothingMore)
    const wrong = columns.flatMap(column => differences(column, cells[column], outcomes[column]))
    const found = writeLine(name, cellsOf(outcomes))
    if (wrong.length > 0) throw new Error(`${operation.key}\n${wrong.join('\n')}\n  found:\n${found}`)
  })
}

for (const operation of operations.filter(({ endpoint }) => !lines.has(endpoint.operationId))) {
  const { operationId } = operation.endpoint
  test(`${operationId} has a line`, async () => {
    const outcomes = await tryAll(operation, calls[operationId] ?? nothingMore)
    const found = writeLine(operationId, cellsOf(outcomes))
    const strange = columns
      .filter(column => !/^(?:ok|40[134])$/.test(outcomes[column].cell))
      .map(column => `\n  ${column}: ${outcomes[column].text}`)
    throw new Error(
      `"${operation.key}" has no line in test/guards/table.txt. Write how it is called into test/guards/calls, and add a line there. What is found now, to be checked by a person, cell by cell:\n${found}${strange.join('')}`,
    )
  })
}

test('every call that is described is in the table', () => {
  for (const name of Object.keys(calls))
    assert.ok(lines.has(name), `"${name}" in test/guards/calls has no line in test/guards/table.txt`)
})

test('an operation has a name of its own', () => {
  const names = operations.map(({ endpoint }) => endpoint.operationId)
  assert.equal([...new Set(names)], names)
})

test('a stronger role may all that a weaker one may', () => {
  const steps: Column[][] = [
    ['guest', 'guest+'],
    ['read', 'comment', 'edit', 'review', 'create', 'admin', 'owner'],
    ['create', 'creator', 'owner'],
  ]
  for (const { name, cells } of table)
    for (const step of steps) {
      const first = step.findIndex(column => cells[column] === 'ok')
      const refused = step.findLastIndex(column => /^40[34]$/.test(cells[column]))
      assert.ok(first === -1 || refused < first, `${name}: ${step}`)
    }
})

test.run()
