import { hasMarks, isInVersion, textOfVersion } from '../content/changes/one-version.ts'
import type { PageHtml } from '../content/html/page-html.ts'
import { blocksAndLines, ownHeading } from '../content/markup/lines.ts'
import type { MarkupElement, MarkupNode } from '../content/markup/tree.ts'
import { sha256 } from '../lib/digest.ts'
import type { Steps } from '../lib/slices.ts'

/** A block at the top of a page with marks. */
export type MarkedPart = {
  html: string
  isChanged: boolean
  /** What a comment on the block names, and what it was before; undefined for a version without it. */
  key: string | undefined
  formerKey: string | undefined
  /** Whether each version has it. */
  isNow: boolean
  wasBefore: boolean
}

/** Returns what follows the title of a page, as its blocks and lines. */
function partsOf(root: MarkupElement): (MarkupElement | MarkupNode[])[] {
  const title = ownHeading(root)
  return [...blocksAndLines(title ? root.nodes.slice(root.nodes.indexOf(title) + 1) : root.nodes)]
}

/**
 * Returns the blocks of a page with marks, with their HTML, and the HTML after the last one.
 * `written` is the page as it was written with `allEnds`.
 */
export function* markedParts(
  root: MarkupElement,
  { html, everyEnd }: Pick<PageHtml, 'html' | 'everyEnd'>,
): Steps<{ parts: MarkedPart[]; rest: string }> {
  const keyOf = keys()
  const formerKeyOf = keys()
  const parts: MarkedPart[] = []
  let from = 0

  for (const [at, part] of partsOf(root).entries()) {
    const end = everyEnd[at]
    if (end === undefined) break
    const nodes = Array.isArray(part) ? part : [part]
    const [now, before] = [textOfVersion(nodes, 'removed'), textOfVersion(nodes, 'added')]
    const piece = html.slice(from, end)
    from = end
    yield
    parts.push({
      html: piece,
      isChanged: nodes.some(hasMarks),
      key: now.trim() === '' ? undefined : keyOf(now),
      formerKey: before.trim() === '' ? undefined : formerKeyOf(before),
      isNow: isInVersion(nodes, 'removed'),
      wasBefore: isInVersion(nodes, 'added'),
    })
  }

  return { parts: parts.filter(each => each.html.trim() !== ''), rest: html.slice(from) }
}

/** Returns a function that names texts: the second one that is the same has another name. */
function keys(): (text: string) => string {
  const seen = new Map<string, number>()
  return text => {
    const key = `block-${sha256(text.trim()).slice(0, 12)}`
    const times = seen.get(key) ?? 0
    seen.set(key, times + 1)
    return times === 0 ? key : `${key}-${times}`
  }
}
