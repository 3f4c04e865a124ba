import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { nothing } from './endpoint.ts'
import { ErrorBody } from './faults.ts'

type Json = Record<string, unknown>

const refs = { uri: (id: string) => `#/components/schemas/${id}` }

/** zod gathers named schemas under `$defs`; in the document they are components. */
const hoist = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))

/**
 * The schema as JSON Schema. What carries an id is a reference into the components, which say what is answered:
 * a body, where defaults may be left out, is written out in its place.
 */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const named = z.globalRegistry.get(schema)?.id
  if (named && io === 'output') return { $ref: refs.uri(named) }
  const {
    $schema: _schema,
    $defs: _defs,
    id: _id,
    ...rest
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return hoist(rest)
}

/** The named schemas that `paths` refers to, by way of others too, in the order of their names. */
function componentsOf(paths: Json): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { ...refs, io: 'output', unrepresentable: 'any' })
  const found = new Set<string>()
  const gather = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"/]+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      gather(schemas[name])
    }
  }
  gather(paths)
  const components = [...found].sort().map(name => {
    const { $schema: _schema, $id: _id, id: _name, ...rest } = schemas[name] as Json
    return [name, rest]
  })
  return Object.fromEntries(components)
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
      content: { 'application/json': { schema: schemaOf(ErrorBody, 'output') } },
    },
  }
}

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Of your choice, 1 to 200 printable characters. The same key with the same request gives the first answer again, for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
}

function operationOf(key: string, endpoint: Endpoint): Json {
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    tags: [tagOf(key)],
    parameters: [
      ...parametersOf('path', endpoint.params),
      ...parametersOf('query', endpoint.query),
      ...(key.startsWith('POST ') ? [idempotencyKey] : []),
    ],
    ...(endpoint.body && {
      requestBody: {
        required: !endpoint.bodyOptional,
        content: { 'application/json': { schema: schemaOf(endpoint.body, 'input') } },
      },
    }),
    responses: responsesOf(endpoint),
  }
}

/** What operations are listed under: the first of these that the path has a word of, or its first word. */
const tags: Record<string, string[]> = {
  git: ['git'],
  openapi: ['openapi'],
  templates: ['templates', 'template'],
  search: ['search'],
  links: ['links', 'backlinks'],
  pdf: ['pdf'],
  comments: ['comments'],
  reviews: ['reviews', 'requested-reviewers'],
  permissions: ['permissions'],
  teams: ['teams'],
  members: ['members', 'invites', 'link-invites', 'join'],
  webhooks: ['webhooks'],
  'change-requests': ['change-requests'],
  content: ['content'],
  revisions: ['revisions'],
  collections: ['collections'],
  spaces: ['spaces'],
  tokens: ['tokens'],
  orgs: ['orgs'],
  users: ['users', 'user'],
}

function tagOf(key: string): string {
  const words = key
    .slice(key.indexOf('/'))
    .split('/')
    .filter(word => word && !/^[:*]/.test(word))
  const found = Object.keys(tags).find(tag => tags[tag]!.some(word => words.includes(word)))
  return found ?? words[0] ?? 'service'
}

/** The OpenAPI 3.1 document of a table of endpoints that is served below `prefix`. */
export function openApiDocument(table: Record<string, Endpoint>, prefix: string, server: string): Json {
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
      schemas: componentsOf(paths),
    },
  }
}
