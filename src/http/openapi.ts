import { z } from 'zod'
import { anyone } from '../access/guards/self.ts'
import type { Endpoint } from './endpoint.ts'
import { nothing } from './endpoint.ts'
import { ErrorBody } from './faults.ts'
import { errorTexts, introduction, parameterTexts, tagTexts } from './openapi-texts.ts'

type Json = Record<string, unknown>

const refs = { uri: (id: string) => `#/components/schemas/${id}` }

/**
 * Returns a schema whose references lead to the document's components; Zod collects named schemas
 * under `$defs`.
 */
const hoist = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json

/**
 * Returns a schema as JSON Schema. Components describe output, so only output refers to them: the
 * schema of a body, where defaults may be left out, is inlined.
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

  return withoutSafeBounds(hoist(rest))
}

/**
 * Returns a schema without the bounds of JavaScript's safe integers, which are not part of the
 * contract.
 */
const withoutSafeBounds = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const { minimum, maximum, ...rest } = value as Json
    return {
      ...rest,
      ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
      ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    }
  }) as Json

/** Returns the named schemas that `paths` refers to, directly or not, sorted by name. */
function componentsOf(paths: Json): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    ...refs,
    io: 'output',
    unrepresentable: 'any',
  })
  const found = new Set<string>()
  const gather = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(
      /"#\/components\/schemas\/([^"/]+)"/g,
    )) {
      if (found.has(name)) continue
      found.add(name)
      gather(schemas[name])
    }
  }

  gather(paths)
  const components = [...found].sort().map(name => {
    const { $schema: _schema, $id: _id, id: _name, ...rest } = schemas[name] as Json
    return [name, withoutSafeBounds(rest)]
  })

  return Object.fromEntries(components)
}

function parametersOf(where: 'path' | 'query', schema: z.ZodType | undefined): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }

  return Object.entries(properties).map(([name, { description, ...rest }]) => {
    const text = Object.hasOwn(parameterTexts, name) ? parameterTexts[name] : undefined
    const said = description ?? text?.description
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(said !== undefined && { description: said }),
      schema: rest,
      ...(where === 'path' && text?.example !== undefined && { example: text.example }),
    }
  })
}

function responsesOf(key: string, endpoint: Endpoint): Json {
  const { reply, status } = endpoint
  const content =
    reply === nothing
      ? undefined
      : typeof reply === 'string'
        ? { [reply]: { schema: { type: 'string' } } }
        : { 'application/json': { schema: schemaOf(reply as z.ZodType, 'output') } }

  return {
    [status]: { description: 'Success.', ...(content && { content }) },
    ...Object.fromEntries(
      errorsOf(key, endpoint).map(code => [code, { $ref: `#/components/responses/Error${code}` }]),
    ),
    default: {
      description: 'The request failed. `message` says why and what to do.',
      content: { 'application/json': { schema: schemaOf(ErrorBody, 'output') } },
    },
  }
}

/** Returns the error statuses of an operation besides those of the server. */
function errorsOf(key: string, { params, query, body, ifMatch, access }: Endpoint): number[] {
  const inPath = /[:*]/.test(key)
  const writes = !key.startsWith('GET ')
  const possible: [number, boolean][] = [
    [
      400,
      query !== undefined ||
        body !== undefined ||
        Object.keys(schemaOf(params, 'input')).length > 0,
    ],
    [401, !isAnonymous(access)],
    [403, inPath],
    [404, inPath],
    [409, writes],
    [412, ifMatch || key.endsWith('/merge')],
    [413, body !== undefined],
    [415, body !== undefined],
    [429, true],
  ]

  return possible.filter(([, answers]) => answers).map(([code]) => code)
}

const isAnonymous = (access: unknown): boolean => access === anyone

const errorResponses = (): Json =>
  Object.fromEntries(
    Object.entries(errorTexts).map(([code, description]) => [
      `Error${code}`,
      { description, content: { 'application/json': { schema: schemaOf(ErrorBody, 'output') } } },
    ]),
  )

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A key chosen by the caller. For 24 hours, the same request with the same key returns the first answer.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
  example: 'publish-2026-01-31',
}

const ifMatchHeader: Json = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The id of the revision that the caller has seen, or the `ETag` of a read. The answer is 412 when the content is at another revision.',
  schema: { type: 'string', maxLength: 1000 },
  example: '"86cb172d2b6b40bdbd1a2d5d3ee0e1b8d3b7a2f1"',
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
      ...(endpoint.ifMatch ? [ifMatchHeader] : []),
    ],
    ...(endpoint.body && {
      requestBody: {
        required: !endpoint.bodyOptional,
        content: { 'application/json': { schema: schemaOf(endpoint.body, 'input') } },
      },
    }),
    responses: responsesOf(key, endpoint),
  }
}

/**
 * The words of a path that decide the tag of an operation: the first tag with a match, or else the
 * path's first word.
 */
const tags: Record<string, string[]> = {
  integrations: ['integrations', 'installations', 'integration-scripts'],
  sites: ['sites', 'urls', 'subdomains', 'custom-hostnames'],
  git: ['git'],
  openapi: ['openapi'],
  templates: ['templates', 'template'],
  search: ['search'],
  links: ['links', 'backlinks', 'findings'],
  pdf: ['pdf'],
  comments: ['comments'],
  reviews: ['reviews', 'requested-reviewers'],
  permissions: ['permissions'],
  teams: ['teams'],
  members: ['members', 'invites', 'link-invites', 'join'],
  sso: ['saml', 'oidc', 'sso'],
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

/** Returns the tags of the operations in the order of the table, each with its description. */
function tagsOf(paths: Record<string, Json>): Json[] {
  const names = Object.values(paths).flatMap(item =>
    Object.values(item).flatMap(operation => (operation as { tags: string[] }).tags),
  )
  return [...new Set(names)].map(name => ({
    name,
    ...(Object.hasOwn(tagTexts, name) && { description: tagTexts[name] }),
  }))
}

/** Returns the OpenAPI 3.1 document of a table of endpoints that is served below `prefix`. */
export function openApiDocument(
  table: Record<string, Endpoint>,
  prefix: string,
  server: string,
): Json {
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
      description: introduction,
    },
    servers: [{ url: server }],
    security: [{ token: [] }],
    tags: tagsOf(paths),
    paths,
    components: {
      responses: errorResponses(),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: componentsOf(paths),
    },
  }
}
