import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { nothing } from './endpoint.ts'
import { ErrorBody } from './faults.ts'

type Json = Record<string, unknown>

const refs = { uri: (id: string) => `#/components/schemas/${id}` }

/** zod gathers named schemas under `$defs`; in the document they are components. */
const hoist = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))

/** The schema as JSON Schema; what carries an id is a reference into the components. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const named = z.globalRegistry.get(schema)?.id
  if (named) return { $ref: refs.uri(named) }
  const {
    $schema: _schema,
    $defs: _defs,
    ...rest
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return hoist(rest)
}

function components(): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { ...refs, io: 'output', unrepresentable: 'any' })
  return Object.fromEntries(
    Object.entries(schemas)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => {
        const { $schema: _schema, $id: _id, ...rest } = schema as Json
        return [name, rest]
      }),
  )
}

const parametersOf = (where: 'path' | 'query', schema: z.ZodType | undefined): Json[] => {
  if (!schema) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }))
}

function responsesOf(endpoint: Endpoint): Json {
  const { reply, status } = endpoint
  const content =
    reply === nothing
      ? undefined
      : typeof reply === 'string'
        ? { [reply]: { schema: { type: 'string' } } }
        : { 'application/json': { schema: schemaOf(reply as z.ZodType, 'output') } }
  return {
    [status]: { description: 'Done.', ...(content && { content }) },
    default: {
      description: 'It was not done; the message says why and what to do.',
      content: { 'application/json': { schema: { $ref: refs.uri('Error') } } },
    },
  }
}

function operationOf(key: string, endpoint: Endpoint): Json {
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    tags: [tagOf(key)],
    parameters: [...parametersOf('path', endpoint.params), ...parametersOf('query', endpoint.query)],
    ...(endpoint.body && {
      requestBody: {
        required: !endpoint.bodyOptional,
        content: { 'application/json': { schema: schemaOf(endpoint.body, 'input') } },
      },
    }),
    responses: responsesOf(endpoint),
  }
}

/** The last fixed word of a path that names a kind of thing: what the operation is listed under. */
function tagOf(key: string): string {
  const words = key
    .split(' ')[1]!
    .split('/')
    .filter(word => word && !/^[:*]/.test(word))
  const tags = [
    'git',
    'change-requests',
    'content',
    'revisions',
    'collections',
    'spaces',
    'tokens',
    'orgs',
    'user',
    'users',
  ]
  return tags.find(tag => words.includes(tag)) ?? words[0] ?? 'service'
}

/** The OpenAPI 3.1 document of a table of endpoints that is served below `prefix`. */
export function openApiDocument(table: Record<string, Endpoint>, prefix: string, server: string): Json {
  ErrorBody.parse({ error: { code: 400, message: '' } })
  const paths: Record<string, Json> = {}
  for (const [key, endpoint] of Object.entries(table)) {
    const [method = '', path = ''] = key.split(' ')
    const name = prefix + path.replace(/[:*](\w+)/g, '{$1}')
    paths[name] = { ...paths[name], [method.toLowerCase()]: operationOf(key, endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stemma',
      version: '1',
      description:
        'Documentation in which every space is a Git repository, every revision a commit, every change request a branch.',
    },
    servers: [{ url: server }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: components(),
    },
  }
}
