import { follow, isObject, listIn, objectIn, ownIn, textIn } from './value.ts'

/** A tag of a spec: a page of operations. */
export type OpenapiTag = {
  name: string
  /** `x-page-title`, `x-displayName`, `summary` or the name, in this order. */
  title: string
  icon?: string
  /** One line: `x-page-description`. */
  description?: string
  /** The name of the parent tag. It is in the outline, and the parents form no cycle. */
  parent?: string
  /** The key of the piece with its description; absent when it has none. */
  key?: string
}

export type OpenapiOperation = {
  /** The key of its piece: see `operationKey`. */
  key: string
  /** In lower case. */
  method: string
  path: string
  operationId?: string
  summary?: string
  tags: string[]
  deprecated: boolean
}

export type OpenapiWebhook = {
  key: string
  method: string
  name: string
  summary?: string
  tags: string[]
  deprecated: boolean
}

export type OpenapiSchema = { key: string; name: string; title?: string }

/**
 * The contents of a spec, in its own order: enough to make pages, and to know what a block may
 * name.
 */
export type OpenapiOutline = {
  title: string
  version: string
  /** The key of the piece with its description; absent when it has none. */
  key?: string
  tags: OpenapiTag[]
  operations: OpenapiOperation[]
  webhooks: OpenapiWebhook[]
  schemas: OpenapiSchema[]
  /** How many operations, webhooks, schemas and tags were left out because of the limits. */
  left: number
}

/** The parts of the document that an outline was read from, by the keys of the pieces. */
export type OpenapiSources = {
  operations: Map<string, { item: unknown; operation: unknown }>
  schemas: Map<string, unknown>
  tags: Map<string, unknown>
}

const methods = new Set([
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
  'query',
])

/** Limits of an outline. */
const mostOperations = 10_000
const mostSchemas = 10_000
const mostTags = 2_000
const mostTagsOfOne = 10
const deepestTag = 8

/** Returns the key of an operation's piece. The method is case-insensitive. */
export const operationKey = (method: string, path: string): string =>
  `operation ${method.toLowerCase()} ${path}`
/** Returns the key of a webhook's piece. */
export const webhookKey = (method: string, name: string): string =>
  `webhook ${method.toLowerCase()} ${name}`
/** Returns the key of a schema's piece. */
export const schemaKey = (name: string): string => `schema ${name}`
/** Returns the key of the piece with a tag's description. */
export const tagKey = (name: string): string => `tag ${name}`
/** The key of the piece about the spec as a whole. */
export const infoKey = 'info'

/**
 * Reads the outline of an OpenAPI 3 document. Never throws; parts of an unexpected shape are
 * skipped.
 */
export function outlineOf(document: unknown): { outline: OpenapiOutline; sources: OpenapiSources } {
  const info = ownIn(document, 'info')
  const sources: OpenapiSources = { operations: new Map(), schemas: new Map(), tags: new Map() }
  const outline: OpenapiOutline = {
    title: textIn(info, 'title') || 'API',
    version: textIn(info, 'version', 100),
    tags: [],
    operations: [],
    webhooks: [],
    schemas: [],
    left: 0,
  }
  if (textIn(info, 'description') !== '') outline.key = infoKey
  readPaths(document, outline, sources)
  readWebhooks(document, outline, sources)
  readSchemas(document, outline, sources)
  readTags(document, outline, sources)

  return { outline, sources }
}

/** Yields the operations of a path item or webhook: method in lower case, operation, path item. */
function* operationsIn(document: unknown, written: unknown): Iterable<[string, unknown, unknown]> {
  const item = follow(document, written).value
  for (const [method, operation] of Object.entries(objectIn(item)))
    if (methods.has(method.toLowerCase()) && isObject(operation))
      yield [method.toLowerCase(), operation, item]
  for (const [method, operation] of Object.entries(objectIn(ownIn(item, 'additionalOperations'))))
    if (/^[A-Za-z-]{1,30}$/.test(method) && isObject(operation))
      yield [method.toLowerCase(), operation, item]
}

function readPaths(
  document: unknown,
  outline: OpenapiOutline,
  { operations }: OpenapiSources,
): void {
  for (const [path, written] of Object.entries(objectIn(ownIn(document, 'paths')))) {
    for (const [method, operation, item] of operationsIn(document, written)) {
      const key = operationKey(method, path)
      if (operations.has(key)) continue

      if (operations.size >= mostOperations || path.length > 2000) {
        outline.left++
        continue
      }

      operations.set(key, { item, operation })
      const operationId = textIn(operation, 'operationId')

      outline.operations.push({
        key,
        method,
        path,
        ...(operationId && { operationId }),
        ...commonOf(operation),
      })
    }
  }
}

function readWebhooks(
  document: unknown,
  outline: OpenapiOutline,
  { operations }: OpenapiSources,
): void {
  const named = ownIn(document, 'webhooks') ?? ownIn(document, 'x-webhooks')
  for (const [name, written] of Object.entries(objectIn(named))) {
    for (const [method, operation, item] of operationsIn(document, written)) {
      const key = webhookKey(method, name)
      if (operations.has(key)) continue
      if (operations.size >= mostOperations || name.length > 2000) {
        outline.left++
        continue
      }
      operations.set(key, { item, operation })
      outline.webhooks.push({ key, method, name, ...commonOf(operation) })
    }
  }
}

function commonOf(operation: unknown): Pick<OpenapiOperation, 'summary' | 'tags' | 'deprecated'> {
  const summary = textIn(operation, 'summary').replaceAll(/\s+/g, ' ')
  const tags = listIn(ownIn(operation, 'tags')).slice(0, mostTagsOfOne)
  return {
    ...(summary && { summary }),
    tags: [...new Set(tags.filter((tag): tag is string => isTagName(tag)))],
    deprecated: ownIn(operation, 'deprecated') === true,
  }
}

const isTagName = (name: unknown): name is string =>
  typeof name === 'string' && name.trim() !== '' && name.length <= 200

function readSchemas(document: unknown, outline: OpenapiOutline, sources: OpenapiSources): void {
  const schemas = objectIn(ownIn(ownIn(document, 'components'), 'schemas'))
  for (const [name, schema] of Object.entries(schemas)) {
    if (sources.schemas.size >= mostSchemas || name === '' || name.length > 200) {
      outline.left++
      continue
    }
    const key = schemaKey(name)
    sources.schemas.set(key, schema)
    const title = textIn(schema, 'title')
    outline.schemas.push({ key, name, ...(title && { title }) })
  }
}

/** Reads the tags that the document lists, in order, and then those that only operations name. */
function readTags(document: unknown, outline: OpenapiOutline, sources: OpenapiSources): void {
  const listed = new Map<string, unknown>()
  for (const tag of listIn(ownIn(document, 'tags'))) {
    const name = ownIn(tag, 'name')
    if (isTagName(name) && !listed.has(name)) listed.set(name, tag)
  }

  for (const { tags } of [...outline.operations, ...outline.webhooks])
    for (const name of tags) if (!listed.has(name)) listed.set(name, { name })
  const kept = new Map([...listed].slice(0, mostTags))

  outline.left += listed.size - kept.size

  for (const [name, value] of kept) {
    const tag = tagOf(name, value, parentOf(kept, name))
    if (tag.key) sources.tags.set(tag.key, value)
    outline.tags.push(tag)
  }
}

function tagOf(name: string, tag: unknown, parent: string | undefined): OpenapiTag {
  const icon = textIn(tag, 'x-page-icon', 50)
  const description = textIn(tag, 'x-page-description').replaceAll(/\s+/g, ' ')
  const title =
    textIn(tag, 'x-page-title') || textIn(tag, 'x-displayName') || textIn(tag, 'summary') || name

  return {
    name,
    title: title.replaceAll(/\s+/g, ' ').trim(),
    ...(icon && { icon }),
    ...(description && { description }),
    ...(parent !== undefined && { parent }),
    ...(textIn(tag, 'description') !== '' && { key: tagKey(name) }),
  }
}

/** Returns the parent of a tag; undefined at the top, in a cycle, and below too many levels. */
function parentOf(tags: ReadonlyMap<string, unknown>, name: string): string | undefined {
  const above = (from: string): string | undefined => {
    const tag = tags.get(from)
    const parent = ownIn(tag, 'x-parent') ?? ownIn(tag, 'parent')
    return typeof parent === 'string' && tags.has(parent) ? parent : undefined
  }
  const parent = above(name)
  let at = parent

  for (let steps = 1; at !== undefined; steps++) {
    if (at === name || steps > deepestTag) return undefined
    at = above(at)
  }

  return parent
}
