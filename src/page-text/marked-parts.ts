import { hasMarks, isInVersion, textOfVersion } from '../content/changes/one-version.ts'
import { blockParts, textNames } from '../content/changes/text-names.ts'
import type { PageHtml } from '../content/html/page-html.ts'
import type { MarkupElement } from '../content/markup/tree.ts'
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

/**
 * Returns the blocks of a page with marks, with their HTML, and the HTML after the last one.
 * `written` is the page as it was written with `allEnds`.
 */
export function* markedParts(
  root: MarkupElement,
  { html, everyEnd }: Pick<PageHtml, 'html' | 'everyEnd'>,
): Steps<{ parts: MarkedPart[]; rest: string }> {
  const keyOf = textNames('block')
  const formerKeyOf = textNames('block')
  const parts: MarkedPart[] = []
  let from = 0

  for (const [at, part] of blockParts(root).entries()) {
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
