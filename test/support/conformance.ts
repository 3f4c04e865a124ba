import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import * as assert from 'uvu/assert'
import { sentEvents } from '../../src/api/people/webhooks/events.ts'
import { api } from '../../src/api/routes.ts'
import { Fault } from '../../src/errors.ts'
import { openApiDocument } from '../../src/http/document/openapi.ts'
import { failureOf } from '../../src/http/faults.ts'
import { type Reason, reasons } from '../../src/reasons.ts'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document has no fixed shape
type Json = any

/** A request and its response, with everything that a document can describe. */
export type Exchange = {
  method: string
  /** The requested path, with the query. */
  path: string
  status: number
  /** The content type without parameters; '' if there is none. */
  type: string
  /** The parsed JSON, or undefined. */
  body: unknown
}

/** An operation in the official client's document, with its declared responses. */
type Operation = { key: string; declared: Json; validator: (schema: Json) => ValidateFunction }

const require = createRequire(import.meta.url)

/**
 * The OpenAPI document of the official client's package, with corrections where no value can
 * satisfy it.
 */
export const official: Json = mend(
  JSON.parse(readFileSync(require.resolve('@gitbook/api/spec/openapi.json'), 'utf8')),
)

function mend(document: Json): Json {
  const { schemas } = document.components
  // `nullable` beside a reference has no type to add null to, which Ajv rejects.
  schemas.OrganizationBilling.properties.endDate = {
    type: 'string',
    format: 'date-time',
    nullable: true,
  }

  // Redirects to addresses outside of a site are part of later versions.
  schemas.SiteRedirectDestination.oneOf.push({
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['external'] },
      url: { type: 'string', format: 'uri' },
    },
    required: ['kind', 'url'],
  })
  // So are wildcards in their sources.
  delete schemas.SiteRedirectSourcePath.pattern

  // Later versions answer with 200, since nothing is created.
  const { responses } = document.paths['/org/{organizationId}/imports/{importRunId}/cancel'].post
  responses['200'] = responses['201']
  // So are external links among the sections.
  const link = { type: 'object', properties: { object: { enum: ['site-external-link'] } } }
  schemas.SiteStructure.oneOf[0].properties.structure.items.oneOf.push(link)
  schemas.SiteSectionGroup.properties.children.items.oneOf.push(link)
  schemas.SiteStructureItem.oneOf.push(link)

  mendContent(schemas)

  return document
}

/** Corrects the schemas of content where no value can satisfy them. */
export function mendContent(schemas: Json): void {
  // "No body" is declared as a closed empty object, which a page with a title can never match.
  schemas.Document.oneOf[2] = {
    not: { anyOf: [{ required: ['markdown'] }, { required: ['document'] }] },
  }

  // Computed values also match the variant for plain ones, and page changes match the variants of
  // every page kind.
  const pageEdited = schemas.RevisionSemanticChangePageEdited.properties.attributes
  const bodies = ['RevisionPageDocument', 'RevisionReusableContent'].map(name =>
    schemas[name].allOf.at(-1),
  )

  for (const union of [pageEdited, ...bodies]) {
    union.anyOf = union.oneOf
    delete union.oneOf
  }
}

/**
 * The document that the server serves at /v1/openapi.json, with closed answers: it leaves answers
 * open to properties of later versions, and tests must find those that it does not name.
 */
export const ours: Json = JSON.parse(
  JSON.stringify(openApiDocument(api, '/v1', 'http://127.0.0.1', sentEvents)),
  (_key, value: Json) =>
    value?.type === 'object' && value.properties && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value,
)

const signs = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** True for one emoji, or for its code points in hexadecimal. */
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

/** Returns a function that compiles schemas of a document. */
export function prepare(ajv: Ajv, { components }: Json): (schema: Json) => ValidateFunction {
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

export function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Compiles a schema of the official document. */
export const compileOfficial = (schema: object): ValidateFunction => officialAjv()(schema)

/** A route's path with nameless parameters, comparable between both documents. */
export const shape = (path: string) => path.replace(/[:*]\w+|\{\w+\}/g, '{}')

const officialPaths = new Map<string, Json>(
  Object.entries(official.paths as Record<string, Json>).map(([path, item]) => [shape(path), item]),
)

/** The operation of the official document at this route, or undefined. */
export const officialOperation = (method: string, route: string): Json | undefined =>
  officialPaths.get(shape(route))?.[method.toLowerCase()]

const routes = Object.keys(api).map(key => {
  const [method = '', path = ''] = key.split(' ')
  const pattern = path.replace(/:\w+/g, '[^/]+').replace(/\*\w+/g, '.+')
  return { key, method, path, pattern: new RegExp(`^/v1${pattern}/?$`) }
})

/** Validates the body of a webhook event against our document. The assertion names what is wrong. */
export function validateSent(body: Json): void {
  const described = ours.webhooks[body.type]
  assert.ok(described, `the document has no event "${body.type}"`)
  const validate = ourAjv()(described.post.requestBody.content['application/json'].schema)
  if (!validate(body)) assert.unreachable(complaint(body.type, 0, validate.errors ?? [], body))
}

/** The route that serves this request, as written in the table of operations, or undefined. */
export const routeOf = (method: string, path: string): string | undefined =>
  routes.find(
    route => route.method === method && route.pattern.test(path.split('?', 1)[0] as string),
  )?.key

function findOperation(method: string, path: string): Operation | undefined {
  const pathname = path.split('?', 1)[0] as string
  const route = routes.find(route => route.method === method && route.pattern.test(pathname))
  if (!route) return undefined
  const declared = officialOperation(method, route.path)
  if (declared) return { key: route.key, declared, validator: officialAjv() }
  const own = ours.paths[`/v1${route.path.replace(/[:*](\w+)/g, '{$1}')}`]?.[method.toLowerCase()]
  return { key: route.key, declared: own, validator: ourAjv() }
}

/** Returns whether only some fields of an answer are asked for. Links have `fields=link` as a form. */
export const isPartial = (path: string): boolean => /[?&]fields=(?!link$|link&)/.test(path)

/**
 * Validates a response against the official client's document, or against our own for operations
 * unknown there. The assertion names the operation, the field and the problem.
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

  // Formats that the caller requested, such as a diff, are not in the document.
  if (type !== 'application/json' && type !== '') return

  if (!schema) {
    assert.is(
      body,
      undefined,
      `${operation.key} answered ${status} with a body; the document has none`,
    )
    return
  }

  // Such an answer lacks fields that the document requires.
  if (isPartial(path)) return

  const validate = operation.validator(schema)
  if (!validate(body))
    assert.unreachable(complaint(operation.key, status, validate.errors ?? [], body))
}

const statusByReason = new Map(
  Object.values(reasons)
    .flatMap(words => Object.keys(words) as Reason[])
    .map(reason => [reason, failureOf(new Fault(reason, '')).status]),
)

function checkError({ method, path, status, body }: Exchange): void {
  const error = (body as Json)?.error
  const good =
    error?.code === status &&
    statusByReason.get(error.reason) === status &&
    typeof error.message === 'string' &&
    error.message.length > 0
  assert.ok(
    good,
    `${method} ${path} answered ${status} without a matching error: ${JSON.stringify(body)}`,
  )
}

/**
 * Puts the deepest errors first: errors from the other variants of a union are nearer to the root.
 */
export function complaint(
  key: string,
  status: number,
  errors: ErrorObject[],
  body: unknown,
): string {
  const lines = errors
    .toSorted((a, b) => b.instancePath.length - a.instancePath.length)
    .map(
      ({ instancePath, message, params }) =>
        `  ${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
    )
  const shown = [...new Set(lines)].slice(0, 12).join('\n')
  const text = JSON.stringify(body) ?? 'no body'
  return `${key} answered ${status}, but the document does not allow it:\n${shown}\n  in ${text.slice(0, 1500)}`
}
