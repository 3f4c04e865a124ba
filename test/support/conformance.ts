import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import * as assert from 'uvu/assert'
import { api } from '../../src/api/routes.ts'
import { openApiDocument } from '../../src/http/openapi.ts'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is data of every shape
type Json = any

/** What came back for a request, as far as a document can say anything about it. */
export type Exchange = {
  method: string
  /** As it was asked for, with the query. */
  path: string
  status: number
  /** The content type without its parameters; '' when there is none. */
  type: string
  /** The parsed JSON, or undefined. */
  body: unknown
}

/** Where the official client's document says what an operation answers. */
type Operation = { key: string; declared: Json; validator: (schema: Json) => ValidateFunction }

const require = createRequire(import.meta.url)

/** The OpenAPI document that the official client's package carries, mended where it cannot be satisfied by anything. */
export const official: Json = mend(
  JSON.parse(readFileSync(require.resolve('@gitbook/api/spec/openapi.json'), 'utf8')),
)

function mend(document: Json): Json {
  const { schemas } = document.components
  // `nullable` beside a reference has no type to add null to: Ajv refuses it.
  schemas.OrganizationBilling.properties.endDate = { type: 'string', format: 'date-time', nullable: true }
  // "No body" is written as a closed empty object, which a page with a title can never be.
  schemas.Document.oneOf[2] = { not: { anyOf: [{ required: ['markdown'] }, { required: ['document'] }] } }
  // What is computed also fits the variant for what is not, and what changed of a page fits that of every kind of page.
  const pageEdited = schemas.RevisionSemanticChangePageEdited.properties.attributes
  const bodies = ['RevisionPageDocument', 'RevisionReusableContent'].map(name => schemas[name].allOf.at(-1))
  for (const union of [pageEdited, ...bodies]) {
    union.anyOf = union.oneOf
    delete union.oneOf
  }
  return document
}

/** The document that the server gives at /v1/openapi.json. */
export const ours: Json = JSON.parse(JSON.stringify(openApiDocument(api, '/v1', 'http://127.0.0.1')))

const signs = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** One emoji, or the code points of one in hexadecimal. */
const emoji = (text: string): boolean =>
  /^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6})*$/.test(text) ||
  (/\p{Extended_Pictographic}|\p{RI}|\u20e3/u.test(text) && [...signs.segment(text)].length === 1)

const formats = { emoji, icon: /^[a-z0-9:-]{1,50}$/, byte: true, int32: true } as const

const officialAjv = lazily(() =>
  prepare(
    new Ajv({ strict: false, allErrors: false, validateSchema: false, code: { optimize: false } }),
    official,
  ),
)
const ourAjv = lazily(() =>
  prepare(new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } }), ours),
)

function prepare(ajv: Ajv, { components }: Json): (schema: Json) => ValidateFunction {
  addFormats.default(ajv)
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format)
  ajv.addSchema({ $id: 'doc', components })
  const compiled = new Map<Json, ValidateFunction>()
  return schema => {
    const before = compiled.get(schema)
    if (before) return before
    const made = ajv.compile(
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"doc#/components/')),
    )
    compiled.set(schema, made)
    return made
  }
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Compiles a schema of the official document. */
export const compileOfficial = (schema: object): ValidateFunction => officialAjv()(schema)

/** The template of a route's path as both documents would have it, with nameless parameters. */
const shape = (path: string) => path.replace(/[:*]\w+|\{\w+\}/g, '{}')

const officialPaths = new Map<string, Json>(
  Object.entries(official.paths as Record<string, Json>).map(([path, item]) => [shape(path), item]),
)

/** The operation of the official document with the path of this route; undefined when it has none. */
export const officialOperation = (method: string, route: string): Json | undefined =>
  officialPaths.get(shape(route))?.[method.toLowerCase()]

const routes = Object.keys(api).map(key => {
  const [method = '', path = ''] = key.split(' ')
  const pattern = path.replace(/:\w+/g, '[^/]+').replace(/\*\w+/g, '.+')
  return { key, method, path, pattern: new RegExp(`^/v1${pattern}/?$`) }
})

/** The route that serves this request, as the table of operations writes it; undefined when there is none. */
export const routeOf = (method: string, path: string): string | undefined =>
  routes.find(route => route.method === method && route.pattern.test(path.split('?', 1)[0] as string))?.key

function findOperation(method: string, path: string): Operation | undefined {
  const pathname = path.split('?', 1)[0] as string
  const route = routes.find(route => route.method === method && route.pattern.test(pathname))
  if (!route) return undefined
  const declared = officialOperation(method, route.path)
  if (declared) return { key: route.key, declared, validator: officialAjv() }
  const own = ours.paths[`/v1${route.path.replace(/[:*](\w+)/g, '{$1}')}`]?.[method.toLowerCase()]
  return { key: route.key, declared: own, validator: ourAjv() }
}

/**
 * Holds an answer against the official client's document, or against our own where that one does not know the
 * operation. Throws an assertion that names the operation and what is wrong with which field.
 */
export function validateReply(exchange: Exchange): void {
  const { method, path, status, type, body } = exchange
  if (status === 304 || method === 'HEAD' || !path.startsWith('/v1/')) return
  if (status >= 400) {
    checkError(exchange)
    return
  }
  const operation = findOperation(method, path)
  if (!operation) return
  const answer = operation.declared.responses[status]
  const statuses = Object.keys(operation.declared.responses).join(', ')
  assert.ok(answer, `${operation.key} answered ${status}; the document has ${statuses}`)
  const schema = answer.content?.['application/json']?.schema
  // A format that the caller asked for, such as a diff, is none of the document's.
  if (type !== 'application/json' && type !== '') return
  if (!schema) {
    assert.is(body, undefined, `${operation.key} answered ${status} with a body; the document has none`)
    return
  }
  const validate = operation.validator(schema)
  if (!validate(body)) assert.unreachable(complaint(operation.key, status, validate.errors ?? [], body))
}

function checkError({ method, path, status, body }: Exchange): void {
  const error = (body as Json)?.error
  const good = error?.code === status && typeof error.message === 'string' && error.message.length > 0
  assert.ok(
    good,
    `${method} ${path} answered ${status} without an error that says so: ${JSON.stringify(body)}`,
  )
}

/** The deepest problems first: those of a union's other variants lie nearer to the root. */
function complaint(key: string, status: number, errors: ErrorObject[], body: unknown): string {
  const lines = errors
    .toSorted((a, b) => b.instancePath.length - a.instancePath.length)
    .map(
      ({ instancePath, message, params }) => `  ${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
    )
  const shown = [...new Set(lines)].slice(0, 12).join('\n')
  const text = JSON.stringify(body) ?? 'no body'
  return `${key} answered ${status}, but the document does not allow it:\n${shown}\n  in ${text.slice(0, 1500)}`
}
