import { matchContainers, nextLine, peek } from './block-lines.ts'
import {
  add,
  type Context,
  closeLeaf,
  endTo,
  openLeaf,
  type Scan,
  type Started,
} from './block-scan.ts'
import { componentTag, startsComponent } from './components.ts'
import {
  type ContainerLine,
  deepestIndented,
  fencedLine,
  indentation,
  indentedLine,
  isFencedEnd,
} from './containers.ts'

/** Adds the title of a container; its line alone shows nothing. */
function addTitle(scan: Scan, { kind, title }: ContainerLine): void {
  if (scan.stack.length > 0) scan.stack.at(-1)!.empty = false
  if (kind === 'code-group' || title.start === title.end) return
  const at = scan.next
  add(scan, { kind: 'paragraph', titleOf: kind }, at + title.start, at + title.end)
}

/** Starts or ends a container with lines of colons. */
export function startFenced(scan: Scan, rest: string, { depth }: Context): Started {
  const found = fencedLine(rest)
  const ends = !found && scan.fenced > 0 && isFencedEnd(rest)
  if (!found && !ends) return null
  endTo(scan, depth)
  if (found) addTitle(scan, found)
  scan.fenced += found ? 1 : -1
  return 'done'
}

/** Opens a container whose lines are indented by a number of columns. */
function openIndented(scan: Scan, width: number): void {
  scan.indented.push(scan.stack.length)
  scan.stack.push({ kind: 'indented', width, block: -2, empty: false })
}

/** Reports whether no further container with an indented content may be opened at a depth. */
const isDeep = (scan: Scan, depth: number): boolean =>
  scan.indented.filter(at => at < depth).length >= deepestIndented

/** Starts a container with an indented content. */
export function startIndented(scan: Scan, rest: string, { depth }: Context): Started {
  const found = indentedLine(rest)
  if (!found || isDeep(scan, depth)) return null
  if (found.mayBeText && indentBelow(lookAhead(scan, depth)) < indentation) return null
  endTo(scan, depth)
  addTitle(scan, found)
  openIndented(scan, indentation)
  return 'done'
}

/** Returns a scan that reads ahead within the containers up to a depth. */
const lookAhead = (scan: Scan, depth: number): Scan => ({
  ...scan,
  stack: scan.stack.slice(0, depth).map(each => ({ ...each, empty: false })),
})

/** Moves to the next line. Returns false if it is not in all containers, or there is none. */
function goOn(ahead: Scan): boolean {
  if (ahead.line.next >= ahead.source.length) return false
  nextLine(ahead)
  return matchContainers(ahead) >= ahead.stack.length
}

/** Returns by how many columns the next line that is not blank is indented; -1 without one. */
function indentBelow(ahead: Scan): number {
  while (goOn(ahead)) if (!peek(ahead)) return ahead.nextColumn - ahead.column
  return -1
}

/** Starts the tag of a component. What is indented below it is a container. */
export function startComponent(scan: Scan, rest: string, { depth }: Context): Started {
  if (!startsComponent(rest)) return null
  const ahead = lookAhead(scan, depth)
  const tag = componentTag(rest, () =>
    goOn(ahead) && !peek(ahead) ? ahead.source.slice(ahead.next, ahead.line.end) : undefined,
  )
  if (!tag) return null

  const { end } = ahead.line
  const indent = scan.nextColumn - scan.column
  const below = tag.opens && !isDeep(scan, depth) ? indentBelow(ahead) : 0
  endTo(scan, depth)
  openLeaf(scan, { kind: 'html' }, scan.next, scan.line.end, {
    tag: { end, width: below > indent ? below : 0 },
  })
  endComponentTag(scan)

  return 'done'
}

/** Closes the tag of a component at its last line, and opens its content. */
export function endComponentTag(scan: Scan): void {
  const tag = scan.leaf?.tag
  if (!tag || scan.line.end < tag.end) return
  closeLeaf(scan)
  if (tag.width > 0) openIndented(scan, tag.width)
}
