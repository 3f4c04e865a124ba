import { componentTag, startsComponent } from '../markdown/components.ts'
import {
  type ContainerLine,
  deepestIndented,
  fencedLine,
  indentation,
  indentedLine,
  isContentsLine,
  isFencedEnd,
  isModuleLine,
  nameAsTitle,
  styleOf,
} from '../markdown/containers.ts'
import { type BlockState, type newGrammar, pushParagraph } from '../markdown/grammar.ts'
import { plainText } from '../markdown/plain-text.ts'
import type { PageTag } from './tags.ts'

/** What the parser remembers of the containers that are open at a line. */
type Remembered = { containers?: string[]; indented?: number; mdx?: boolean }

/**
 * The lines of a container that are indented by `width` columns. `finish` adds what ends it, and
 * returns the content of the next container of the group.
 */
type Content = { from: number; end: number; width: number; finish: () => Content | undefined }

/** A content that is being read, and the state of the parser around it. */
type Entered = Content & Pick<BlockState, 'blkIndent' | 'lineMax'>

/** The state of a parser that reads the content of containers itself, block by block. */
export type Stepping = BlockState & { entered?: Entered[] }

function pushTag(state: BlockState, line: number, tag: Partial<PageTag> & { name: string }): void {
  const token = state.push('tag', '', 0)
  token.map = [line, line + 1]
  token.meta = { closes: false, start: 0, end: 0, attributes: {}, raw: '', ...tag }
}

function pushHtml(state: BlockState, line: number, html: string): void {
  const token = state.push('html_block', '', 0)
  token.map = [line, line + 1]
  token.content = html
}

/** Opens a container. Returns the name of what has to be closed. */
function open(state: BlockState, line: number, found: ContainerLine, raw: string): string {
  const given = raw.slice(found.title.start, found.title.end)
  const title = given.trim() || nameAsTitle(found, raw)

  if (found.kind === 'hint') {
    pushTag(state, line, { name: 'hint', attributes: { style: styleOf(found.hint) }, raw })
    if (title !== '') pushParagraph(state, `**${title}**`, line, line + 1)
    return 'hint'
  }

  if (found.kind === 'details') {
    pushHtml(state, line, `<details${found.isOpen ? ' open' : ''}>\n<summary>`)
    const words = state.push('inline', '', 0)
    words.map = [line, line + 1]
    words.content = title
    words.children = []
    pushHtml(state, line, '</summary>\n')
    return 'details'
  }

  if (found.kind === 'code-group') {
    pushTag(state, line, { name: 'tabs', attributes: { codes: 'true' }, raw })
    return 'tabs'
  }

  // Links in a title would have no place: it is a button.
  pushTag(state, line, { name: 'tab', attributes: { title: plainText(given) } })

  return 'tab'
}

function close(state: BlockState, line: number, name: string, raw = ''): void {
  if (name === 'details') pushHtml(state, line, '</details>\n')
  else pushTag(state, line, { name, closes: true, raw })
}

const lineOf = (state: BlockState, line: number): string =>
  state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line])

const isCode = (state: BlockState, line: number): boolean =>
  state.sCount[line]! - state.blkIndent >= 4

/** Reads a line of colons that opens a container, or closes one. */
function readFenced(state: BlockState, from: number, _to: number, silent: boolean): boolean {
  if (!state.src.startsWith(':::', state.bMarks[from]! + state.tShift[from]!)) return false
  if (isCode(state, from)) return false
  const env = state.env as Remembered
  const raw = lineOf(state, from)
  const found = fencedLine(raw)
  const ends = isFencedEnd(raw) ? env.containers?.at(-1) : undefined
  if (!found && ends === undefined) return false
  if (silent) return true

  env.containers ??= []
  if (found) env.containers.push(open(state, from, found, raw))
  else {
    env.containers.pop()
    close(state, from, ends ?? '', raw)
  }

  state.line = from + 1

  return true
}

/** Returns the line after the lines that are indented below a line. */
function endOfIndented(state: BlockState, from: number, to: number, width = indentation): number {
  // A line that ends a list item is indented less than the content of the item.
  const indent = Math.min(state.blkIndent, state.sCount[from]!) + width
  let end = from + 1
  for (let line = from + 1; line < to; line++) {
    if (state.isEmpty(line)) continue
    if (state.sCount[line]! < indent) break
    end = line + 1
  }
  return end
}

function enter(state: BlockState, content: Content): Entered {
  const { blkIndent, lineMax } = state
  const env = state.env as Remembered
  env.indented = (env.indented ?? 0) + 1
  state.blkIndent += content.width
  state.lineMax = content.end
  return { ...content, blkIndent, lineMax }
}

function leave(state: BlockState, { blkIndent, lineMax, end, finish }: Entered) {
  const env = state.env as Remembered
  env.indented = (env.indented ?? 1) - 1
  state.blkIndent = blkIndent
  state.lineMax = lineMax
  state.line = end
  return finish()
}

/** Reads the content of a container, unless the parser does so in steps. */
function readContent(state: Stepping, first: Content): void {
  if (state.entered && state.level === 0) {
    state.entered.push(enter(state, first))
    state.line = first.from
    return
  }

  for (let next: Content | undefined = first; next; ) {
    const entered = enter(state, next)
    state.md.block.tokenize(state, entered.from, entered.end)
    next = leave(state, entered)
  }
}

/** Leaves the content of a container whose lines are read. Returns whether there was one. */
export function leaveContent(state: Stepping): boolean {
  const last = state.entered?.pop()
  if (!last) return false
  const next = leave(state, last)
  if (next) readContent(state, next)
  return true
}

/** Returns the content of a tab; at its end, the tab after it is opened, or the group is closed. */
function tabContent(state: BlockState, from: number, to: number): Content {
  const end = endOfIndented(state, from, to)
  const finish = (): Content | undefined => {
    close(state, end - 1, 'tab')
    const next = state.skipEmptyLines(end)
    const raw = next < to && !isCode(state, next) ? lineOf(state, next) : ''
    const found = state.sCount[next]! < state.blkIndent ? undefined : indentedLine(raw)

    // `===!` begins another group.
    if (found?.kind !== 'tab' || raw.startsWith('===!')) {
      close(state, end - 1, 'tabs')
      return undefined
    }

    open(state, next, found, raw)

    return tabContent(state, next, to)
  }

  return { from: from + 1, end, width: indentation, finish }
}

/** Reads a hint, details or the tabs of a group, with the indented lines below their lines. */
function readIndented(state: BlockState, from: number, to: number, silent: boolean): boolean {
  if (!/[!?=]/.test(state.src.charAt(state.bMarks[from]! + state.tShift[from]!))) return false
  if (isCode(state, from)) return false
  if (((state.env as Remembered).indented ?? 0) >= deepestIndented) return false
  const raw = lineOf(state, from)
  const found = indentedLine(raw)
  if (!found) return false
  if (found.mayBeText && endOfIndented(state, from, to) === from + 1) return false
  if (silent) return true

  if (found.kind === 'tab') {
    pushTag(state, from, { name: 'tabs' })
    open(state, from, found, raw)
    readContent(state, tabContent(state, from, to))
    return true
  }

  const end = endOfIndented(state, from, to)
  const closes = open(state, from, found, raw)
  const finish = () => {
    close(state, end - 1, closes)
    return undefined
  }

  readContent(state, { from: from + 1, end, width: indentation, finish })

  return true
}

/** Reads the tag of a component, with what is indented below it. */
function readComponent(state: BlockState, from: number, to: number, silent: boolean): boolean {
  if (!startsComponent(lineOf(state, from)) || isCode(state, from)) return false
  const least = Math.min(state.blkIndent, state.sCount[from]!)
  let last = from
  const tag = componentTag(lineOf(state, from), () => {
    last++
    const isInside = last < to && !state.isEmpty(last) && state.sCount[last]! >= least
    return isInside ? lineOf(state, last) : undefined
  })
  if (!tag) return false
  if (silent) return true

  pushHtml(state, from, tag.text)
  state.line = last + 1
  const isDeep = ((state.env as Remembered).indented ?? 0) >= deepestIndented
  const first = state.skipEmptyLines(last + 1)
  const width = first < to ? state.sCount[first]! - state.blkIndent : 0
  if (!tag.opens || isDeep || width <= state.sCount[from]! - state.blkIndent) return true

  const end = endOfIndented(state, last, to, width)
  readContent(state, { from: last + 1, end, width, finish: () => undefined })

  return true
}

/** Leaves out a line that stands for a list of the headings. */
function skipContents(state: BlockState, from: number, _to: number, silent: boolean): boolean {
  if (silent || isCode(state, from) || !isContentsLine(lineOf(state, from))) return false
  state.line = from + 1
  return true
}

/** Leaves out the lines of MDX that import components, and its comments. */
function skipModule(state: BlockState, from: number, _to: number, silent: boolean): boolean {
  const line = lineOf(state, from)
  if (silent || !(state.env as Remembered).mdx || isCode(state, from) || !isModuleLine(line))
    return false
  state.line = from + 1
  return true
}

/**
 * Adds the blocks of Docusaurus, VitePress, Starlight, Mintlify and Material for MkDocs to a
 * grammar: hints, details, tabs, groups of code, and the tags of components.
 */
export function useContainers({ block: { ruler } }: ReturnType<typeof newGrammar>): void {
  const interrupting = { alt: ['paragraph', 'reference', 'blockquote', 'list'] }
  ruler.before('code', 'fenced-container', readFenced, interrupting)
  ruler.before('code', 'indented-container', readIndented, interrupting)
  ruler.before('code', 'component', readComponent, interrupting)
  ruler.before('code', 'contents', skipContents)
  ruler.before('code', 'module', skipModule)
}
