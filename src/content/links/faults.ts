import type { Steps } from '../../lib/slices.ts'
import type { Block } from '../markdown/blocks.ts'
import { fencedLine, isFencedEnd } from '../markdown/containers.ts'
import { frontMatterKeys, readFrontMatter, splitFrontMatter } from '../markdown/front-matter.ts'
import { isKnownTag, type PageTag, pageTags, standsAlone } from '../markup/tags.ts'
import { conflictIn } from '../text/conflicts.ts'
import { isBlank, lineAt } from '../text/lines.ts'
import { shownText } from './shown-text.ts'

/**
 * `open-…`: a block that has no end, by its tag, by the name of its container, or as a fence.
 * `lone-end`: the end of a block that was not begun. `key`: a key of front matter that is not read.
 */
export type FaultKind =
  | 'open-tag'
  | 'lone-end'
  | 'open-container'
  | 'open-fence'
  | 'conflict'
  | 'key'

/** Something of a file that is not understood, in the format of pages itself. */
export type Fault = { kind: FaultKind; name: string; line: number }

/** The most of them that are kept of one file, and the longest name. */
const mostFaults = 50
const longestName = 60

/** The number of characters between two yields to the event loop. */
const portion = 32_768

type Faults = {
  text: string
  add: (kind: FaultKind, name: string, line: number) => void
  lineOf: (offset: number) => number
}

/** Returns the faults of a page with these blocks, in steps; undefined for none. */
export function* faultSteps(
  text: string,
  blocks: readonly Block[],
  lineOf: (offset: number) => number,
): Steps<Fault[] | undefined> {
  const found: Fault[] = []
  const add: Faults['add'] = (kind, name, line) => {
    // A copy: a slice would keep the whole text in memory.
    const short = Buffer.from(name.slice(0, longestName)).toString()
    if (found.length < mostFaults) found.push({ kind, name: short, line })
  }
  const faults = { text, add, lineOf }

  addKeys(faults)
  yield* addTags(faults, blocks)
  yield* addLines(faults, blocks)

  return found.length > 0 ? found.sort((a, b) => a.line - b.line) : undefined
}

function addKeys({ text, add, lineOf }: Faults): void {
  const { yaml } = splitFrontMatter(text)
  if (!yaml) return
  const source = text.slice(yaml.start, yaml.end)
  const lines = new Map<string, number>()
  for (const { 1: quoted, 2: plain, index } of source.matchAll(/^(?:["'](.+?)["']|([\w-]+)):/gm)) {
    const key = quoted ?? plain ?? ''
    if (!lines.has(key)) lines.set(key, yaml.start + index)
  }
  for (const key of readFrontMatter(text).keys)
    if (!frontMatterKeys.has(key)) add('key', key, lineOf(lines.get(key) ?? yaml.start))
}

/** A tag that waits for its end; `counts` if it begins a line, as blocks do. */
type OpenTag = { name: string; at: number; counts: boolean }

/** Adds the blocks of tags that have no end, and the ends that have no block. */
function* addTags({ text, add, lineOf }: Faults, blocks: readonly Block[]): Steps<void> {
  const open = new OpenTags()
  let read = 0
  const leave = ({ name, at, counts }: OpenTag) => {
    if (counts) add('open-tag', name, lineOf(at))
  }

  for (const block of blocks) {
    const shown =
      block.kind === 'code' ? text.slice(block.start, block.end) : shownText(text, block)
    if (shown?.includes('{%')) {
      const from = block.kind === 'code' ? block.start : block.text.start
      for (const tag of pageTags(shown)) {
        const at = from + tag.start
        // In code that is indented, an end is the end of a block around a list.
        const counts = startsLine(shown, tag.start) && block.kind !== 'code'
        if (!isBlockTag(tag) || (block.kind === 'code' && !tag.closes)) continue
        if (!tag.closes) open.push({ name: tag.name, at, counts })
        else if (!open.close(tag.name, leave) && counts) add('lone-end', tag.name, lineOf(at))

        read += workOfTag
        if (read < portion) continue
        read = 0
        yield
      }
    }

    read += block.end - block.start
    if (read < portion) continue
    read = 0
    yield
  }

  open.all.forEach(leave)
}

const isBlockTag = ({ name }: PageTag): boolean => isKnownTag(name) && !standsAlone(name)

const startsLine = (text: string, at: number): boolean =>
  /(?:^|[\r\n])[ \t>]*$/.test(text.slice(Math.max(0, at - 80), at))

/** What the look at a tag costs, in characters read. */
const workOfTag = 32

/** The tags that wait for their ends, in order. */
class OpenTags {
  readonly all: OpenTag[] = []
  readonly #counts = new Map<string, number>()

  push(tag: OpenTag): void {
    this.all.push(tag)
    this.#count(tag.name, 1)
  }

  /**
   * Closes the last tag of a name, and leaves those that were opened in it. Returns whether there
   * was one; each tag is looked at once.
   */
  close(name: string, leave: (tag: OpenTag) => void): boolean {
    if (!this.#counts.get(name)) return false
    const inside: OpenTag[] = []
    for (let tag = this.all.pop(); tag; tag = this.all.pop()) {
      this.#count(tag.name, -1)
      if (tag.name === name) break
      inside.push(tag)
    }
    inside.reverse().forEach(leave)
    return true
  }

  #count(name: string, by: 1 | -1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by)
  }
}

/** Reports whether the lines of a block are shown as they are written. */
const isVerbatim = (text: string, { kind, text: { start } }: Block): boolean =>
  kind === 'fence' ||
  kind === 'code' ||
  (kind === 'html' &&
    /^<(?:!--|pre\b|script\b|style\b|textarea\b)/i.test(text.slice(start, start + 10)))

/** Reports whether code without an end ends with its quote or list: what follows is shown. */
const endsWithBlock = (text: string, { quoted, end }: Block): boolean =>
  quoted || !isBlank(text, end, text.length)

/** Adds what whole lines tell: markers of conflicts, and containers without an end. */
function* addLines({ text, add, lineOf }: Faults, blocks: readonly Block[]): Steps<void> {
  const open: { name: string; line: number }[] = []
  let at = 0
  let read = 0

  function* readTo(end: number): Steps<void> {
    while (at < end) {
      const line = lineAt(text, at)
      const written = text.slice(at, Math.min(line.end, at + 200))
      const conflict = conflictIn(written)
      if (conflict !== undefined) add('conflict', conflict, lineOf(at))
      const container = written.replace(/^[ \t>]+/, '')

      if (container.startsWith(':::')) {
        const begun = fencedLine(container)
        if (begun) open.push({ name: begun.hint ?? begun.kind, line: lineOf(at) })
        else if (isFencedEnd(container)) open.pop()
      }

      read += line.next - at
      at = line.next
      if (read < portion) continue
      read = 0
      yield
    }
  }

  for (const block of blocks) {
    if (!isVerbatim(text, block)) continue
    yield* readTo(block.start)
    at = Math.max(at, block.end)
    if (block.kind === 'fence' && !block.closed && !endsWithBlock(text, block))
      add('open-fence', '```', lineOf(block.start))
  }

  yield* readTo(text.length)
  for (const { name, line } of open) add('open-container', name, line)
}
