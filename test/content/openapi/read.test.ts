import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readSpec } from '../../../src/content/openapi/read.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const read = (text: string) =>
  readSpec({
    files: [{ address: 'text:///openapi.yaml', bytes: Buffer.from(text) }],
    entry: 'text:///openapi.yaml',
    unavailable: [],
  })

const outlineOf = async (text: string) => {
  const output = await read(text)
  assert.is(output.result, 'read', JSON.stringify(output).slice(0, 300))
  if (output.result !== 'read') throw new Error(output.result)
  const lines = Buffer.from(output.pieces).toString().split('\n').filter(Boolean)
  const pieces = new Map(lines.map(line => JSON.parse(line) as [string, string]))
  return { outline: JSON.parse(output.outline), problems: output.problems, pieces }
}

const badness = async (text: string): Promise<string> => {
  const output = await read(text)
  return output.result === 'bad' ? output.message : `it is ${output.result}`
}

const paths = { '/a': { get: { summary: 'Get a', responses: { 200: { description: 'ok' } } } } }

for (const version of ['3.0.3', '3.1.0', '3.1.1', '3.2.0'])
  test(`OpenAPI ${version}`, async () => {
    const { outline, problems, pieces } = await outlineOf(
      JSON.stringify({ openapi: version, info: { title: 'T', version: '1' }, paths }),
    )
    assert.is(outline.title, 'T')
    assert.equal(problems, [])
    assert.is(outline.operations.length, 1)
    assert.ok(pieces.has(outline.operations[0].key))
  })

test('Swagger 2.0 is upgraded, even with its version as a number', async () => {
  const { outline } = await outlineOf(
    [
      'swagger: 2.0',
      'info: {title: Old, version: "1"}',
      'paths:',
      '  /a: {get: {responses: {200: {description: ok, schema: {$ref: "#/definitions/Pet"}}}}}',
      'definitions: {Pet: {type: object}}',
    ].join('\n'),
  )

  assert.is(outline.operations.length, 1)
  assert.is(outline.schemas[0].name, 'Pet')
})

test('YAML with anchors, merge keys and a byte-order mark is read, and JSON with a comment', async () => {
  const { outline } = await outlineOf(
    '\ufeffopenapi: 3.0.0\ninfo: {title: Y, version: "1"}\nx-get: &get\n  responses: {200: {description: ok}}\npaths:\n  /a:\n    get:\n      <<: *get\n      summary: Merged\n',
  )
  assert.is(outline.operations[0].summary, 'Merged')
  const text = `{ # a comment\n${JSON.stringify({ openapi: '3.1.0', info: { title: 'J', version: '1' }, paths }).slice(1)}`
  assert.is((await outlineOf(text)).outline.title, 'J')
})

test('violations of the standard are reported, and the spec is read', async () => {
  const { outline, problems } = await outlineOf(
    JSON.stringify({
      openapi: '3.0.3',
      info: { title: 'T' },
      paths: { '/a': { get: { summary: 'x' } } },
    }),
  )

  assert.is(outline.operations.length, 1)
  assert.ok(problems.length > 0)
  assert.ok(problems.every(({ code }) => code === 'INVALID'))
  const dangling = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/a': { $ref: '#/nowhere' } },
  })

  assert.equal(
    (await outlineOf(dangling)).problems.map(({ code }) => code),
    ['UNRESOLVED_REF'],
  )
})

test('a file that is not an OpenAPI spec is refused with a reason', async () => {
  const info = { title: 'T', version: '1' }
  const cases: [text: string, why: RegExp][] = [
    ['Hello', /is not an OpenAPI spec/],
    ['[]', /is not an OpenAPI spec/],
    ['{}', /neither "openapi" nor "swagger"/],
    [JSON.stringify({ openapi: '4.0.0', info, paths }), /version is not supported/],
    [JSON.stringify({ swagger: '1.2', info, paths }), /version is not supported/],
    [JSON.stringify({ openapi: '3.1.0', paths }), /no "info"/],
    [JSON.stringify({ openapi: '3.1.0', info }), /no "paths"/],
    [
      JSON.stringify({ openapi: '3.1.0', info, paths: 7, components: {} }),
      /"paths" must be an object/,
    ],
    [
      JSON.stringify({ openapi: '3.1.0', info, paths, components: [] }),
      /"components" must be an object/,
    ],
    ['{"openapi": ', /not valid JSON/],
    ['a: b: c', /not valid YAML/],
    ['\ud800', /is not an OpenAPI spec/],
  ]

  for (const [text, why] of cases) assert.match(await badness(text), why, text.slice(0, 50))
  const latin = { address: 'text:///a', bytes: Buffer.from([0xff, 0xfe, 0x41]) }
  const output = readSpec({ files: [latin], entry: 'text:///a', unavailable: [] })

  assert.match(output.result === 'bad' ? output.message : '', /UTF-8/)
})

test('hostile texts are refused quickly', async () => {
  const lol = `a: &a [${'x,'.repeat(9)}x]\n${[...'bcdefghi']
    .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`)
    .join('\n')}\n`
  const hostile: [what: string, text: string][] = [
    ['an alias bomb', `openapi: 3.1.0\n${lol}`],
    ['open brackets', '['.repeat(5_000_000)],
    ['open braces', '{a: '.repeat(1_000_000)],
    ['dashes', '- '.repeat(1_000_000)],
    ['lines', '\n'.repeat(5_000_000)],
    ['JSON of depth 10,000', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['JSON of depth 1,000,000', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
    ['two million values', `[${'1,'.repeat(2_000_000)}1]`],
  ]

  for (const [what, text] of hostile) {
    const started = cpuTime()
    assert.match(await badness(text), /nested|lines|values|valid|alias/i, what)
    assert.ok(cpuTime() - started < 8_000, `${what} takes ${cpuTime() - started} ms`)
  }
})

test('names of prototype properties are ordinary names', async () => {
  const text = `{"openapi":"3.1.0","info":{"title":"P","version":"1"},"paths":{"/__proto__":{"get":{"responses":{"200":{"description":"ok"}}}},"__proto__":{"get":{}},"constructor":{"get":{}}},"components":{"schemas":{"__proto__":{"type":"object"}}}}`
  const { outline } = await outlineOf(text)
  assert.ok(outline.operations.length >= 1)
  assert.is(Object.getPrototypeOf({}), Object.prototype)
  assert.is(({} as Record<string, unknown>).get, undefined)
})

const files = (entries: Record<string, unknown>, unavailable: [string, string][] = []) => ({
  files: Object.entries(entries).map(([path, content]) => ({
    address: `https://example.org/${path}`,
    bytes: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
  })),
  entry: `https://example.org/${Object.keys(entries)[0]}`,
  unavailable,
})

const withRef = ($ref: string) => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  paths: { '/a': { $ref } },
})

test('only relative references of the same origin are wanted', async () => {
  const wantedFor = async (ref: string) => {
    const output = readSpec(files({ 'v1/openapi.json': withRef(ref) }))
    return output.result === 'wanted' ? output.addresses : []
  }

  assert.equal(await wantedFor('a.yaml#/x'), ['https://example.org/v1/a.yaml'])
  assert.equal(await wantedFor('../b.yaml'), ['https://example.org/b.yaml'])
  assert.equal(await wantedFor('../../../../b.yaml'), ['https://example.org/b.yaml'])
  assert.equal(await wantedFor('./openapi.json#/components/x'), [])

  for (const never of [
    'file:///etc/passwd',
    '/etc/passwd',
    '\\\\host\\x',
    '//10.0.0.1/x',
    'http://10.0.0.1/x',
    'https://example.org/other.yaml',
    'gopher://x/',
    'data:application/json,{}',
    'javascript:1',
    'C:\\x',
    '#/components/x',
  ])
    assert.equal(await wantedFor(never), [], never)
})

test('files that refer to each other, even in cycles, become one document', async () => {
  const output = readSpec(
    files({
      'v1/openapi.json': withRef('paths.yaml#/a'),
      'v1/paths.yaml':
        'a: {get: {summary: Elsewhere, responses: {200: {description: ok, content: {application/json: {schema: {$ref: "../models.json#/Pet"}}}}}}}',
      'models.json': {
        Pet: {
          type: 'object',
          properties: { next: { $ref: '#/Pet' }, up: { $ref: 'v1/openapi.json#/info' } },
        },
      },
    }),
  )

  assert.is(output.result, 'read', JSON.stringify(output).slice(0, 200))
  if (output.result !== 'read') return
  assert.equal(output.problems, [])
  assert.is(JSON.parse(output.outline).operations[0].summary, 'Elsewhere')
})

test('a referenced file that is missing or invalid is reported', async () => {
  const gone = readSpec(
    files({ 'openapi.json': withRef('gone.yaml') }, [
      ['https://example.org/gone.yaml', 'it is away.'],
    ]),
  )

  assert.equal(gone.result === 'read' && gone.problems, [
    { code: 'UNRESOLVED_REF', message: '"gone.yaml" could not be read: it is away.' },
  ])
  const broken = readSpec(files({ 'openapi.json': withRef('b.yaml'), 'b.yaml': 'a: b: c' }))
  assert.match(
    broken.result === 'read' ? (broken.problems[0]?.message ?? '') : '',
    /not valid YAML/,
  )
})

test('a cycle is reported as a cycle, not as something missing', async () => {
  const schemas = {
    A: { $ref: '#/components/schemas/B' },
    B: { $ref: '#/components/schemas/A' },
    Self: { $ref: '#/components/schemas/Self' },
    Gone: { $ref: '#/components/schemas/None' },
    Use: { type: 'object', properties: { a: { $ref: '#/components/schemas/Gone' } } },
  }
  const spec = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths,
    components: { schemas },
  }
  const { problems, pieces } = await outlineOf(JSON.stringify(spec))
  const messages = problems.map(({ message }: { message: string }) => message).join('\n')
  for (const name of ['A', 'B', 'Self'])
    assert.match(messages, `"#/components/schemas/${name}" refers to itself.`)
  assert.match(messages, '"#/components/schemas/None" does not exist.')
  assert.match(messages, '"#/components/schemas/Gone" leads to "#/components/schemas/None", which')
  assert.match(pieces.get('schema A') ?? '', /\(refers to itself\)/)
  assert.match(pieces.get('schema Use') ?? '', /\(not found\)/)
})

test('an alias of YAML within its own value is refused with that reason', async () => {
  const head = 'openapi: 3.1.0\ninfo: {title: T, version: 1}\npaths: {}\n'
  for (const text of [
    'components:\n  schemas: &all\n    A: {type: object, properties: *all}\n',
    'x-a: &a\n  - b: [*a]\n',
    'x-a: &a {b: &b {c: *a, d: *b}}\n',
  ])
    assert.match(await badness(head + text), /alias to a value that contains the alias/, text)
  const shared = 'x-a: &a {b: 1}\nx-b: [*a, *a, {c: *a}]\n'
  assert.match(await badness(head + shared), /it is read/)
})

test('a version that YAML reads as a number is a version', async () => {
  for (const version of ['3.0', '3.1', '3.2']) {
    const { outline } = await outlineOf(
      `openapi: ${version}\ninfo: {title: 7, version: 2}\npaths: {/a: {get: {}}}\n`,
    )
    assert.is(outline.title, '7')
    assert.is(outline.version, '2')
  }
})

test('a $ref within an example is not a reference', async () => {
  const document = withRef('#/components/pathItems/x') as Record<string, unknown>
  document.components = {
    pathItems: { x: { get: { responses: { 200: { description: 'ok' } } } } },
    schemas: {
      A: {
        type: 'object',
        example: { $ref: 'never.yaml' },
        properties: { example: { $ref: '#/components/schemas/A' } },
      },
    },
  }
  const output = readSpec(files({ 'openapi.json': document }))
  assert.equal(output.result === 'read' && output.problems, [])
})

test.run()
