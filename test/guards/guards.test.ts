import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { actor, startApp } from '../support/app.ts'
import { ask, type Operation, operationOf, operations } from './asking.ts'
import { type Column, columns, makeCallers } from './callers.ts'
import { calls } from './calls/all.ts'
import type { Call } from './calls/call.ts'
import { type Calling, cellsOf, columnsOf, differences, roles, tryAll } from './outcomes.ts'
import { readTable, writeLine } from './table.ts'
import { makeReader, makeWorld } from './world.ts'

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

const calling: Calling<Operation> = {
  app,
  world,
  callers,
  reads: ({ method }) => method === 'GET',
  nameOf: ({ key }) => key,
  ask: ({ actor: asker }, operation, sent) => ask(asker, operation, world, sent),
  unusable,
}

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
    const outcomes = await tryAll(calling, operation, call ?? nothingMore, asked)
    const wrong = asked.flatMap(column => differences(column, cells[column], outcomes[column]))
    const found = writeLine(name, cellsOf(outcomes, cells))
    if (wrong.length > 0)
      throw new Error(`${operation.key}\n${wrong.join('\n')}\n  found:\n${found}`)
  })
}

for (const operation of operations.filter(({ endpoint }) => !lines.has(endpoint.operationId))) {
  const { operationId } = operation.endpoint
  test(`${operationId} has a line`, async () => {
    const outcomes = await tryAll(calling, operation, calls[operationId] ?? nothingMore)
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
