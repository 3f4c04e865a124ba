import type { Json } from './sentences.ts'

/** A request body and an answer of each operation, by its id; one without a body has none. */
export type Examples = Readonly<Record<string, { request?: unknown; answer?: unknown }>>

type Content = { content?: Record<string, Json> }
type Operation = { operationId: string; requestBody?: Content; responses: Record<string, Content> }

/** Adds examples to the requests and answers of a document. */
export function addExamples(document: Json, examples: Examples): Json {
  for (const item of Object.values(document.paths as Record<string, Record<string, Operation>>))
    for (const { operationId, requestBody, responses } of Object.values(item)) {
      const { request, answer } = examples[operationId] ?? {}
      const success = Object.keys(responses).find(status => status.startsWith('2')) as string
      add(requestBody, request)
      add(responses[success], answer)
    }
  return document
}

function add(body: Content | undefined, value: unknown): void {
  const media = body?.content?.['application/json']
  if (media && value !== undefined) media.examples = { recorded: { value } }
}
