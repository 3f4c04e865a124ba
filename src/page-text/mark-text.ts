import { type MarkedPage, markChanges, type PageVersion } from '../content/changes/mark-changes.ts'
import type { HtmlTargets } from '../content/html/page-html.ts'
import { ownHeading } from '../content/markup/lines.ts'
import { pageTree } from '../content/markup/parse.ts'
import type { MarkupElement } from '../content/markup/tree.ts'
import type { Steps } from '../lib/slices.ts'

/** Two versions of a text as one, look-ups for the targets of both, and the number of changes. */
type MarkedText = Pick<MarkedPage, 'root' | 'notes'> & { changes: number; targets: HtmlTargets }

/**
 * The tree of a page, look-ups for its targets, and the texts of the reusable content that it
 * shows, by path.
 */
type PageText = { tree: PageVersion; targets: HtmlTargets; includes: ReadonlyMap<string, string> }

type Versions = { former: PageText | undefined; later: PageText | undefined }

/** The paths of the file of a page in both versions. */
type Files = { former: string | undefined; later: string | undefined }

/**
 * Marks what changed in the text of a page, and in the reusable content that it shows, in steps.
 * Changes are numbered in reading order. A version without the page is empty. The trees of both
 * become parts of the result.
 */
export function* markText(
  former: PageText | undefined,
  later: PageText | undefined,
  files: Files,
): Steps<MarkedText> {
  const versions = { former, later }
  const before = former?.tree ?? (yield* pageTree(''))
  const after = later?.tree ?? (yield* pageTree(''))
  shareTitle(before.root, after.root)
  yield* tellImagesApart(versions, before.root, files)
  const { root, notes, changes } = yield* markChanges(before, after)
  const included = yield* markIncludes(versions)
  const targets = targetsOfBoth(versions, included)
  const count = included.size === 0 ? changes.length : yield* numbered(root, files.later, targets)

  return { root, notes, changes: count, targets }
}

/**
 * Gives the former version of a text the title of the later one: the title of a page stands above
 * its text.
 */
function shareTitle(former: MarkupElement, later: MarkupElement): void {
  const [was, is] = [ownHeading(former), ownHeading(later)]
  former.nodes = [
    ...(is ? [is] : []),
    ...former.nodes.slice(was ? former.nodes.indexOf(was) + 1 : 0),
  ]
}

type MarkedTree = Pick<MarkedPage, 'root' | 'notes'>

/**
 * Returns the reusable content of a page with marks, by path; none if all of it is the same in both
 * versions.
 */
function* markIncludes({ former, later }: Versions): Steps<Map<string, MarkedTree>> {
  const included = new Map<string, MarkedTree>()
  if (!former || !later) return included
  const paths = [...new Set([...former.includes.keys(), ...later.includes.keys()])]
  const isSame = (path: string): boolean => former.includes.get(path) === later.includes.get(path)
  if (paths.every(isSame)) return included

  for (const path of paths) {
    const [was, is] = [former.includes.get(path) ?? '', later.includes.get(path) ?? '']
    const after = yield* pageTree(is, path)
    if (isSame(path)) {
      included.set(path, after)
      continue
    }

    const before = yield* pageTree(was, path)

    yield* tellImagesApart({ former, later }, before.root, { former: path, later: path })
    included.set(path, yield* markChanges(before, after))
  }

  return included
}

/** Numbers the changes of a text and of what it includes. Returns how many there are. */
function* numbered(
  root: MarkupElement,
  file: string | undefined,
  { include }: Pick<HtmlTargets, 'include'>,
): Steps<number> {
  const seen = new Set<MarkupElement>()
  let count = 0
  function* walk(element: MarkupElement, from: string | undefined): Steps<void> {
    for (const [at, node] of element.nodes.entries()) {
      if (at % 256 === 255) yield
      if (typeof node === 'string') continue
      if (node.attributes['change-id'] !== undefined)
        node.attributes = { ...node.attributes, 'change-id': String(++count) }

      const content =
        node.name === '%include' ? include(from, node.attributes.src ?? '') : undefined
      const inner = content?.tree?.root

      if (inner && !seen.has(inner)) {
        seen.add(inner)
        yield* walk(inner, content.path)
      } else if (node.nodes.length > 0) yield* walk(node, from)
    }
  }

  yield* walk(root, file)

  return count
}

/** The sign before the source of an image of the former version whose file is another one now. */
const formerSign = '\u0001'

/**
 * Changes the sources of the images of a former tree whose files differ, so that they do not count
 * as the same images.
 */
function* tellImagesApart(
  { former, later }: Versions,
  root: MarkupElement,
  files: Files,
): Steps<void> {
  const differs = (source: string): boolean =>
    former?.targets.image(files.former, source)?.src !==
    later?.targets.image(files.later, source)?.src
  const waiting: MarkupElement[] = [root]
  for (let seen = 0, element = waiting.pop(); element; element = waiting.pop()) {
    const { attributes, nodes } = element
    const source = element.name === 'img' ? attributes.src : undefined
    if (source !== undefined && differs(source))
      element.attributes = { ...attributes, src: formerSign + source }
    for (const node of nodes) if (typeof node !== 'string') waiting.push(node)
    if (++seen % 512 === 0) yield
  }
}

/**
 * Returns look-ups for the targets of a page in its later version, and of what it lost in the
 * former one.
 */
function targetsOfBoth(
  { former, later }: Versions,
  included: ReadonlyMap<string, MarkedTree>,
): HtmlTargets {
  const [old, now] = [former?.targets, later?.targets]
  return {
    link: (from, target) => now?.link(from, target) ?? old?.link(from, target),
    image: (from, target) =>
      target.startsWith(formerSign)
        ? old?.image(from, target.slice(formerSign.length))
        : (now?.image(from, target) ?? old?.image(from, target)),
    include: (from, target) => {
      const content = now?.include(from, target) ?? old?.include(from, target)
      return content && { ...content, tree: included.get(content.path) }
    },
  }
}
