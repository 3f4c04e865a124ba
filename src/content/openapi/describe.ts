import { operationMarkdown, schemaMarkdown } from './operation.ts'
import { infoKey, type OpenapiOutline, type OpenapiSources, outlineOf } from './outline.ts'
import { deepest, type Writing } from './schema.ts'
import { infoMarkdown } from './security.ts'
import { blockMarkdown, words } from './text.ts'
import { textIn } from './value.ts'

export type {
  OpenapiOperation,
  OpenapiOutline,
  OpenapiSchema,
  OpenapiTag,
  OpenapiWebhook,
} from './outline.ts'
export { infoKey, operationKey, schemaKey, tagKey, webhookKey } from './outline.ts'

/** Counts what `describeOpenapi` gives for the same document: what was kept of another number is made again. */
export const describeVersion = 5

/** How many properties one piece may write out, and all pieces together beyond a few each. */
const mostNodes = 20_000
const mostNodesTogether = 200_000
const fewestNodes = 20

/** How many characters one piece may write, roughly, and all pieces together beyond a few each; and what is the end. */
const mostWords = 400_000
const mostWordsTogether = 10_000_000
const fewestWords = 800
const mostTogether = 32 * 1024 * 1024

/** How deep schemas are written out, when they would be too long written out deeper. */
const depths = [deepest, 6, 4, 3, 2, 1]

/**
 * What an OpenAPI 3 document says, for people: its outline, and a piece of Markdown for each operation, webhook, schema
 * and tag, by key. The document is parsed JSON, a Swagger 2 one upgraded. Never throws, whatever the document is, and
 * gives the same for the same; how much it looks at and gives is bounded.
 */
export function describeOpenapi(document: unknown): {
  outline: OpenapiOutline
  pieces: ReadonlyMap<string, string>
} {
  const { outline, sources } = outlineOf(document)
  return { outline, pieces: piecesOf(document, outline, sources) }
}

function piecesOf(document: unknown, outline: OpenapiOutline, sources: OpenapiSources): Map<string, string> {
  const pieces = new Map<string, string>()
  const shares = sharing(document, outline)
  let length = 0
  const add = (key: string, heading: string, write: (writing: Writing) => string) => {
    const text = length < mostTogether ? shares(write) : `## ${heading}\n`
    length += text.length
    pieces.set(key, text)
  }
  if (outline.key) pieces.set(infoKey, infoMarkdown(document))
  for (const [key, tag] of sources.tags) add(key, '', () => blockMarkdown(textIn(tag, 'description', 50_000)))
  for (const { key, method, path, summary } of outline.operations) {
    const heading = words(summary ?? `${method.toUpperCase()} ${path}`)
    const source = sources.operations.get(key)!
    add(key, heading, writing => operationMarkdown(writing, { heading, method, path, ...source }))
  }
  for (const { key, method, name, summary } of outline.webhooks) {
    const heading = words(summary ?? name)
    const source = sources.operations.get(key)!
    add(key, heading, writing => operationMarkdown(writing, { heading, method, ...source }))
  }
  for (const { key, name } of outline.schemas)
    add(key, words(name), writing => schemaMarkdown(writing, name, sources.schemas.get(key)))
  return pieces
}

type Write = (writing: Writing) => string

/** Writes pieces one after the other, each with its share of what all may take, and as deep as that goes. */
function sharing(
  document: unknown,
  { operations, webhooks, schemas, tags }: OpenapiOutline,
): (write: Write) => string {
  let pieces = operations.length + webhooks.length + schemas.length + tags.length
  let left = mostNodesTogether
  let leftWords = mostWordsTogether
  const looks: Writing['looks'] = new Map()
  const made: Writing['made'] = { lines: new Map(), examples: new Map() }
  // Neighbours are much alike: each is tried a little deeper than the one before it came to be.
  let level = 0
  return write => {
    const part = 4 / Math.max(4, pieces--)
    const share = Math.max(fewestNodes, Math.min(mostNodes, Math.floor(part * left)))
    const chars = Math.max(fewestWords, Math.min(mostWords, Math.floor((part / 2) * leftWords)))
    const at = (index: number): Tried => {
      const depth = depths[index]!
      const writing: Writing = { document, looks, made, depth, share, nodes: share, chars, cut: false }
      const text = write(writing)
      left = Math.max(0, left - (share - Math.max(0, writing.nodes)))
      return { text, cut: writing.cut, fits: writing.nodes >= 0 && writing.chars > 0 }
    }
    level = Math.max(0, level - 1)
    let best = at(level)
    while (best.fits && best.cut && level > 0) {
      const deeper = at(level - 1)
      if (!deeper.fits) break
      best = deeper
      level--
    }
    // Where the share was used up, less deep is more: all of the first levels, and not all of the first branches.
    while (!best.fits && level < depths.length - 1) best = at(++level)
    leftWords = Math.max(0, leftWords - best.text.length)
    return best.cut ? `${best.text}\n${more}\n` : best.text
  }
}

type Tried = { text: string; cut: boolean; fits: boolean }

const more = 'More of it is in the description itself.'
