import { sha256 } from '../../lib/digest.ts'
import type { Steps } from '../../lib/slices.ts'
import { blocksAndLines, ownHeading } from '../markup/lines.ts'
import { pageTree } from '../markup/parse.ts'
import type { MarkupElement, MarkupNode } from '../markup/tree.ts'
import { textOfVersion } from './one-version.ts'

/** What a comment can stand at besides a whole page: a block as readers see it, or a line of the source. */
export type Named = 'block' | 'line'

/** The name of a block or line: `line-` and the start of its digest, with a number from the second one on. */
const nameOfText = /^(block|line)-[0-9a-f]{12}(?:-[1-9]\d{0,6})?$/

/** Returns what a name is one of; undefined for another one, such as the anchor of a heading. */
export const kindOfName = (name: string): Named | undefined =>
  nameOfText.exec(name)?.[1] as Named | undefined

/**
 * Returns a function that names texts: the second one that is the same has another name. A text keeps its name where
 * others around it change.
 */
export function textNames(kind: Named): (text: string) => string {
  const seen = new Map<string, number>()
  return text => {
    const name = `${kind}-${sha256(text.trim()).slice(0, 12)}`
    const times = seen.get(name) ?? 0
    seen.set(name, times + 1)
    return times === 0 ? name : `${name}-${times}`
  }
}

/** Returns the parts of a page that comments can stand at: what follows its title, as blocks and lines of words. */
export function blockParts(root: MarkupElement): (MarkupElement | MarkupNode[])[] {
  const title = ownHeading(root)
  return [...blocksAndLines(title ? root.nodes.slice(root.nodes.indexOf(title) + 1) : root.nodes)]
}

/** Returns the names of the blocks or the lines of a page as it is written, without what it includes. */
export function* namesInText(markdown: string, kind: Named): Steps<Set<string>> {
  const nameOf = textNames(kind)
  const names = new Set<string>()
  if (kind === 'line') {
    for (const [at, line] of markdown.split(/\r\n|\r|\n/).entries()) {
      if (line.trim() !== '') names.add(nameOf(line))
      if (at % 1024 === 1023) yield
    }
    return names
  }

  const { root } = yield* pageTree(markdown)
  for (const part of blockParts(root)) {
    const text = textOfVersion(Array.isArray(part) ? part : [part], 'removed')
    if (text.trim() !== '') names.add(nameOf(text))
    yield
  }
  return names
}
