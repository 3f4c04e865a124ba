import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { Request, Response } from 'express'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Fault } from '../../src/errors.ts'
import { BodyBudget } from '../../src/http/limits/body-budget.ts'
import { readMultipart } from '../../src/http/receiving/multipart.ts'
import { multipartOf, multipartType, type Part } from '../support/http/multipart.ts'

type Sent = { fields: readonly (readonly [string, string])[]; name: string; bytes: Buffer }
type Received = {
  fields?: [string, string][]
  name?: string | undefined
  file?: string
  reason?: string
}

const budget = new BodyBudget()
/** The files that were taken and not removed. */
const kept = new Set<object>()

/** A server that answers with what it read of a form, or with the reason of the refusal. */
const server = createServer((req, res) => {
  readMultipart({ config: { trustProxy: 0 } } as never, req as Request, res as Response, {
    limit: 100_000,
    budget,
    field: 'file',
    mostBytes: 1_000_000,
    take: async ({ name, chunks }) => {
      const all: Buffer[] = []
      for await (const chunk of chunks) all.push(chunk)
      const file = { name, all }
      kept.add(file)
      return file
    },
    drop: async file => void kept.delete(file),
  }).then(
    ({ values, taken }) => {
      const { name, all = [] } = taken?.kept ?? {}
      const file = Buffer.concat(all).toString('base64')
      res.end(JSON.stringify({ fields: [...values], name, file } satisfies Received))
    },
    (fault: Fault) => res.end(JSON.stringify({ reason: fault.kind } satisfies Received)),
  )
})

test.before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
test.after(() => {
  server.close()
  server.closeAllConnections()
})

/** Sends a body in pieces of a size, each of which arrives by itself. */
async function send(body: Buffer, size: number): Promise<Received> {
  const { port } = server.address() as AddressInfo
  const headers = { 'content-type': multipartType }
  const sent = request({ port, host: '127.0.0.1', method: 'POST', headers })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  for (let at = 0; at < body.length; at += size) {
    sent.write(body.subarray(at, at + size))
    await setImmediate()
  }
  sent.end()
  const [answer] = await answered
  let text = ''
  for await (const chunk of answer) text += chunk
  return JSON.parse(text)
}

/** Bytes with what looks like the beginning of a boundary. */
const bytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map(each => Buffer.from(each)),
      fc
        .constantFrom('\r\n', '--', '\r\n--', '\r\n------formBoundary7MA4YWxkTrZu0g', '\r', '\0')
        .map(text => Buffer.from(text)),
    ),
    { maxLength: 8 },
  )
  .map(pieces => Buffer.concat(pieces))
const text = fc.string({ unit: 'grapheme', maxLength: 40 })
/** Browsers send a line break of a field as CRLF, and escape those of names. */
const value = text.map(each => each.replace(/\r\n?|\n/g, '\r\n').toWellFormed())
const fileName = fc.constantFrom('a.png', 'mit Umlaut ä.md', 'say "hello".txt', '日本語.zip', '')
const form: fc.Arbitrary<Sent> = fc.record({
  fields: fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z][a-z0-9 ".-]{0,12}$/), value), {
    minLength: 1,
    maxLength: 5,
    selector: ([name]) => name,
  }),
  name: fileName,
  bytes,
})
const size = fc.integer({ min: 1, max: 900 })

const bodyOf = ({ fields, name, bytes }: Sent): Buffer =>
  multipartOf([
    ...fields.map(([name, value]): Part => [name, value]),
    ['file', { name, type: 'application/octet-stream', bytes }],
  ])

test('every form arrives as sent, in pieces of any size', async () => {
  await fc.assert(
    fc.asyncProperty(form, size, async (sent, size) => {
      const received = await send(bodyOf(sent), size)
      assert.equal(
        received.fields,
        sent.fields.map(([name, value]) => [name.replaceAll('"', '%22'), value]),
      )
      // This is a field without a chosen file.
      const isChosen = sent.name !== '' || sent.bytes.length > 0
      assert.is(received.name, isChosen ? sent.name : undefined)
      assert.is(received.file, sent.bytes.toString('base64'))
    }),
    { numRuns: 60 },
  )
  assert.is(budget.held, 0)
})

test('a form that is cut anywhere is refused, and its file is removed', async () => {
  await fc.assert(
    fc.asyncProperty(form, size, fc.nat(), async (sent, size, at) => {
      const body = bodyOf(sent)
      kept.clear()
      // The last line break is not needed.
      const received = await send(body.subarray(0, at % (body.length - 2)), size)
      assert.ok(received.reason, JSON.stringify(received))
      assert.is(kept.size, 0)
    }),
    { numRuns: 60 },
  )
  assert.is(budget.held, 0)
})

test.run()
