import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { api } from '../../src/api/routes.ts'
import { compileOfficial, officialOperation, ours, validateReply } from '../support/conformance.ts'
import { todaysParameters } from '../support/http/todays-client.ts'
import { notYet, wanted } from './operations.ts'

test('every operation of the client is there, or on the list of what is not yet', () => {
  const here = new Set(Object.keys(api).map(normal))
  for (const key of wanted) {
    const there = here.has(normal(key))
    if (notYet.has(key))
      assert.not(there, `${key} is there now: take it off the list of what is not yet`)
    else assert.ok(there, `${key} is missing from the table of operations`)
  }
})

test('all 123 required operations exist under their names', () => {
  const required = readFileSync('test/conformance/required-operations.txt', 'utf8')
    .trim()
    .split('\n')
  assert.is(required.length, 123)
  const names = new Map(
    Object.entries(api).map(([key, endpoint]) => [normal(key), endpoint.operationId]),
  )

  for (const line of required) {
    const [method, path = '', operationId] = line.split(' ')
    assert.is(names.get(normal(`${method} ${path}`)), operationId, line)
  }
})

test('what the official document knows is called as it calls it, and answers with a status it has', () => {
  for (const [key, endpoint] of Object.entries(api)) {
    const [method = '', path = ''] = key.split(' ')
    const declared = officialOperation(method, path)
    if (!declared) continue
    assert.is(endpoint.operationId, declared.operationId, key)
    const statuses = Object.keys(declared.responses)

    assert.ok(
      statuses.includes(String(endpoint.status)),
      `${key}: ${endpoint.status} is none of ${statuses}`,
    )
  }
})

test('a parameter of the newest client is taken, or the manual says why it is ignored', () => {
  const ignored = Object.entries(api).flatMap(([key, { operationId }]) => {
    const [method = '', path = ''] = key.split(' ')
    const own = ours.paths[`/v1${path.replace(/[:*](\w+)/g, '{$1}')}`]?.[method.toLowerCase()]
    const taken = new Set((own?.parameters ?? []).map(({ name }: { name: string }) => name))
    const names = todaysParameters(method, path).filter(name => !taken.has(name))
    return names.length > 0 ? [`${operationId} ${names.sort()}`] : []
  })
  const [, rows = ''] = readFileSync('docs/api.md', 'utf8').split(
    'of the client 0.202.0 are ignored:',
  )
  const said = [...rows.matchAll(/^\| `(\w+)` +\| (`[^|]*`) +\|/gm)].map(
    ([, operationId, names = '']) =>
      `${operationId} ${[...names.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()}`,
  )
  assert.equal(ignored.sort(), said.sort())
})

test('a wrong answer is told with its place', () => {
  const user = {
    object: 'user',
    id: 'ada',
    displayName: 7,
    urls: { location: 'http://127.0.0.1/v1/users/ada' },
  }

  const told = (body: unknown, status = 200): string => {
    try {
      validateReply({ method: 'GET', path: '/v1/user?x=1', status, type: 'application/json', body })
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }

  assert.match(told(user), /GET \/user answered 200(?:.|\n)*\/displayName must be string/)
  assert.is(told({ ...user, displayName: 'Ada' }), '')
  assert.match(told({ ...user, displayName: 'Ada' }, 201), /answered 201; the document has 200/)
  assert.match(told({ error: 'no' }, 404), /without a matching error/)
  assert.is(told({ error: { code: 404, reason: 'not_found', message: 'No.' } }, 404), '')
  for (const reason of [undefined, 'unknown', 'last_admin'])
    assert.match(told({ error: { code: 404, reason, message: 'No.' } }, 404), /matching error/)
})

test('every answer of the official document that the table has compiles', () => {
  for (const key of Object.keys(api)) {
    const [method = '', path = ''] = key.split(' ')
    for (const { content } of Object.values<Answer>(
      officialOperation(method, path)?.responses ?? {},
    )) {
      const schema = content?.['application/json']?.schema
      if (schema) compileOfficial(schema)
    }
  }
})

type Answer = { content?: Record<string, { schema: object }> }

const normal = (key: string) => key.replace(/[:*]\w+|\{\w+\}/g, '{}')

test.run()
