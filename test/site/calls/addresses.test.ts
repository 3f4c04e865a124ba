import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { describeSpec, operationKey } from '../../../src/content/openapi/describe.ts'
import { requestOf } from '../../../src/site/client/call-request.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { runs } from '../../support/long-run.ts'

const server = 'https://api.example.org/v1'

/**
 * Returns the addresses of the example request of a spec, and of the form as it is when it opens.
 */
function addressesOf(path: string, ...parameters: object[]): { sample: string; form: string } {
  const { pieces } = describeSpec({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: `${server}/` }],
    paths: { [path]: { get: { parameters } } },
  })
  const sample = /^curl '([^']*)'$/m.exec(pieces.get(operationKey('get', path)) ?? '')?.[1] ?? ''
  const json = [...pieces].find(([key]) => key.startsWith('call '))?.[1]
  const call = JSON.parse(json ?? '')
  const values = call.fields.map(({ value }: { value: string }) => value)
  const built = requestOf(call, { server, values, way: 0, secrets: [] })

  return { sample, form: 'url' in built ? built.url : `bad ${built.bad}` }
}

function checkBoth(expected: string, path: string, ...parameters: object[]): void {
  const { sample, form } = addressesOf(path, ...parameters)
  assert.is(form, server + expected)
  assert.is(sample, server + expected)
}

const inPath = (example: unknown, more: object = {}) => ({
  name: 'id',
  in: 'path',
  required: true,
  example,
  ...more,
})
const inQuery = (example: unknown, more: object = {}) => ({
  name: 'q',
  in: 'query',
  required: true,
  example,
  ...more,
})
const list = { schema: { type: 'array', items: { type: 'string' } } }
const text = { schema: { type: 'string' } }

test('the values of paths and queries have only unreserved characters', () => {
  const values: [string, string][] = [
    ['a b', 'a%20b'],
    ['a/b\\c', 'a%2Fb%5Cc'],
    ['Zoë 日本 😀', 'Zo%C3%AB%20%E6%97%A5%E6%9C%AC%20%F0%9F%98%80'],
    [':/?#[]@', '%3A%2F%3F%23%5B%5D%40'],
    ["!$&'()*+;=", '%21%24%26%27%28%29%2A%2B%3B%3D'],
    ['%2F', '%252F'],
    ['{id}<b>"`^|', '%7Bid%7D%3Cb%3E%22%60%5E%7C'],
    ['-._~', '-._~'],
    ['x\ny', 'x%0Ay'],
  ]

  for (const [value, encoded] of values) {
    checkBoth(`/pets/${encoded}/toys`, '/pets/{id}/toys', inPath(value, text))
    checkBoth(`/pets?q=${encoded}`, '/pets', inQuery(value, text))
  }

  checkBoth('/pets/true?q=7', '/pets/{id}', inPath(true), inQuery(7))
})

test('a comma of a text is encoded', () => {
  checkBoth('/pets/a%2Cb?q=a%2Cb', '/pets/{id}', inPath('a,b', text), inQuery('a,b', text))
})

test('the names of parameters are encoded', () => {
  checkBoth('/pets?filter%5Bpage%20size%5D=1', '/pets', inQuery(1, { name: 'filter[page size]' }))
  checkBoth('/pets/;p%26q=1', '/pets/{p&q}', inPath(1, { name: 'p&q', style: 'matrix' }))
})

test('lists in paths are joined by style and explode', () => {
  const values = ['a b', 'c/d']
  const written: [object, string][] = [
    [{}, 'a%20b,c%2Fd'],
    [{ style: 'simple', explode: true }, 'a%20b,c%2Fd'],
    [{ style: 'label' }, '.a%20b,c%2Fd'],
    [{ style: 'label', explode: true }, '.a%20b.c%2Fd'],
    [{ style: 'matrix' }, ';id=a%20b,c%2Fd'],
    [{ style: 'matrix', explode: true }, ';id=a%20b;id=c%2Fd'],
  ]

  for (const [style, expected] of written)
    checkBoth(`/pets/${expected}`, '/pets/{id}', inPath(values, { ...list, ...style }))
})

test('lists in queries are joined by style and explode', () => {
  const values = ['a b', 'c&d']
  const written: [object, string][] = [
    [{}, 'q=a%20b&q=c%26d'],
    [{ style: 'form', explode: true }, 'q=a%20b&q=c%26d'],
    [{ explode: false }, 'q=a%20b,c%26d'],
    [{ style: 'spaceDelimited' }, 'q=a%20b%20c%26d'],
    [{ style: 'spaceDelimited', explode: true }, 'q=a%20b&q=c%26d'],
    [{ style: 'pipeDelimited', explode: false }, 'q=a%20b%7Cc%26d'],
  ]

  for (const [style, expected] of written)
    checkBoth(`/pets?${expected}`, '/pets', inQuery(values, { ...list, ...style }))
  checkBoth('/pets?q=1&q=2', '/pets', {
    ...inQuery(undefined, list),
    examples: { two: { value: [1, 2] } },
  })

  checkBoth('/pets?q=x&q=y', '/pets', {
    ...inQuery(undefined),
    schema: { ...list.schema, default: ['x', 'y'] },
  })
})

test('a parameter with allowReserved keeps the reserved characters that a query allows', () => {
  const reserved = { ...text, allowReserved: true }
  checkBoth(
    '/pets?q=https://a.example/?x%3D1%26y%23z%20%5B%5D%2B%25',
    '/pets',
    inQuery('https://a.example/?x=1&y#z []+%', reserved),
  )
})

test('the text of a path is encoded where it has to be, and what is encoded stays', () => {
  checkBoth('/my%20pets/%C3%A9/a%2Fb/%23c:d@e/7', '/my pets/é/a%2Fb/#c:d@e/{id}', inPath(7))
  checkBoth('/pets?kind=cat&q=1', '/pets?kind=cat', inQuery(1))
})

test('a parameter without an example stands as its name in the sample', () => {
  const { sample } = addressesOf(
    '/pets/{id}/{other}',
    { name: 'id', in: 'path', required: true },
    { name: 'a b', in: 'query', required: true, ...list },
  )
  assert.is(sample, `${server}/pets/<id>/<other>?a%20b=<a%20b>`)
})

test('a value that leads to another path is named', () => {
  for (const value of ['.', '..'])
    assert.is(addressesOf('/pets/{id}', inPath(value)).form, 'bad id')
  assert.is(addressesOf('/pets/%2e%2E/{id}', inPath(1)).form, 'bad /pets/%2e%2E/{id}')
})

test('a server reads the values that the spec gives', () => {
  const value = anyText({ minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(value, value, (id, q) => {
      if (/^\.{1,2}$/.test(id)) return
      const { sample, form } = addressesOf('/pets/{id}', inPath(id, text), inQuery(q, text))
      assert.is(sample, form)
      const url = new URL(sample)
      assert.is(decodeURIComponent(url.pathname.slice('/v1/pets/'.length)), id.toWellFormed())
      assert.equal([...url.searchParams], [['q', q.toWellFormed()]])
      assert.match(sample, /^https:[\w.~%/?=&-]+$/)
    }),
    { numRuns: runs(100) },
  )
})

test.run()
