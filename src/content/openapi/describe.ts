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
export const describeVersion = 10

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
  const { operations, webhooks, schemas, tags } = outline
  const count = operations.length + webhooks.length + schemas.length + tags.length
  const writer = new PieceWriter(document, count)
  let length = 0
  const add = (key: string, heading: string, write: (state: PieceState) => string) => {
    const { text, call }: Piece =
      length < mostTogether ? writer.write(write) : { text: `## ${heading}\n` }
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
type Piece = Pick<PieceState, 'call'> & { text: string }

type Attempt = Piece & { cut: boolean; fits: boolean }

/**
 * Writes one piece after the other, each within its share of what is left of the budget, and as
 * deep as that allows.
 */
class PieceWriter {
  readonly #document: unknown
  readonly #summaries: PieceState['summaries'] = new Map()
  readonly #made: PieceState['made'] = { lines: new Map(), examples: new Map() }
  #piecesLeft: number
  #nodesLeft = mostNodesTogether
  #charsLeft = mostWordsTogether
  /** The index of the depth at which the last piece was written. */
  #level = 0

  constructor(document: unknown, pieces: number) {
    this.#document = document
    this.#piecesLeft = pieces
  }

  write(write: Write): Piece {
    const part = 4 / Math.max(4, this.#piecesLeft--)
    const nodes = between(fewestNodes, part * this.#nodesLeft, mostNodes)
    const chars = between(fewestWords, (part / 2) * this.#charsLeft, mostWords)
    const best = this.#writeDeepest(level => this.#writeAt(level, write, nodes, chars))

    this.#charsLeft = Math.max(0, this.#charsLeft - best.text.length)

    return best.cut ? { ...best, text: `${best.text}\n${more}\n` } : best
  }

  /** Returns the deepest attempt that fits. */
  #writeDeepest(attempt: (level: number) => Attempt): Attempt {
    // Neighbours are similar: each starts one level deeper than the previous one ended.
    this.#level = Math.max(0, this.#level - 1)
    let best = attempt(this.#level)

    while (best.fits && best.cut && this.#level > 0) {
      const deeper = attempt(this.#level - 1)
      if (!deeper.fits) break
      best = deeper
      this.#level--
    }

    // When the share is used up, try less depth: all of the first levels beats some of the first
    // branches.
    while (!best.fits && this.#level < depths.length - 1) best = attempt(++this.#level)

    return best
  }

  #writeAt(level: number, write: Write, nodes: number, chars: number): Attempt {
    const state: PieceState = {
      document: this.#document,
      summaries: this.#summaries,
      made: this.#made,
      depth: depths[level]!,
      share: nodes,
      nodes,
      chars,
      cut: false,
    }
    const text = write(state)
    const used = nodes - Math.max(0, state.nodes)

    this.#nodesLeft = Math.max(0, this.#nodesLeft - used)

    return { text, call: state.call, cut: state.cut, fits: state.nodes >= 0 && state.chars > 0 }
  }
}

const between = (least: number, value: number, most: number): number =>
  Math.max(least, Math.min(most, Math.floor(value)))

const more = 'This is shortened. See the OpenAPI spec for the rest.'
