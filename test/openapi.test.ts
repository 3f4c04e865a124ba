import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sentEvents } from '../src/api/people/webhooks/events.ts'
import { api } from '../src/api/routes.ts'
import { openApiDocument } from '../src/http/document/openapi.ts'
import { matchSnapshot } from './support/snapshot.ts'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document has no fixed shape
type Json = any

const text = JSON.stringify(
  openApiDocument(api, '/v1', 'http://127.0.0.1:3000', sentEvents),
  null,
  2,
)
const document: Json = JSON.parse(text)

const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, operation]) => ({ path, method, operation })),
)

/** Yields every value of the document with its path. */
function* walk(value: Json, way = '#'): Generator<{ value: Json; way: string }> {
  yield { value, way }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) yield* walk(inner, `${way}/${key}`)
}

test('the document describes the API and its version', () => {
  assert.is(document.openapi, '3.1.0')
  assert.ok(document.info.title && document.info.version && document.servers[0].url)
  assert.is(operations.length, Object.keys(api).length)
})

test('every reference resolves', () => {
  for (const { value, way } of walk(document)) {
    if (typeof value?.$ref !== 'string') continue
    const target = value.$ref
      .split('/')
      .slice(1)
      .reduce((at: Json, key: string) => at?.[key], document)
    assert.ok(value.$ref.startsWith('#/components/') && target, `${way} refers to ${value.$ref}`)
  }
})

test('every operation has a unique id and a one-line summary', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  assert.equal(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  )

  for (const { path, method, operation } of operations) {
    assert.match(operation.operationId, /^[a-z][A-Za-z0-9]+$/, path)
    assert.match(
      operation.summary,
      /^[A-Z].{3,90}[^.]$/,
      `${method} ${path}: a summary is one line without a full stop`,
    )
    assert.ok(operation.tags.length === 1, path)
  }
})

test('the parameters of every path are declared', () => {
  for (const { path, method, operation } of operations) {
    const declared = operation.parameters.filter((one: Json) => one.in === 'path')
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
    assert.equal(declared.map((one: Json) => one.name).sort(), names.sort(), `${method} ${path}`)

    for (const one of operation.parameters) {
      assert.ok(one.schema && one.name, `${method} ${path}`)
      if (one.in === 'path') assert.is(one.required, true, `${method} ${path} ${one.name}`)
    }

    const all = operation.parameters.map((one: Json) => `${one.in} ${one.name}`)

    assert.is(new Set(all).size, all.length, `${method} ${path} declares a parameter twice`)
  }
})

test('every operation declares one success response and a default error', () => {
  for (const { path, method, operation } of operations) {
    const statuses = Object.keys(operation.responses)
    assert.ok(statuses.includes('default'), path)
    assert.is(statuses.filter(status => /^2\d\d$/.test(status)).length, 1, `${method} ${path}`)
    for (const { description, $ref } of Object.values<Json>(operation.responses))
      assert.ok(description || $ref, path)
  }
})

test('every operation declares the errors that a caller can handle', () => {
  for (const { path, method, operation } of operations) {
    const statuses = Object.keys(operation.responses)
    const inPath = path.includes('{')
    assert.is(statuses.includes('404'), inPath, `${method} ${path}`)
    assert.is(statuses.includes('415'), operation.requestBody !== undefined, `${method} ${path}`)
    assert.is(statuses.includes('409'), method !== 'get', `${method} ${path}`)
    assert.ok(statuses.includes('429'), `${method} ${path}`)
    assert.ok(statuses.includes('503'), `${method} ${path}`)
  }
})

test('If-Match is declared by the operations that honour it', () => {
  const names = operations
    .filter(({ operation }) => operation.parameters.some((one: Json) => one.name === 'If-Match'))
    .map(({ operation }) => operation.operationId)
  const conditional = (id: string) => names.includes(id)

  assert.ok(
    ['applyTemplateToSpace', 'submitChangeRequestReview', 'updateContent'].every(conditional),
  )
  for (const { path, method, operation } of operations)
    if (['put', 'patch', 'delete'].includes(method))
      assert.is(conditional(operation.operationId), 'get' in document.paths[path], path)
  for (const { operation } of operations)
    if (/`If-Match`/.test(operation.description ?? ''))
      assert.ok(names.includes(operation.operationId), operation.operationId)
})

test('every parameter and every tag has a description', () => {
  for (const { path, method, operation } of operations) {
    for (const one of operation.parameters)
      assert.ok(one.description, `${method} ${path} ${one.name}`)
    assert.ok(
      document.tags.find(({ name }: Json) => name === operation.tags[0])?.description,
      operation.tags[0],
    )
  }
})

/** Returns whether a schema says what it is: by itself, or by what it refers to. */
const isDescribed = ({
  description,
  $ref,
  items,
  anyOf = [],
  oneOf = [],
  ...rest
}: Json): boolean =>
  description !== undefined ||
  'const' in rest ||
  ($ref !== undefined && isDescribed(document.components.schemas[$ref.split('/').at(-1)])) ||
  (items?.$ref !== undefined && isDescribed(items)) ||
  [...anyOf, ...oneOf].some((each: Json) => each.type !== 'null' && isDescribed(each))

/** Yields every property of a request or an answer with its way. */
function* properties(
  value: Json,
  way = '#',
): Generator<{ name: string; way: string; value: Json }> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries<Json>(value)) {
    if (key === 'properties' && !way.endsWith('/properties'))
      for (const [name, property] of Object.entries<Json>(inner))
        yield { name, way: `${way}/${name}`, value: property }
    yield* properties(inner, `${way}/${key}`)
  }
}

test('every operation, schema and field has a sentence, which says more than its name', () => {
  const without = [
    ...operations.flatMap(({ operation }) => (operation.description ? [] : operation.operationId)),
    ...Object.entries<Json>(document.components.schemas).flatMap(([name, schema]) =>
      schema.description ? [] : name,
    ),
    ...[
      ...properties({ ...document.paths, ...document.webhooks, ...document.components.schemas }),
    ].flatMap(({ value, way }) => (isDescribed(value) ? [] : way)),
  ]
  assert.equal(without, [])
  const words = (text: string) => text.toLowerCase().replace(/^(?:the|its|a|an) |[^a-z]/g, '')

  for (const { name, way, value } of properties(document.components.schemas))
    assert.is.not(words(value.description ?? ''), name.toLowerCase(), way)
  for (const { operation } of operations)
    assert.is.not(words(operation.description), words(operation.summary), operation.operationId)
})

test('parameters, answers and times are typed for generated clients', () => {
  const parameters = new Map<string, Set<string>>()
  for (const { operation } of operations)
    for (const { name, schema } of operation.parameters)
      parameters.set(name, (parameters.get(name) ?? new Set()).add(String(schema.type)))

  assert.equal([...(parameters.get('limit') ?? [])], ['integer'])
  assert.equal([...(parameters.get('metadata') ?? [])], ['boolean'])
  const answers = [document.components, ...operations.map(({ operation }) => operation.responses)]

  for (const answer of answers)
    for (const { value, way } of walk(answer)) {
      assert.is.not(value?.additionalProperties, false, way)
      if (/\/properties\/\w+At$/.test(way))
        assert.ok(JSON.stringify(value).includes('date-time'), way)
    }
})

test('operations say which scope and role they need, and which go', () => {
  const find = (id: string) =>
    operations.find(({ operation }) => operation.operationId === id)?.operation
  const merge = find('mergeChangeRequest')
  const deprecated = operations.flatMap(({ operation }) =>
    operation.deprecated ? operation.operationId : [],
  )

  assert.equal(
    [merge['x-stemma-scope'], find('updateSpaceById')['x-stemma-role']],
    ['change-requests:write', 'admin in the space'],
  )
  // Also where a guard is inside another one, and where more than a role decides.
  assert.equal(
    ['deleteSiteById', 'updateContent', 'getOrganizationById', 'deleteCollectionById'].map(
      id => find(id)['x-stemma-role'],
    ),
    [
      'admin on the site',
      'edit in the space',
      'member or guest of the organization',
      'admin on the collection',
    ],
  )
  assert.equal(deprecated.sort(), [
    'getPublishedContentByUrl',
    'moveSiteSection',
    'moveSiteSectionGroup',
    'moveSiteSpace',
  ])
  const without = operations.filter(({ operation }) => !operation['x-stemma-scope'])

  assert.ok(without.length < 30, without.map(({ operation }) => operation.operationId).join())
})

test('no bound is that of a safe integer', () => {
  for (const { value, way } of walk(document))
    if (typeof value === 'number') assert.ok(Math.abs(value) !== Number.MAX_SAFE_INTEGER, way)
})

test('the document keeps the rules of linters that matter for generated clients', () => {
  const { license, contact } = document.info

  assert.ok(license.identifier && contact.url, 'a licence and a contact')
  for (const path of Object.keys(document.paths))
    assert.match(path, /^\/v1(?:\/[\w.{}-]+)*$/, 'no path ends with a slash or has a query')
  for (const { value, way } of walk(document)) {
    if (value?.type === 'array') assert.ok(value.items !== undefined, `${way} has no items`)
    if (value?.prefixItems) assert.ok(value.prefixItems.length > 0, `${way} has no prefix items`)
    if (Array.isArray(value?.enum))
      assert.is(new Set(value.enum).size, value.enum.length, `${way} repeats a value`)
  }
  for (const { path, method, operation } of operations)
    assert.not(method === 'get' && operation.requestBody, `${path} reads with a body`)
})

test('every schema is valid JSON Schema 2020-12', () => {
  const ajv = new Ajv2020({ strict: false, validateSchema: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'doc', components: document.components })
  const compile = (schema: Json) =>
    ajv.compile(
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"doc#/components/')),
    )

  for (const name of Object.keys(document.components.schemas))
    assert.not.throws(() => compile({ $ref: `#/components/schemas/${name}` }), name)
  for (const { value, way } of walk(document.paths))
    if (way.endsWith('/schema')) assert.not.throws(() => compile(value), way)
})

test('the document matches the snapshot', () => matchSnapshot('openapi.json', `${text}\n`))

test.run()
