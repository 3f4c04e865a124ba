import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Call as SpecCall } from '../../../src/content/openapi/call.ts'
import { indented } from '../../../src/site/client/call-answer.ts'
import { type Call, type Filled, requestOf } from '../../../src/site/client/call-request.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { runs } from '../../support/long-run.ts'

const server = 'https://api.example.org/v1'
// What a spec gives is what the form takes.
const plain: SpecCall = {
  method: 'GET',
  path: '/pets/{id}',
  servers: [server],
  fields: [{ name: 'id', in: 'path', required: true, value: '' }],
  auth: [],
  bodies: [],
  left: [],
  files: false,
}
const filled: Filled = { server, values: ['1'], way: 0, secrets: [] }
const built = (call: Partial<Call>, entered: Partial<Filled> = {}) =>
  requestOf({ ...plain, ...call }, { ...filled, ...entered })

test('path parameters are encoded, and lists in them are joined', () => {
  assert.equal(built({}, { values: ['a/b ?#%'] }), {
    url: `${server}/pets/a%2Fb%20%3F%23%25`,
    headers: [],
    body: undefined,
  })
  const list = { name: 'id', in: 'path', required: true, value: '', joint: ',' } as const
  const matrix = built({ fields: [{ ...list, before: ';id=' }] }, { values: ['a, b,,c'] })
  assert.is('url' in matrix && matrix.url, `${server}/pets/;id=a,b,c`)
})

test('query parameters without a value are left out; lists repeat their name or are joined', () => {
  const names = ['a', 'b', 'c', 'd', 'e&f'] as const
  const joints = [undefined, '&', '|', ',', undefined] as const
  const fields = names.map((name, at) => ({
    name,
    in: 'query' as const,
    required: false,
    value: '',
    ...(joints[at] && { joint: joints[at] }),
  }))
  const request = built({ path: '/pets', fields }, { values: ['', 'x, y', 'x,y', 'x,y', '1&2'] })

  assert.is('url' in request && request.url, `${server}/pets?b=x&b=y&c=x%7Cy&d=x,y&e%26f=1%262`)
})

test('headers, credentials and the body go with the request', () => {
  const auth: Call['auth'] = [
    [{ kind: 'bearer', label: 't' }],
    [
      { kind: 'basic', label: 'b' },
      { kind: 'key', label: 'q', in: 'query', name: 'key' },
    ],
    [{ kind: 'key', label: 'h', in: 'header', name: 'X-Key' }],
  ]

  const call: Partial<Call> = {
    path: '/pets',
    auth,
    fields: [{ name: 'X-Trace', in: 'header', required: false, value: '' }],
  }
  const body = { type: 'application/json', text: '{}' }
  assert.equal(built(call, { values: [' 7 '], secrets: [['Bearer abc']], body }), {
    url: `${server}/pets`,
    headers: [
      ['X-Trace', '7'],
      ['Authorization', 'Bearer abc'],
      ['Content-Type', 'application/json'],
    ],
    body: '{}',
  })

  assert.equal(built(call, { values: [''], way: 1, secrets: [['ädä', 'p:w'], ['k y']] }), {
    url: `${server}/pets?key=k%20y`,
    headers: [['Authorization', `Basic ${Buffer.from('ädä:p:w').toString('base64')}`]],
    body: undefined,
  })

  assert.equal(built(call, { values: [''], way: 2, secrets: [['k']] }), {
    url: `${server}/pets`,
    headers: [['X-Key', 'k']],
    body: undefined,
  })

  assert.equal(
    built(call, { values: [''], way: 0, secrets: [['']], body: { ...body, text: '' } }),
    {
      url: `${server}/pets`,
      headers: [],
      body: undefined,
    },
  )
})

test('a value that cannot be a header is named, and so is a path to another server', () => {
  const fields: Call['fields'] = [{ name: 'X-A', in: 'header', required: false, value: '' }]
  for (const value of ['a\nb', 'a\r\nX: y', '日本', 'a\u0000'])
    assert.equal(built({ path: '/pets', fields }, { values: [value] }), { bad: 'X-A' })
  for (const path of ['@evil.example/', '.evil.example/', ':80@evil.example/'])
    assert.equal(built({ path, servers: ['https://a.example'] }, { server: 'https://a.example' }), {
      bad: path,
    })
})

test('no value of a reader leaves the server', () => {
  fc.assert(
    fc.property(anyText(), fc.string(), (id, q) => {
      const fields: Call['fields'] = [
        ...plain.fields,
        { name: 'q', in: 'query', required: false, value: '' },
      ]
      const request = built({ fields }, { values: [id, q] })
      if (!('url' in request)) return

      const url = new URL(request.url)

      assert.is(url.origin, 'https://api.example.org')
      assert.is(url.searchParams.get('q') ?? '', q.toWellFormed())
      assert.is(url.hash, '')
    }),
    { numRuns: runs(200) },
  )
})

test('JSON gets a line for each value and keeps its digits', () => {
  assert.is(
    indented('{"a":12345678901234567890,"b":["x,{y}",[],{ }],"c":"\\""}'),
    '{\n  "a": 12345678901234567890,\n  "b": [\n    "x,{y}",\n    [],\n    {}\n  ],\n  "c": "\\""\n}',
  )
  assert.is(indented('{"a":'), '{"a":')
  fc.assert(
    fc.property(fc.json(), json => assert.equal(JSON.parse(indented(json)), JSON.parse(json))),
    { numRuns: runs(200) },
  )
  assert.ok(indented(`${'['.repeat(2000)}${']'.repeat(2000)}`).length < 200_000)
})

test.run()
