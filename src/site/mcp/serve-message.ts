import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { SitePlace } from '../place/place.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { findOnSite, longestQuery } from './find-on-site.ts'
import { readOnSite } from './read-on-site.ts'

/** A message of a client, with the headers that the protocol reads. */
type Message = { headers: Record<string, string>; message: unknown; signal: AbortSignal }

/** An answer of the protocol. */
export type McpAnswer = { status: number; headers: Record<string, string>; body: Buffer }

const readOnly = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }

const Hits = z.object({
  hits: z.array(
    z.object({ title: z.string(), path: z.string(), url: z.string(), passage: z.string() }),
  ),
})

/** Answers one message. Nothing is kept between messages. */
export async function serveMessage(
  place: SitePlace,
  { headers, message, signal }: Message,
): Promise<McpAnswer> {
  // Subscriptions are refused: no list of tools ever changes.
  const handler = createMcpHandler(() => serverOf(place), { maxSubscriptions: 0, keepAliveMs: 0 })
  const request = new Request('http://site/~gitbook/mcp', {
    method: 'POST',
    headers,
    body: '{}',
    signal,
  })

  try {
    const answer = await handler.fetch(request, { parsedBody: message })
    const body = Buffer.from(await answer.arrayBuffer())
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body }
  } finally {
    await handler.close()
  }
}

function serverOf(place: SitePlace): McpServer {
  const title = settingsOf(place).title ?? place.view.site.title
  const server = new McpServer(
    { name: place.resolved.site.basename, title, version: '1' },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: `The documentation “${title}”. Search it with searchDocumentation, and read whole pages with getPage.`,
    },
  )

  server.registerTool(
    'searchDocumentation',
    {
      title: `Search “${title}”`,
      description: `Searches the documentation “${title}”. Returns pages and sections with their addresses, and a passage of each. Words that are misspelled are corrected if nothing has them.`,
      inputSchema: z.object({
        query: z.string().min(1).max(longestQuery).describe('Words to search for'),
      }),
      outputSchema: Hits,
      annotations: readOnly,
    },
    async ({ query }) => {
      const found = await findOnSite(place, query)
      return {
        content: [{ type: 'text', text: textOf(query, found) }],
        structuredContent: { hits: found.hits },
      }
    },
  )

  server.registerTool(
    'getPage',
    {
      title: `Read a page of “${title}”`,
      description: 'Returns a page of the documentation as Markdown.',
      inputSchema: z.object({
        url: z
          .string()
          .max(2048)
          .describe('The address of a page, or its path, as a search returns them'),
      }),
      annotations: readOnly,
    },
    async ({ url }) => {
      const text = await readOnSite(place, url)
      return text === undefined
        ? { isError: true, content: [{ type: 'text', text: nothingAt(url) }] }
        : { content: [{ type: 'text', text }] }
    },
  )

  return server
}

const nothingAt = (url: string): string =>
  `There is no page at "${url.slice(0, 200)}". Find pages with searchDocumentation.`

/** Returns hits as Markdown. */
function textOf(
  query: string,
  { hits, suggestion, without }: Awaited<ReturnType<typeof findOnSite>>,
): string {
  if (hits.length === 0) return `Nothing was found for "${query}". Use other words.`
  const searched = suggestion ?? query
  const corrected =
    suggestion === undefined
      ? ''
      : `Nothing was found for "${query}". These have "${suggestion}".\n\n`
  const left =
    without.length === 0
      ? ''
      : `No page has all words of "${searched}" together. The first result is without: ${without.join(', ')}.\n\n`
  const note = corrected + left
  return (
    note + hits.map(({ title, url, passage }) => `## [${title}](${url})\n\n${passage}`).join('\n\n')
  )
}
