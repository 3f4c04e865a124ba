import type { z } from 'zod'
import type { Need } from '../../access/asker.ts'
import { anyone } from '../../access/guards/self.ts'
import { scopeNeeded } from '../../access/scopes.ts'
import type { Endpoint } from '../endpoint.ts'
import { nothing } from '../endpoint.ts'
import { ErrorBody } from '../faults.ts'
import { componentsOf, parameterSchema, schemaOf } from './schemas.ts'
import type { Json } from './sentences.ts'
import {
  errorTexts,
  headerTexts,
  introduction,
  parameterTexts,
  tagTexts,
  tagTitle,
} from './texts.ts'
import { type SentEvent, webhooksOf } from './webhooks.ts'

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
      schema: parameterSchema(rest),
      ...(where === 'path' && text?.example !== undefined && { example: text.example }),
    }
  })
}

function responsesOf(key: string, endpoint: Endpoint, isConditional: boolean): Json {
  const { reply, status } = endpoint
  const content =
    reply === nothing
      ? undefined
      : typeof reply === 'string'
        ? { [reply]: { schema: { type: 'string' } } }
        : { 'application/json': { schema: schemaOf(reply as z.ZodType, 'output') } }

  return {
    [status]: {
      description: 'Success.',
      headers: headersOf(key, status, endpoint),
      ...(content && { content }),
    },
    ...Object.fromEntries(
      errorsOf(key, endpoint, isConditional).map(code => [
        code,
        { $ref: `#/components/responses/Error${code}` },
      ]),
    ),
    default: {
      description: 'The request failed. `message` says why and what to do.',
      content: { 'application/json': { schema: schemaOf(ErrorBody, 'output') } },
    },
  }
}

/** Returns the headers of the answer of an operation that succeeded. */
function headersOf(key: string, status: number, endpoint: Endpoint): Json {
  const isRead = key.startsWith('GET ')
  const names = [
    'X-Request-Id',
    ...(isRead ? ['ETag'] : []),
    ...(status === 201 || endpoint.locates ? ['Location'] : []),
    ...(key.startsWith('POST ') ? ['Idempotent-Replayed'] : []),
    ...['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Stemma-Ignored'],
  ]
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Returns the error statuses of an operation besides those of the server. */
function errorsOf(key: string, endpoint: Endpoint, isConditional: boolean): number[] {
  const { params, query, body, access } = endpoint
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
    [412, isConditional || key.endsWith('/merge')],
    [413, body !== undefined],
    [415, body !== undefined],
    [429, true],
    [503, true],
  ]

  return possible.filter(([, answers]) => answers).map(([code]) => code)
}

const isAnonymous = (access: unknown): boolean => access === anyone

const errorResponses = (): Json =>
  Object.fromEntries(
    Object.entries(errorTexts).map(([code, description]) => [
      `Error${code}`,
      {
        description,
        ...((code === '429' || code === '503') && {
          headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
        }),
        content: { 'application/json': { schema: schemaOf(ErrorBody, 'output') } },
      },
    ]),
  )

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A key that you choose, such as a UUID. For 24 hours, the same request with the same key returns the first answer and is not executed again.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
  example: 'publish-2026-01-31',
}

const ifMatchOf = (description: string): Json => ({
  name: 'If-Match',
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', maxLength: 1000 },
  example: '"86cb172d2b6b40bdbd1a2d5d3ee0e1b8d3b7a2f1"',
})

const ifRevision = ifMatchOf(
  'The id of a revision, or the `ETag` of a read. If the content is at another revision, the answer is 412.',
)
const ifResource = ifMatchOf(
  'The `ETag` of an earlier `GET` of the same path. If the answer of that `GET` has changed since, the answer is 412.',
)

/** Returns the role that a caller needs, as a reader of the document understands it. */
const roleText = ({ role, on }: Need): string =>
  role === 'guest'
    ? `member or guest of the ${on}`
    : `${role} ${on === 'collection' || on === 'site' ? 'on' : 'in'} the ${on}`

function operationOf(key: string, endpoint: Endpoint, table: Record<string, Endpoint>): Json {
  const [method, path] = key.split(' ')
  const isOfResource = method !== 'GET' && `GET ${path}` in table
  const ifMatch = endpoint.ifMatch ? ifRevision : isOfResource ? ifResource : undefined
  const scope = scopeNeeded(key)
  const { need } = endpoint.access
  const role = need && roleText(need)
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    ...(endpoint.deprecated && { deprecated: true }),
    ...(role !== undefined && { 'x-stemma-role': role }),
    ...(scope !== undefined && { 'x-stemma-scope': scope }),
    tags: [tagOf(key)],
    parameters: [
      ...parametersOf('path', endpoint.params),
      ...parametersOf('query', endpoint.query),
      ...(key.startsWith('POST ') ? [idempotencyKey] : []),
      ...(ifMatch ? [ifMatch] : []),
    ],
    ...(endpoint.body && {
      requestBody: {
        required: !endpoint.bodyOptional,
        content: { 'application/json': { schema: schemaOf(endpoint.body, 'input') } },
      },
    }),
    responses: responsesOf(key, endpoint, ifMatch !== undefined),
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
  links: ['links', 'backlinks', 'findings', 'meta-links'],
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
  imports: ['imports'],
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
    'x-displayName': tagTitle(name),
    ...(Object.hasOwn(tagTexts, name) && { description: tagTexts[name] }),
  }))
}

/**
 * Returns the OpenAPI 3.1 document of a table of endpoints that is served below `prefix`, and of the
 * events that are posted to webhooks.
 */
export function openApiDocument(
  table: Record<string, Endpoint>,
  prefix: string,
  server: string,
  events: Readonly<Record<string, SentEvent>>,
): Json {
  const paths: Record<string, Json> = {}
  for (const [key, endpoint] of Object.entries(table)) {
    const [method = '', path = ''] = key.split(' ')
    const name = prefix + (path === '/' ? '' : path.replace(/[:*](\w+)/g, '{$1}'))
    paths[name] = { ...paths[name], [method.toLowerCase()]: operationOf(key, endpoint, table) }
  }

  const webhooks = webhooksOf(events)

  return {
    openapi: '3.1.0',
    info: {
      title: 'Stemma',
      version: '1',
      description: introduction,
      contact: { name: 'The administrators of this server', url: server },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }],
    security: [{ token: [] }],
    tags: tagsOf(paths),
    paths,
    webhooks,
    components: {
      headers: headerTexts,
      responses: errorResponses(),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: componentsOf({ ...paths, webhooks }),
    },
  }
}
