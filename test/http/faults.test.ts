import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { Fault, invalid, missing } from '../../src/errors.ts'
import { endpoint, routes } from '../../src/http/endpoint.ts'
import { ErrorBody, failureOf } from '../../src/http/faults.ts'
import { type FaultKind, type Reason, reasons } from '../../src/reasons.ts'
import { type Mounted, serveTable } from '../support/http/mounted.ts'

const statuses: Record<FaultKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  wrong_method: 405,
  too_slow: 408,
  conflict: 409,
  unmet: 412,
  too_large: 413,
  unsupported_type: 415,
  unsatisfiable: 416,
  too_many: 429,
  failed: 500,
  not_installed: 501,
  unavailable: 503,
  no_space: 507,
}

const kinds = new Map(
  Object.entries(reasons).flatMap(([kind, words]) =>
    Object.keys(words).map(word => [word, kind as FaultKind] as const),
  ),
)

const params = z.object({ word: z.string().regex(/^[a-z_]+$/, 'takes small letters') })
const fail = endpoint({
  operationId: 'fail',
  summary: 'Go wrong',
  params,
  reply: z.unknown(),
  access: () => ({}),
  handle: ({ params }) => {
    if (kinds.has(params.word))
      throw new Fault(params.word as Reason, 'It went wrong.', { why: params.word })
    throw new Error('/var/lib/stemma/spaces/ab/secret.git is broken')
  },
})
const lie = endpoint({
  operationId: 'lie',
  summary: 'Answer what was not promised',
  params: z.object({}),
  reply: z.object({ id: z.string() }),
  access: () => ({}),
  handle: () => ({ id: 7 }) as unknown as { id: string },
})

let server: Mounted
test.before(async () => {
  server = await serveTable(routes({ 'GET /fail/:word': fail, 'GET /lie': lie }))
})
test.after(() => server.stop())

test('each reason has its status, beside the message and details', async () => {
  for (const [word, kind] of kinds) {
    const reply = await server.send(`/fail/${word}`)
    assert.is(reply.status, statuses[kind], word)
    assert.equal(reply.body, {
      error: { code: statuses[kind], reason: word, message: 'It went wrong.' },
      details: { why: word },
    })
  }
})

test('a refusal for a moment says when to try again', () => {
  const wait = (fault: Fault) => failureOf(fault).headers['Retry-After']
  for (const reason of ['rate_limited', 'busy'] as const) {
    assert.is(wait(new Fault(reason, 'Later.')), '2', reason)
    assert.is(
      wait(new Fault(reason, 'Later.', undefined, { label: 'tests', retryAfter: 60 })),
      '60',
      reason,
    )
  }

  assert.is(wait(new Fault('last_admin', 'Not so.')), undefined)
})

test('an unexpected error is a 500 without internals', async () => {
  const reply = await server.send('/fail/anything')
  assert.is(reply.status, 500)
  assert.not.match(reply.text, /secret|var|stack|Error:/)
  assert.match(reply.text, /request id/)

  for (const thrown of ['text', 7, {}, Object.create(null), new Error('secret')]) {
    const { status, body, expected } = failureOf(thrown)
    assert.is(status, 500)
    assert.not(expected)
    assert.not.match(JSON.stringify(body), /secret/)
    assert.ok(ErrorBody.safeParse(body).success)
  }
})

test('a reply that does not fit its schema is a 500', async () => {
  assert.is((await server.send('/lie')).status, 500)
})

test('a malformed path is a 400', async () => {
  assert.is((await server.send('/fail/%E0%A4%A')).status, 400)
  const reply = await server.send('/fail/NO')
  assert.is(reply.status, 400)
  assert.match(reply.text, /\\"word\\" in the path: takes small letters/)
})

test('faults have messages', () => {
  assert.match(
    missing('space', 'a'.repeat(500)).message,
    /^There is no space "a{100}", or you may not see it\.$/,
  )
  assert.equal(invalid('No.', { a: 1 }).detail, { a: 1 })
})

test.run()
