import type { Steps } from '../../lib/slices.ts'
import type { Block } from '../markdown/blocks.ts'
import { isComponent } from '../markdown/components.ts'
import { fencedLine } from '../markdown/containers.ts'
import { kindOfTag } from '../markdown/elements.ts'
import { htmlTagAt } from '../markdown/html.ts'
import { isKnownTag } from '../markup/tags.ts'
import { shownText } from './shown-text.ts'

/** The kinds of syntax of other tools. */
export type UnreadKind =
  | 'container'
  | 'component'
  | 'element'
  | 'tag'
  | 'shortcode'
  | 'snippet'
  | 'directive'
  | 'role'

/** Syntax of another tool that a page has, and that is shown as text or not at all. */
export type Unread = { kind: UnreadKind; name: string; line: number }

/** The most of them that are kept of one file. */
const mostUnread = 50
const longestName = 60

/** Finds paragraphs that may have one of the patterns. */
const suspect = /:::|\{[{%a-z]|<[A-Za-z]|8<-/

/** What each kind looks like; the group is the name. */
const patterns: readonly [UnreadKind, RegExp][] = [
  ['container', /^[ \t>]*:{3,}[ \t]*\{?([A-Za-z][\w-]*)/gm],
  ['component', /(?<!\\)<([A-Z][\w.]*)(?=[\s/>])/g],
  ['element', /(?<!\\)<([A-Za-z][A-Za-z0-9-]*)(?=[\s/>])/g],
  ['tag', /^[ \t>]*\{%-?[ \t]*(?!end)([A-Za-z][\w-]*)/gm],
  ['shortcode', /\{\{[<%]-?[ \t]*([A-Za-z][\w./-]*)/g],
  ['snippet', /^[ \t>]*(-+8<-+)/gm],
  ['role', /\{([a-z][\w:+-]*)\}(?=`)/g],
]

/** The directives of Sphinx and MyST that are no languages of code. */
const directives = new Set(
  (
    'admonition attention autoclass autofunction automodule bibliography button-link button-ref card caution ' +
    'code-block code-cell contents csv-table danger deprecated doctest dropdown error eval-rst figure glossary grid ' +
    'grid-item grid-item-card hint image important include index list-table literalinclude margin math note only ' +
    'rubric seealso sidebar tab-item tab-set table tip toctree topic versionadded versionchanged warning'
  ).split(' '),
)

/** Reports whether what a pattern found is nothing that is known. */
const isUnread = (kind: UnreadKind, name: string, text: string, at: number): boolean =>
  kind === 'container'
    ? !fencedLine(`:::${name}`)
    : kind === 'component'
      ? !isComponent(name) && kindAt(text, at) === 'component'
      : kind === 'element'
        ? kindAt(text, at) === 'text'
        : kind !== 'tag' || !isKnownTag(name)

/** Returns the kind of the HTML tag at an offset; undefined where there is none. */
function kindAt(text: string, at: number): ReturnType<typeof kindOfTag> | undefined {
  const tag = htmlTagAt(text, at)
  return tag === undefined ? undefined : kindOfTag(tag)
}

/** Returns the name of the directive that a block is; undefined for other blocks. */
function directiveOf(block: Block): string | undefined {
  const name = block.kind === 'fence' ? /^\{([\w:.-]+)\}/.exec(block.info)?.[1] : undefined
  return name !== undefined && directives.has(name) ? name : undefined
}

/**
 * Returns the syntax of other tools in the blocks of a page, each kind and name once, in steps;
 * undefined for none. Code has none, except for directives, which begin with a fence.
 */
export function* unreadSteps(
  text: string,
  blocks: readonly Block[],
  lineAt: (offset: number) => number,
): Steps<Unread[] | undefined> {
  const found = new Map<string, Unread>()
  const add = (kind: UnreadKind, name: string, at: number) => {
    const key = `${kind} ${name}`
    if (found.size >= mostUnread || found.has(key)) return
    // A copy: a slice would keep the whole text in memory.
    const short = Buffer.from(name.slice(0, longestName)).toString()
    found.set(key, { kind, name: short, line: lineAt(at) })
  }
  let read = 0

  for (const block of blocks) {
    const directive = directiveOf(block)
    if (directive !== undefined) add('directive', directive, block.start)
    if (block.kind !== 'paragraph' && block.kind !== 'html') continue

    const { start, end } = block.text
    const shown = suspect.test(text.slice(start, end)) ? shownText(text, block) : undefined
    if (shown === undefined) continue

    for (const [kind, pattern] of patterns)
      for (const { 0: whole, 1: name = '', index } of shown.matchAll(pattern)) {
        const at = index + whole.search(/\S/)
        if (isUnread(kind, name, shown, at)) add(kind, name, start + at)
      }

    read += end - start
    if (read < 32_768) continue
    read = 0
    yield
  }

  return found.size > 0 ? [...found.values()] : undefined
}
