import type { Range } from '../text/range.ts'

/** The styles of hints by the names that other tools give them. */
const styles: ReadonlyMap<string, string> = new Map(
  Object.entries({
    info: 'note info todo important seealso abstract summary tldr example quote cite question help faq',
    success: 'tip hint success check done',
    warning: 'warning caution attention',
    danger: 'danger error failure fail missing bug',
  }).flatMap(([style, names]) => names.split(' ').map(name => [name, style] as const)),
)

/** Returns the style of a hint by its name. */
export const styleOf = (name: string): string => styles.get(name) ?? 'info'

/** Containers with an indented content that are nested more deeply are read as text. */
export const deepestIndented = 12

/** By how many columns the content of a container is indented. */
export const indentation = 4

/**
 * A line that begins a container. `title` is the range of its title in the line, empty for none.
 * `hint` is the name of a hint.
 */
export type ContainerLine = { title: Range; isOpen: boolean } & (
  | { kind: 'hint'; hint: string }
  | { kind: 'details' | 'code-group' | 'tab'; hint?: undefined }
)

/**
 * A line that begins a container with an indented content. `mayBeText`: without content, it is
 * text.
 */
type IndentedLine = ContainerLine & { mayBeText: boolean }

const fenced = /^:{3,}[ \t]*\{?([A-Za-z][\w-]*)\}?[ \t]*(?:\[([^\]]*)\])?(.*)$/s
const fenceEnd = /^:{3,}[ \t]*$/

const noTitle: Range = { start: 0, end: 0 }

/** Returns the range of a part of a line without the spaces around it. */
function trimmed(line: string, start: number, end: number): Range {
  const text = line.slice(start, end)
  const from = start + text.length - text.trimStart().length
  return { start: from, end: Math.max(from, start + text.trimEnd().length) }
}

/** Returns the range of a title up to the options in braces at its end. */
function withoutOptions(line: string, start: number): Range {
  const text = line.slice(start).trimEnd()
  const at = text.endsWith('}') ? text.indexOf('{') : -1
  return trimmed(line, start, start + (at === -1 ? text.length : at))
}

/** Reports whether a line closes the container that a line of colons opened. */
export const isFencedEnd = (line: string): boolean => fenceEnd.test(line)

/**
 * Reads a line such as `:::note[Title]`, `::: tip Title` or `::: details Title`. Returns undefined
 * for other lines, such as those with names that are not known.
 */
export function fencedLine(line: string): ContainerLine | undefined {
  const found = fenced.exec(line)
  if (!found) return undefined
  const [whole, name = '', bracketed, rest = ''] = found
  const hint = name.toLowerCase()
  const at = whole.length - rest.length
  const title =
    bracketed === undefined
      ? withoutOptions(line, at)
      : trimmed(line, at - 1 - bracketed.length, at - 1)
  const isOpen = /\{open\}/.test(rest)

  if (hint === 'details') return { kind: 'details', title, isOpen }
  if (hint === 'code-group') return { kind: 'code-group', title: noTitle, isOpen }
  return styles.has(hint) ? { kind: 'hint', hint, title, isOpen } : undefined
}

const indented = /^(!!!|\?\?\?\+?)[ \t]+(?![ \t])([^"]*)(?:"(.*)")?$/s
/** Words of a hint: the kind, and how it looks. */
const hintWords = /^[\w-]+(?:[ \t]+[\w-]+)*$/
const tabLine = /^===[!+]?[ \t]+"(.*)"[ \t]*$/

const capital = (name: string): string => name.replace(/^./, first => first.toUpperCase())

/** Names whose style does not say what they are: without a title, the name is the title. */
const telling = /^(?:todo|abstract|summary|tldr|example|quote|question|help|faq|bug)$/

/** Returns what stands for the title of a container that has none. */
export function nameAsTitle(line: ContainerLine, raw: string): string {
  if (line.kind === 'hint') return telling.test(line.hint) ? capital(line.hint) : ''
  const name = /^\?\?\?\+?[ \t]+([\w-]+)/.exec(raw)?.[1]
  return name === undefined ? 'Details' : capital(name.toLowerCase())
}

/**
 * Reads a line such as `!!! note "Title"`, `??? note "Title"` or `=== "Title"`. Returns undefined for
 * other lines.
 */
export function indentedLine(line: string): IndentedLine | undefined {
  const text = line.trimEnd()
  const tab = tabLine.exec(text)
  if (tab) {
    const title = { start: text.length - 1 - tab[1]!.length, end: text.length - 1 }
    return { kind: 'tab', title, isOpen: false, mayBeText: false }
  }

  const [whole, sign = '', given = '', quoted = ''] = indented.exec(text) ?? []
  const names = given.trim()
  if (whole === undefined || !(hintWords.test(names) || (names === '' && quoted !== '')))
    return undefined

  const name = names.split(/[ \t]/)[0]!.toLowerCase()
  const title =
    quoted === '' ? noTitle : { start: text.length - 1 - quoted.length, end: text.length - 1 }
  const more = { title, isOpen: sign.endsWith('+'), mayBeText: !styles.has(name) }

  if (sign !== '!!!') return { kind: 'details', ...more }

  return { kind: 'hint', hint: name === 'details' ? 'note' : name, ...more }
}

/** Reports whether a path has the extension of an MDX file: Markdown with components. */
export const isMdx = (path: string | undefined): boolean => /\.mdx$/i.test(path ?? '')

const importing =
  /^import[ \t]+(?![ \t])[\w$*{},\s]{1,500}[ \t]from[ \t]+["'][^"']{1,300}["'];?[ \t]*$/
const importingAll = /^import[ \t]+["'][^"']{1,300}["'];?[ \t]*$/
const jsxComment = /^\{\/\*.*\*\/\}[ \t]*$/

/** Reports whether a line of MDX imports a component or is a comment. */
export const isModuleLine = (line: string): boolean =>
  importing.test(line) || importingAll.test(line) || jsxComment.test(line)

/** Reports whether a line stands for a list of the headings, which every page has beside it. */
export const isContentsLine = (line: string): boolean => /^\[(?:\[toc\]|TOC)\][ \t]*$/i.test(line)
