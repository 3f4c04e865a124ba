import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as assert from 'uvu/assert'
import {
  complaint,
  type Exchange,
  lazily,
  mendContent,
  prepare,
  routeOf,
  shape,
} from '../conformance.ts'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document has no fixed shape
type Json = any

const require = createRequire(import.meta.url)

/** The OpenAPI document of the client 0.202.0. */
const today: Json = JSON.parse(
  readFileSync(require.resolve('gitbook-api-today/spec/openapi.json'), 'utf8'),
)

mendContent(today.components.schemas)
// A repository may be hosted elsewhere than at the providers that the document knows.
today.components.schemas.GitSyncState.required = ['installationId', 'installationStatus']

const compile = lazily(() =>
  prepare(
    new Ajv2020({
      strict: false,
      allErrors: false,
      validateSchema: false,
      code: { optimize: false },
    }),
    today,
  ),
)

const paths = new Map<string, Json>(
  Object.entries(today.paths as Record<string, Json>).map(([path, item]) => [shape(path), item]),
)

/** Returns the names of the query parameters that the client 0.202.0 knows of an operation. */
export function todaysParameters(method: string, path: string): string[] {
  const item = paths.get(shape(path))
  const operation = item?.[method.toLowerCase()]
  const resolved: Json[] = [...(item?.parameters ?? []), ...(operation?.parameters ?? [])].map(
    ({ $ref, ...own }: Json) =>
      $ref === undefined ? own : today.components.parameters[$ref.split('/').at(-1)],
  )
  return operation ? resolved.filter(each => each.in === 'query').map(({ name }) => name) : []
}

/**
 * Validates the answer to a read against the document of the client 0.202.0, if it has the
 * operation. Returns whether it has.
 */
export function validateToday({ method, path, status, type, body }: Exchange): boolean {
  if (method !== 'GET' || status !== 200 || type !== 'application/json') return false
  const [, route = ''] = (routeOf(method, path) ?? '').split(' ')
  const declared = paths.get(shape(route))?.get?.responses?.['200']
  const schema = declared?.content?.['application/json']?.schema
  if (!schema) return false
  const validate = compile()(schema)
  if (!validate(body))
    assert.unreachable(
      complaint(`GET ${route} for the client 0.202.0`, 200, validate.errors ?? [], body),
    )
  return true
}
