import type { Steps } from '../../lib/slices.ts'
import { alignEqual, type Pair, segmentsOf } from '../text/align.ts'
import { attributesKey } from './keys.ts'
import { shareOf } from './likeness.ts'
import { formerNode, type Marking } from './marking.ts'
import { isVerbatim, isWhole, type PageElement, type PageNode } from './nodes.ts'
import { type Grain, type Token, tokensOf } from './tokens.ts'

/** Tokens that both versions have, or those that one has instead of the other's. */
type Piece = { same: boolean; gone: Token[]; come: Token[] }
type Writing = { marking: Marking; grain: Grain; nodes: PageNode[]; changed: boolean }

/** Elements with fewer words in common are replaced. */
const leastShare = 0.35
/** An element is compared with this many former ones. */
const nextFew = 16
/** Equal words between changed ones become part of the change if they are shorter. */
const longestBridge = 12

/**
 * Returns the words of both versions of a line in one, with those of one version in `del` or `ins`;
 * `changed` if there are any.
 */
export function* markWords(
  marking: Marking,
  before: readonly PageNode[],
  after: readonly PageNode[],
  grain: Grain,
): Steps<{ nodes: PageNode[]; changed: boolean }> {
  const gone = tokensOf(marking.before, before, grain)
  const come = tokensOf(marking.after, after, grain)
  yield
  const pairs = yield* alignEqual(
    gone.map(({ key }) => key),
    come.map(({ key }) => key),
  )
  const pieces = piecesOf(gone, come, pairs)
  const writing: Writing = { marking, grain, nodes: [], changed: false }

  for (const piece of grain === 'lines' ? pieces : bridged(pieces)) {
    if (piece.same)
      for (const [at, token] of piece.come.entries()) writeSame(writing, piece.gone[at]!, token)
    else yield* writeChanged(writing, piece)
  }

  return writing
}

function piecesOf(gone: readonly Token[], come: readonly Token[], pairs: readonly Pair[]): Piece[] {
  const pieces: Piece[] = []
  function add(same: boolean, gone: readonly Token[], come: readonly Token[]): void {
    const last = pieces.at(-1)
    if (last?.same !== same) pieces.push({ same, gone: [...gone], come: [...come] })
    else {
      for (const token of gone) last.gone.push(token)
      for (const token of come) last.come.push(token)
    }
  }

  for (const segment of segmentsOf(gone, come, pairs)) {
    if (segment.gone.length + segment.come.length > 0) add(false, segment.gone, segment.come)
    if (segment.pair) add(true, [segment.pair[0]], [segment.pair[1]])
  }

  return pieces
}

const elementIn = ({ nodes }: Token): PageElement | undefined =>
  typeof nodes[0] === 'string' || nodes[0]?.name === '#wrap' ? undefined : nodes[0]

/** The length of the text of tokens, without the elements among them. */
const lengthOf = (tokens: readonly Token[]): number =>
  tokens.reduce((sum, token) => sum + (elementIn(token) ? 0 : token.size), 0)
const weightOf = ({ gone, come }: Piece): number => Math.max(lengthOf(gone), lengthOf(come))

/** Reports whether equal words between two changes read better as part of them. */
function isBridge({ come }: Piece, left: Piece, right: Piece): boolean {
  if (come.some(elementIn)) return false
  const length = lengthOf(come)
  if (come.every(({ blank }) => blank)) return true
  return length <= Math.min(longestBridge, weightOf(left), weightOf(right))
}

function bridged(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const [left, same] = joined.slice(-2)
    if (piece.same || !left || !same || left.same || !isBridge(same, left, piece))
      joined.push(piece)
    else {
      joined.pop()
      for (const { gone, come } of [same, piece]) {
        for (const token of gone) left.gone.push(token)
        for (const token of come) left.come.push(token)
      }
    }
  }

  return joined
}

function push(nodes: PageNode[], node: PageNode): void {
  const last = nodes.at(-1)
  if (typeof node === 'string' && typeof last === 'string') nodes[nodes.length - 1] = last + node
  else nodes.push(node)
}

function writeSame(writing: Writing, gone: Token, come: Token): void {
  const [one, other] = [elementIn(gone), elementIn(come)]
  if (one?.name === 'img' && other && attributesKey(one) !== attributesKey(other)) {
    const image = { ...other }
    writing.marking.former.set(image, one)
    writing.changed = true
    push(writing.nodes, image)
  } else for (const node of come.nodes) push(writing.nodes, node)
}

function writeReplaced(writing: Writing, gone: readonly Token[], come: readonly Token[]): void {
  const { marking, nodes } = writing
  const removed: PageNode[] = []
  for (const token of gone) for (const node of token.nodes) push(removed, formerNode(marking, node))
  const added: PageNode[] = []

  for (const token of come) for (const node of token.nodes) push(added, node)
  if (removed.length > 0)
    nodes.push({ name: 'del', attributes: { words: 'removed' }, nodes: removed, blocks: false })
  if (added.length > 0)
    nodes.push({ name: 'ins', attributes: { words: 'added' }, nodes: added, blocks: false })
  writing.changed ||= removed.length + added.length > 0
}

/**
 * Returns the index of the first of the next tokens that is a version of this element; -1 without
 * one.
 */
function versionOf(
  { marking }: Writing,
  element: PageElement,
  gone: readonly Token[],
  from: number,
): number {
  if (isWhole(element)) return -1
  const attributes = attributesKey(element)
  let left = nextFew

  for (let at = from; at < gone.length && left > 0; at++) {
    const one = elementIn(gone[at]!)
    if (!one) continue
    left--
    if (one.name !== element.name || attributesKey(one) !== attributes) continue
    if (shareOf(marking.bags, one, element) > leastShare) return at
  }

  return -1
}

/** Writes words that were replaced; an element of which there are two versions is gone into. */
function* writeChanged(writing: Writing, { gone, come }: Piece): Steps<void> {
  const { marking, grain } = writing
  let [g, c] = [0, 0]
  for (const [at, token] of come.entries()) {
    if (at % 256 === 255) yield
    const element = elementIn(token)
    const found = element ? versionOf(writing, element, gone, g) : -1
    if (!element || found === -1) continue
    writeReplaced(writing, gone.slice(g, found), come.slice(c, at))
    const inner = grain === 'words' && isVerbatim(element) ? 'code' : grain
    const { nodes } = yield* markWords(
      marking,
      elementIn(gone[found]!)!.nodes,
      element.nodes,
      inner,
    )

    writing.nodes.push({ ...element, nodes })
    writing.changed = true
    g = found + 1
    c = at + 1
  }

  writeReplaced(writing, gone.slice(g), come.slice(c))
}
