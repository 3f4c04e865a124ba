import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  describeSpec,
  infoKey,
  operationKey,
  schemaKey,
  tagKey,
  webhookKey,
} from '../../../src/content/openapi/describe.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { runs } from '../../support/long-run.ts'

const pet = {
  type: 'object',
  description: 'A pet.',
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 50, example: 'Rex' },
    kind: { enum: ['cat', 'dog'], default: 'cat' },
    owner: { $ref: '#/components/schemas/Owner' },
    tags: { type: 'array', items: { type: 'string' } },
  },
}
const store = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1.2', description: 'All about *pets*.' },
  servers: [{ url: 'https://{region}.example.com', variables: { region: { default: 'eu' } } }],
  security: [{ key: [] }],
  tags: [
    { name: 'owners', parent: 'pets', 'x-page-title': 'Who has them', 'x-page-icon': 'user' },
    { name: 'pets', description: 'Pets & co', 'x-page-description': 'Cats\nand dogs' },
  ],
  paths: {
    '/pets': {
      parameters: [{ $ref: '#/components/parameters/Limit' }],
      get: {
        operationId: 'listPets',
        summary: 'List pets',
        tags: ['pets'],
        responses: {
          200: {
            description: 'Pets',
            content: { 'application/json': { schema: { type: 'array', items: pet } } },
          },
        },
      },
      post: {
        deprecated: true,
        tags: ['pets', 'more'],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
        },
        responses: { 201: { $ref: '#/components/responses/Gone' } },
      },
    },
  },
  webhooks: {
    newPet: {
      post: { summary: 'A pet came', requestBody: { $ref: '#/components/requestBodies/None' } },
    },
  },
  components: {
    parameters: {
      Limit: {
        name: 'limit',
        in: 'query',
        description: 'At | most',
        schema: { type: 'integer', maximum: 9 },
      },
    },
    schemas: {
      Pet: pet,
      Owner: {
        type: 'object',
        properties: { pets: { type: 'array', items: { $ref: '#/components/schemas/Pet' } } },
      },
    },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
  },
}
const { outline, pieces } = describeSpec(store)
const piece = (key: string): string => pieces.get(key) ?? ''

test('the outline has tags in order, operations, webhooks and schemas', () => {
  assert.equal([outline.title, outline.version, outline.left], ['Pets', '1.2', 0])
  assert.equal(outline.tags, [
    { name: 'owners', title: 'Who has them', icon: 'user', parent: 'pets' },
    { name: 'pets', title: 'pets', description: 'Cats and dogs', key: tagKey('pets') },
    { name: 'more', title: 'more' },
  ])

  assert.equal(outline.operations, [
    {
      key: operationKey('GET', '/pets'),
      method: 'get',
      path: '/pets',
      operationId: 'listPets',
      summary: 'List pets',
      tags: ['pets'],
      deprecated: false,
    },
    {
      key: operationKey('post', '/pets'),
      method: 'post',
      path: '/pets',
      tags: ['pets', 'more'],
      deprecated: true,
    },
  ])
  assert.is(outline.webhooks[0]?.key, webhookKey('post', 'newPet'))
  assert.equal(
    outline.schemas.map(schema => schema.name),
    ['Pet', 'Owner'],
  )
})

test('the piece of an operation has its path, parameters, body and responses', () => {
  const text = piece(operationKey('get', '/pets'))
  assert.match(text, /^## List pets\n\n`GET` `\/pets` `listPets`\n/)
  assert.ok(text.includes('<https://eu.example.com>'))
  assert.ok(text.includes('- **key**: a key in the header `X-Key`'))
  assert.ok(text.includes('| `limit` | query | integer | At \\| most. At most: `9`. |'), text)
  assert.ok(text.includes('#### 200\n\nPets\n'))
  assert.ok(
    text.includes('    - `name`: string, required — Max length: `50`.') ||
      text.includes('  - `name`: string, required'),
  )
  assert.ok(text.includes('"name": "Rex"'))
  const post = piece(operationKey('post', '/pets'))

  assert.ok(post.includes('{% hint style="warning" %}'))
  assert.ok(post.includes('`#/components/responses/Gone` (not found)'))
})

test('references in schemas are followed, and recursive ones once', () => {
  const text = piece(schemaKey('Pet'))
  assert.match(
    text,
    /- `owner`: `Owner`\n {2}- `pets`: array of `Pet`\n {4}- each: `Pet`, as above/,
  )
  assert.ok(text.includes('- `kind`: string — Allowed: `cat`, `dog`. Default: `cat`.'))
})

/** The ways in which a schema contains itself. */
const recursive: Record<string, unknown> = {
  'allOf with a description': { allOf: [{ $ref: '#/components/schemas/Node' }], description: 'D' },
  'allOf with more': {
    allOf: [{ $ref: '#/components/schemas/Node' }, { description: 'Words' }],
  },
  'another name': { $ref: '#/components/schemas/Alias' },
  'another spelling': { $ref: '#/components/schemas/%4Eode' },
  'items of a list': {
    type: 'array',
    items: { type: 'array', items: { allOf: [{ $ref: '#/components/schemas/Node' }] } },
  },
  'values of a map': {
    type: 'object',
    additionalProperties: { oneOf: [{ allOf: [{ $ref: '#/components/schemas/Node' }] }] },
  },
}

test('a schema that contains itself is shown once and then named', () => {
  for (const [what, next] of Object.entries(recursive)) {
    const Node = { type: 'object', properties: { text: { type: 'string' }, next } }
    const schemas = { Node, Alias: { allOf: [{ $ref: '#/components/schemas/Node' }] } }
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } }
    const { pieces } = describeSpec({
      info: { title: 'T' },
      paths: { '/a': { post: { requestBody: { content }, responses: { 200: { content } } } } },
      components: { schemas },
    })
    const count = (key: string, part: string) => (pieces.get(key) ?? '').split(part).length - 1
    assert.is(count(schemaKey('Node'), '- `text`:'), 1, what)
    assert.is(count(schemaKey('Node'), '"text":'), 1, what)
    assert.is(count(operationKey('post', '/a'), '- `text`:'), 2, what)
    assert.ok(
      count(schemaKey('Node'), 'as above') >= 1,
      `${what}: ${pieces.get(schemaKey('Node'))}`,
    )
  }
})

test('all named examples are shown, each in a tab, and a single one without', () => {
  const Pet = { type: 'object', properties: { name: { type: 'string' } } }
  const pieceOf = (media: object) =>
    describeSpec({
      info: { title: 'T' },
      paths: { '/a': { get: { responses: { 200: { content: { 'application/json': media } } } } } },
      components: {
        schemas: { Pet },
        examples: { Cat: { summary: 'A "cat" %}', value: { name: 'Tom {% endtab %}' } } },
      },
    }).pieces.get(operationKey('get', '/a')) ?? ''
  const several = pieceOf({
    schema: { $ref: '#/components/schemas/Pet' },
    examples: {
      cat: { $ref: '#/components/examples/Cat' },
      dog: { value: { name: 'Rex' } },
      none: {},
    },
  })
  assert.match(several, 'Examples:\n\n{% tabs %}\n{% tab title="A cat" %}\n```json\n')
  assert.match(several, '{% tab title="dog" %}\n```json\n{\n  "name": "Rex"\n}\n```\n{% endtab %}')
  assert.is(several.split('{% tab title').length, 3)
  const one = pieceOf({ examples: { dog: { value: { name: 'Rex' } } } })
  assert.match(one, 'Example:\n\n```json\n{\n  "name": "Rex"\n}\n```')
  assert.not.match(one, '{% tab')
})

test('a schema that several responses share is written out once', () => {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
  const { pieces } = describeSpec({
    info: { title: 'T' },
    paths: {
      '/a': {
        get: {
          responses: {
            400: { content },
            404: {
              content: { 'application/json': { ...content['application/json'], example: 7 } },
            },
          },
        },
      },
    },
    components: {
      schemas: { Error: { type: 'object', properties: { code: { type: 'integer' } } } },
    },
  })
  const piece = pieces.get(operationKey('get', '/a')) ?? ''
  assert.is(piece.split('- `code`: integer').length, 2)
  assert.match(
    piece,
    /#### 404\n\nContent type: `application\/json` — Type: `Error`\. It is described at 400\./,
  )
  assert.match(piece, 'Example:\n\n```json\n7\n```')
})

test('defaults of the variables of a server may be numbers', () => {
  const variables = { port: { default: 8443 }, base: { default: 'v2' }, tls: { default: true } }
  const server = { url: 'https://{tls}.example.com:{port}/{base}', variables }
  const { pieces } = describeSpec({
    info: { title: 'T', version: 1.5, description: 'D' },
    servers: [server],
    paths: { '/a': { get: {} } },
  })
  assert.match(pieces.get(infoKey) ?? '', '<https://true.example.com:8443/v2>')
  assert.match(pieces.get(infoKey) ?? '', 'Version `1.5`')
  assert.match(pieces.get(operationKey('get', '/a')) ?? '', 'https://true.example.com:8443/v2/a')
})

test('text from a spec is escaped: no HTML, no page tags, no script links', () => {
  const hostile =
    '<script>x</script> [a](javascript:1) {% include "x" %} [ok](https://e.com) ![i](file:///etc/passwd)'
  const made = describeSpec({
    info: { title: hostile, description: hostile },
    servers: [{ url: 'javascript:alert(1)' }, { url: 'https://ok.example' }],
    paths: {
      '/<b>|': {
        get: {
          summary: hostile,
          description: hostile,
          parameters: [{ name: '|<i>', in: 'query', description: hostile }],
        },
      },
    },
    components: {
      schemas: {
        '<X>': {
          description: hostile,
          properties: { '<y>': { description: hostile, pattern: '(a+)+$' } },
        },
      },
    },
  })

  for (const [key, text] of made.pieces) {
    const prose = text.replace(/`+[^`]*`+/g, '')
    assert.not.match(prose, /<(?!https:\/\/ok\.example)/, key)
    assert.not.match(prose, /(?<!\\)\]\(<?(?!https:\/\/e\.com)/, key)
    assert.not.match(prose, /\{%/, key)
    assert.not.match(text, /<javascript/, key)
  }
})

test('names such as __proto__ are ordinary names', () => {
  const made = describeSpec(
    JSON.parse(`{"paths": {"__proto__": {"get": {"tags": ["constructor"]}}, "constructor": {"get": {}}},
      "components": {"schemas": {"__proto__": {"properties": {"__proto__": {"type": "string"}}}}}}`),
  )

  assert.equal(
    made.outline.operations.map(({ path }) => path),
    ['__proto__', 'constructor'],
  )

  assert.equal(
    made.outline.tags.map(({ name }) => name),
    ['constructor'],
  )
  assert.ok(made.pieces.get(schemaKey('__proto__'))?.includes('- `__proto__`: string'))
})

test('cyclic, long, diamond-shaped and deep references terminate', () => {
  const schemas: Record<string, unknown> = {
    Self: { $ref: '#/components/schemas/Self' },
    All: {
      allOf: [{ $ref: '#/components/schemas/All' }],
      properties: { a: { $ref: '#/components/schemas/All' } },
    },
    Elsewhere: { $ref: 'file:///etc/passwd' },
  }

  for (let at = 0; at < 500; at++) schemas[`C${at}`] = { $ref: `#/components/schemas/C${at + 1}` }
  for (let at = 0; at < 30; at++)
    schemas[`D${at}`] = { allOf: [1, 2].map(() => ({ $ref: `#/components/schemas/D${at + 1}` })) }

  for (let at = 0; at < 30; at++) {
    const next = { $ref: `#/components/schemas/W${at + 1}` }
    schemas[`W${at}`] = {
      properties: Object.fromEntries([...'abcdefgh'].map(name => [name, next])),
    }
  }

  let deep: unknown = { type: 'string' }

  for (let at = 0; at < 2_000; at++) deep = { properties: { a: deep } }
  schemas.Deep = deep
  const before = cpuTime()
  const made = describeSpec({ components: { schemas } })

  assert.ok(cpuTime() - before < 20_000, `${cpuTime() - before} ms`)
  assert.ok(made.pieces.get(schemaKey('Self'))?.includes('(refers to itself)'))
  assert.ok(made.pieces.get(schemaKey('Elsewhere'))?.includes('`file:///etc/passwd` (not found)'))
  assert.ok((made.pieces.get(schemaKey('W0'))?.length ?? 0) < 2_000_000)
})

test('the number of operations is limited', () => {
  const paths: Record<string, unknown> = {}
  for (let at = 0; at < 12_000; at++)
    paths[`/p${at}`] = { get: { operationId: 'same', tags: [`t${at}`] } }
  const made = describeSpec({ paths })
  assert.is(made.outline.operations.length, 10_000)
  assert.ok(made.outline.left >= 2_000)
  assert.is(made.pieces.size, 10_000)
})

test('any input is described deterministically and without an exception', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const parts = [value, [value], { a: value, $ref: '#/a' }]
      for (const part of parts) {
        const document = {
          info: part,
          tags: part,
          servers: part,
          paths: { '/': part, b: { get: part } },
          webhooks: part,
          components: { schemas: { S: part } },
        }
        const make = () => JSON.stringify([...describeSpec(document).pieces])
        assert.is(make(), make())
      }
    }),
    { numRuns: runs(40) },
  )
})

test('a real spec is described within the limits', () => {
  const file = new URL('../../snapshots/openapi.json', import.meta.url)
  const made = describeSpec(JSON.parse(readFileSync(file, 'utf8')))
  assert.ok(made.outline.operations.length > 100)
  assert.is(made.pieces.get(operationKey('get', '/v1/user'))?.startsWith('## '), true)
  assert.ok([...made.pieces.values()].every(text => text.length < 1_000_000))
})

test('in a huge spec every piece gets a share of the text', () => {
  const words = 'What it is called, as people say it. '.repeat(40)
  const properties = Object.fromEntries(
    Array.from({ length: 200 }, (_, n) => [`name${n}`, { type: 'string', description: words }]),
  )
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } }
  const get = { responses: { 200: { description: 'Fine', content } } }
  const { pieces } = describeSpec({
    openapi: '3.1.0',
    info: { title: 'Much', version: '1' },
    paths: Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`/things/${n}`, { get }])),
    components: { schemas: { Thing: { type: 'object', properties } } },
  })
  const texts = [...pieces].filter(([key]) => key !== infoKey).map(([, text]) => text)

  assert.ok(texts.length >= 401)
  for (const text of texts) assert.match(text, '`name0`: string')
  const length = texts.reduce((sum, text) => sum + text.length, 0)

  assert.ok(length > 5_000_000 && length < 20_000_000, String(length))
})

test('a list expands each schema once', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const schemas = {
    Name: { type: 'string', maxLength: 50 },
    Owner: { type: 'object', properties: { name: ref('Name') } },
    Pet: {
      type: 'object',
      properties: { owner: ref('Owner'), vet: ref('Owner'), name: ref('Name') },
    },
  }
  const document = { openapi: '3.1.0', info: { title: 'T', version: '1' }, components: { schemas } }
  const text = describeSpec(document).pieces.get(schemaKey('Pet')) ?? ''

  assert.match(
    text,
    /- `owner`: `Owner`\n {2}- `name`: `Name`, string — .*\n- `vet`: `Owner`, as above\n/,
  )
  assert.match(text, /\n- `name`: `Name`, string — Max length/)
})

test.run()
