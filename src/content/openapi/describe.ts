import { mustGet } from '../../lib/must-get.ts'
import { callJson, callKey } from './call.ts'
import { operationMarkdown, schemaMarkdown } from './operation.ts'
import { infoKey, type OpenapiOutline, type OpenapiSources, outlineOf } from './outline.ts'
import { deepest, type HrefOfSchema, type PieceState } from './schema.ts'
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
export const describeVersion = 13

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
  const parts = partsOf(outline, sources)
  const pieces = new Map<string, string>()
  const writer = new PieceWriter(document, parts.length)
  let length = 0

  if (outline.key) pieces.set(infoKey, infoMarkdown(document))

  for (const { key, heading, write } of parts) {
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

  return { outline, pieces }
}

/** A piece of a document with the call that readers can send from it: its key, and JSON. */
export type DescribedPiece = { text: string; call?: { key: string; json: string } }

/**
 * Describes an OpenAPI 3 document piece by piece, as each is asked for. A piece is the same whatever
 * was asked for before; it is undefined for an unknown key. `hrefOfSchema` makes names of schemas links.
 */
export function pieceByPiece(
  document: unknown,
  hrefOfSchema?: HrefOfSchema,
): {
  outline: OpenapiOutline
  pieceOf: (key: string) => DescribedPiece | undefined
} {
  const { outline, sources } = outlineOf(document)
  const parts = new Map(partsOf(outline, sources).map(part => [part.key, part]))

  return {
    outline,
    pieceOf: key => {
      if (key === infoKey) return outline.key ? { text: infoMarkdown(document) } : undefined
      const part = parts.get(key)
      if (!part) return undefined
      const { text, call } = new PieceWriter(document, parts.size, hrefOfSchema).write(part.write)
      const json = call && callJson(document, call)
      return json === undefined ? { text } : { text, call: { key: callKey(call!.sample), json } }
    },
  }
}

/** A piece to be written: its key, its heading, and what writes it. */
type Part = { key: string; heading: string; write: Write }

/** Returns the pieces of a document beside that of the document as a whole, in order. */
function partsOf(outline: OpenapiOutline, sources: OpenapiSources): Part[] {
  const parts: Part[] = []
  for (const [key, tag] of sources.tags)
    parts.push({
      key,
      heading: '',
      write: () => blockMarkdown(textIn(tag, 'description', 50_000)),
    })

  for (const { key, method, path, summary } of outline.operations) {
    const heading = words(summary ?? `${method.toUpperCase()} ${path}`)
    const source = mustGet(sources.operations, key)
    const write: Write = state => operationMarkdown(state, { heading, method, path, ...source })
    parts.push({ key, heading, write })
  }

  for (const { key, method, name, summary } of outline.webhooks) {
    const heading = words(summary ?? name)
    const source = mustGet(sources.operations, key)
    parts.push({
      key,
      heading,
      write: state => operationMarkdown(state, { heading, method, ...source }),
    })
  }

  for (const { key, name } of outline.schemas)
    parts.push({
      key,
      heading: words(name),
      write: state => schemaMarkdown(state, name, sources.schemas.get(key)),
    })

  return parts
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
  readonly #hrefOfSchema: HrefOfSchema | undefined
  readonly #summaries: PieceState['summaries'] = new Map()
  readonly #made: PieceState['made'] = { lines: new Map(), examples: new Map() }
  #piecesLeft: number
  #nodesLeft = mostNodesTogether
  #charsLeft = mostWordsTogether
  /** The index of the depth at which the last piece was written. */
  #level = 0

  constructor(document: unknown, pieces: number, hrefOfSchema?: HrefOfSchema) {
    this.#document = document
    this.#hrefOfSchema = hrefOfSchema
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
      hrefOfSchema: this.#hrefOfSchema,
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
