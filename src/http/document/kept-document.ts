import type { Context } from '../../context.ts'
import type { Endpoint } from '../endpoint.ts'
import { addExamples, type Examples } from './examples.ts'
import { openApiDocument } from './openapi.ts'
import type { SentEvent } from './webhooks.ts'

/** Returns the OpenAPI document of the server: the same value until its public URL changes. */
export type ServerDocument = () => object

/**
 * Returns what makes the document of a table of endpoints below `prefix`, and of events, when it is
 * first needed, with the examples that `readExamples` returns.
 */
export function keptDocument(
  ctx: Pick<Context, 'publicUrl'>,
  table: Record<string, Endpoint>,
  prefix: string,
  events: Readonly<Record<string, SentEvent>>,
  readExamples: () => Examples,
): ServerDocument {
  let kept: { server: string; document: object } | undefined
  return () => {
    const server = ctx.publicUrl()
    if (kept?.server !== server)
      kept = {
        server,
        document: addExamples(openApiDocument(table, prefix, server, events), readExamples()),
      }
    return kept.document
  }
}
