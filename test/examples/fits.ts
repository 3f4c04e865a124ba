import { Ajv2020 } from 'ajv/dist/2020.js'
import { api } from '../../src/api/routes.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { lazily, ours, prepare } from '../support/conformance.ts'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document has no fixed shape
type Json = any

const compile = lazily(() =>
  prepare(new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } }), ours),
)

/** The operations of the document, by their ids. */
export const operations: ReadonlyMap<string, Json> = new Map(
  Object.values<Json>(ours.paths)
    .flatMap(item => Object.values<Json>(item))
    .map(operation => [operation.operationId, operation]),
)

/** The routes of the table with their operations, by their keys. */
export const endpoints: ReadonlyMap<string, Endpoint> = new Map(Object.entries(api))

/** Returns the schema of the request body of an operation in JSON, or undefined. */
export const requestOf = ({ requestBody }: Json): Json =>
  requestBody?.content['application/json']?.schema

/** Returns the schema of the answer of an operation in JSON, or undefined. */
export const answerOf = ({ responses }: Json): Json => {
  const success = Object.keys(responses).find(status => status.startsWith('2')) as string
  return responses[success].content?.['application/json']?.schema
}

/** Returns what is wrong with a value for a schema of the document; '' if it fits. */
export function faultOf(schema: Json, value: unknown): string {
  const validate = compile()(schema)
  if (validate(value)) return ''
  const [{ instancePath = '', message = '' } = {}] = validate.errors ?? []
  return `${instancePath || '/'} ${message}`
}
