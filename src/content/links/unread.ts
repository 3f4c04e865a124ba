import type { Steps } from '../../lib/slices.ts'
import type { Block } from '../markdown/blocks.ts'
import { isComponent } from '../markdown/components.ts'
import { fencedLine } from '../markdown/containers.ts'
import { htmlTagAt } from '../markdown/html.ts'
import { scanInline } from '../markdown/inline.ts'
import { isKnownTag } from '../markup/tags.ts'
import { issueList, type TreeIssue } from '../text/issues.ts'
import type { Range } from '../text/range.ts'

type Kind = 'container' | 'component' | 'tag' | 'shortcode' | 'snippet' | 'directive' | 'role'

/** Syntax of another tool that a page has, and that is shown as text or not at all. */
export type Unread = { kind: Kind; name: string; line: number }

/** The most of them that are kept of one file. */
const mostUnread = 50
const longestName = 60

/** Finds paragraphs that may have one of the patterns. */
const suspect = /:::|\{[{%a-z]|<[A-Z]|8<-/

/** What each kind looks like; the group is the name. */
const patterns: readonly [Kind, RegExp][] = [
  ['container', /^[ \t>]*:{3,}[ \t]*\{?([A-Za-z][\w-]*)/gm],
  ['component', /(?<!\\)<([A-Z][\w.]*)(?=[\s/>])/g],
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
const isUnread = (kind: Kind, name: string, text: string, at: number): boolean =>
  kind === 'container'
    ? !fencedLine(`:::${name}`)
    : kind === 'component'
      ? !isComponent(name) && htmlTagAt(text, at) !== undefined
      : kind !== 'tag' || !isKnownTag(name)

/** Returns the name of the directive that a block is; undefined for other blocks. */
function directiveOf(block: Block): string | undefined {
  const name = block.kind === 'fence' ? /^\{([\w:.-]+)\}/.exec(block.info)?.[1] : undefined
  return name !== undefined && directives.has(name) ? name : undefined
}

/** Returns a part of a page with blanks in place of code, except for its first backtick. */
function withoutCode(text: string, { start, end }: Range): string {
  let shown = ''
  let at = start
  for (const { kind, start: from, end: to } of scanInline(text, start, end)) {
    if (kind !== 'code' || from < at) continue
    shown += `${text.slice(at, from)}\`${' '.repeat(to - from - 1)}`
    at = to
  }
  return shown + text.slice(at, end)
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
  const add = (kind: Kind, name: string, at: number) => {
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
    const part = text.slice(start, end)
    const isCode =
      block.kind === 'html' && /^<(?:!--|pre\b|script\b|style\b|textarea\b)/i.test(part)
    if (isCode || !suspect.test(part)) continue
    const shown = block.kind === 'html' ? part : withoutCode(text, block.text)

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

/** What each kind is shown as, and what to write instead. */
const sentences: Readonly<Record<Kind, (name: string) => string>> = {
  container: name =>
    `":::${name}" is shown as text. Write one of :::note, :::tip, :::info, :::warning, :::danger, ::: details and ::: code-group.`,
  component: name =>
    `The component <${name}> shows only its content. Write Markdown, or a tag such as {% hint %}.`,
  tag: name =>
    `The tag {% ${name} %} is not known and is shown as text. Write Markdown, or a tag such as {% hint %}.`,
  shortcode: name =>
    `The shortcode "${name}" of Hugo is shown as text. Write Markdown, or a tag such as {% hint %}.`,
  snippet: name =>
    `"${name}" is shown as text. Put the snippet into .gitbook/includes, and write {% include "…" %}.`,
  directive: name =>
    `The directive {${name}} is shown as code. Write Markdown, or a container such as :::note.`,
  role: name =>
    `The role {${name}} is shown as text. Write Markdown, such as [title](page.md#heading) for a link.`,
}

/** Returns sentences about the syntax of other tools in files, each with its path, in steps. */
export function* unreadIssues(
  files: readonly { path: string; unread: readonly Unread[] }[],
): Steps<TreeIssue[]> {
  const issues = issueList()
  for (const [at, { path, unread }] of files.entries()) {
    if (at % 256 === 255) yield
    for (const { kind, name, line } of unread)
      issues.add({ message: sentences[kind](name), path, line })
  }
  return issues.all()
}
