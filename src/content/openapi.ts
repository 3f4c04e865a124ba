import { type OpenapiOutline, outlineOf } from './openapi-outline.ts'

export type {
  OpenapiOperation,
  OpenapiOutline,
  OpenapiSchema,
  OpenapiTag,
  OpenapiWebhook,
} from './openapi-outline.ts'
export { infoKey, operationKey, schemaKey, tagKey, webhookKey } from './openapi-outline.ts'

/** Counts what `describeOpenapi` gives for the same document: what was kept of another number is made again. */
export const describeVersion = 1

/**
 * What an OpenAPI 3 document says, for people: its outline, and a piece of Markdown for each operation, webhook, schema
 * and tag, by key. The document is parsed JSON, a Swagger 2 one upgraded. Never throws, whatever the document is, and
 * gives the same for the same; how much it looks at and gives is bounded.
 */
export function describeOpenapi(document: unknown): {
  outline: OpenapiOutline
  pieces: ReadonlyMap<string, string>
} {
  const { outline } = outlineOf(document)
  const pieces = new Map<string, string>()
  for (const { key, method, path, summary } of outline.operations)
    pieces.set(key, `## ${summary ?? `${method.toUpperCase()} ${path}`}\n`)
  return { outline, pieces }
}
