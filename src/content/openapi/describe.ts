import { mustGet } from '../../lib/must-get.ts'
import { callJson, callKey } from './call.ts'
import { operationMarkdown, schemaMarkdown } from './operation.ts'
import { infoKey, type OpenapiOutline, type OpenapiSources, outlineOf } from './outline.ts'
import { deepest, type PieceState } from './schema.ts'
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

/**
 * Increment when the output of `describeSpec` changes: stored output with another number is
 * rebuilt.
 */
export const describeVersion = 9

/**
 * The limits of properties: of one piece, of all pieces together, and the number that each piece
 * may always write.
 */
const mostNodes = 20_000
const mostNodesTogether = 200_000
const fewestNodes = 20

/**
 * The corresponding limits in characters, approximately; beyond the length of all pieces only
 * headings are written.
 */
const mostWords = 400_000
const mostWordsTogether = 10_000_000
const fewestWords = 800
const mostTogether = 32 * 1024 * 1024

/**
 * Depths at which schemas are written, from the deepest to the one that is tried last for a long
 * piece.
 */
const depths = [deepest, 6, 4, 3, 2, 1]

/**
 * Describes an OpenAPI 3 document for readers: its outline, and a piece of Markdown for each
 * operation, webhook, schema and tag, by key. Calls that readers can send are pieces of JSON, see
 * `callKey`. The document is parsed JSON; Swagger 2 must be upgraded first. Deterministic, never
 * throws on any input, and bounded in time and output.
 */
export function describeSpec(document: unknown): {
  outline: OpenapiOutline
  pieces: ReadonlyMap<string, string>
} {
  const { outline, sources } = outlineOf(document)
  return { outline, pieces: piecesOf(document, outline, sources) }
}

function piecesOf(
  document: unknown,
  outline: OpenapiOutline,
  sources: OpenapiSources,
): Map<string, string> {
  const pieces = new Map<string, string>()
  const shares = sharing(document, outline)
  let length = 0
  const add = (key: string, heading: string, write: (state: PieceState) => string) => {
    const { text, call }: Shared =
      length < mostTogether ? shares(write) : { text: `## ${heading}\n` }
    const json = call && callJson(document, call)
    const keyOfCall = call && callKey(call.sample)
    length += text.length + (json?.length ?? 0)
    pieces.set(key, text)

    // Operations with the same example: the first one is called.
    if (keyOfCall !== undefined && json !== undefined && !pieces.has(keyOfCall))
      pieces.set(keyOfCall, json)
  }
  if (outline.key) pieces.set(infoKey, infoMarkdown(document))
  for (const [key, tag] of sources.tags)
    add(key, '', () => blockMarkdown(textIn(tag, 'description', 50_000)))

  for (const { key, method, path, summary } of outline.operations) {
    const heading = words(summary ?? `${method.toUpperCase()} ${path}`)
    const source = mustGet(sources.operations, key)
    add(key, heading, state => operationMarkdown(state, { heading, method, path, ...source }))
  }

  for (const { key, method, name, summary } of outline.webhooks) {
    const heading = words(summary ?? name)
    const source = mustGet(sources.operations, key)
    add(key, heading, state => operationMarkdown(state, { heading, method, ...source }))
  }

  for (const { key, name } of outline.schemas)
    add(key, words(name), state => schemaMarkdown(state, name, sources.schemas.get(key)))

  return pieces
}

type Write = (state: PieceState) => string

/** The text of a piece, and the call that it has an example of. */
type Shared = Pick<PieceState, 'call'> & { text: string }

/**
 * Returns a function that writes one piece after the other, each within its share of the budget and
 * as deep as that allows.
 */
function sharing(
  document: unknown,
  { operations, webhooks, schemas, tags }: OpenapiOutline,
): (write: Write) => Shared {
  let pieces = operations.length + webhooks.length + schemas.length + tags.length
  let left = mostNodesTogether
  let leftWords = mostWordsTogether
  const summaries: PieceState['summaries'] = new Map()
  const made: PieceState['made'] = { lines: new Map(), examples: new Map() }

  // Neighbours are similar: each starts one level deeper than the previous one ended.
  let level = 0

  return write => {
    const part = 4 / Math.max(4, pieces--)
    const share = Math.max(fewestNodes, Math.min(mostNodes, Math.floor(part * left)))
    const chars = Math.max(fewestWords, Math.min(mostWords, Math.floor((part / 2) * leftWords)))
    const at = (index: number): Attempt => {
      const depth = depths[index]!
      const state: PieceState = {
        document,
        summaries,
        made,
        depth,
        share,
        nodes: share,
        chars,
        cut: false,
      }
      const text = write(state)
      left = Math.max(0, left - (share - Math.max(0, state.nodes)))

      return { text, call: state.call, cut: state.cut, fits: state.nodes >= 0 && state.chars > 0 }
    }

    level = Math.max(0, level - 1)
    let best = at(level)

    while (best.fits && best.cut && level > 0) {
      const deeper = at(level - 1)
      if (!deeper.fits) break
      best = deeper
      level--
    }

    // When the share is used up, try less depth: all of the first levels beats some of the first
    // branches.
    while (!best.fits && level < depths.length - 1) best = at(++level)
    leftWords = Math.max(0, leftWords - best.text.length)

    return best.cut ? { ...best, text: `${best.text}\n${more}\n` } : best
  }
}

type Attempt = Shared & { cut: boolean; fits: boolean }

const more = 'This is shortened. See the OpenAPI spec for the rest.'
