import type { Steps } from '../../lib/slices.ts'
import { withinLimits } from '../markdown/limits.ts'
import { lineAt, lineStart, type Splice, spliceAll } from '../text/lines.ts'
import type { Range } from '../text/range.ts'
import { addressSplice, type Link, linkSteps, noFindings, resolveLink } from './find.ts'

/**
 * Look-ups for the targets in a text. `fromFile` is the path of the file that contains the target.
 */
type AddressLookups = {
  /**
   * Returns the address of a target, encoded; the target itself if it stays as written, and undefined
   * if it leads nowhere.
   */
  address: (fromFile: string | undefined, target: string) => string | undefined
  /** Returns reusable content, with its path. */
  include: (
    fromFile: string | undefined,
    target: string,
  ) => { path: string; markdown: string } | undefined
}

/**
 * Limits of includes, the same as for HTML: their depth, and the number of included characters per
 * text.
 */
const mostIncludes = 6
export const mostIncluded = 1024 * 1024

type Work = AddressLookups & { room: number }

/**
 * Returns Markdown that can be read without the files of its space, in steps. Replaces each target
 * that is a path with its address, each include tag with its content, and each link that leads
 * nowhere with its words. Preserves everything else byte for byte, such as code and targets with a
 * scheme. Returns a text that is too large to be parsed unchanged.
 */
export function* addressedSteps(
  markdown: string,
  file: string | undefined,
  lookups: AddressLookups,
): Steps<string> {
  const work = { ...lookups, room: mostIncluded }
  return yield* addressed(work, markdown, file, file === undefined ? [] : [file])
}

function* addressed(
  work: Work,
  markdown: string,
  file: string | undefined,
  trail: readonly string[],
): Steps<string> {
  const { links } = yield* withinLimits(linkSteps(markdown), noFindings)
  const splices: Splice[] = []
  let done = 0

  for (const link of links) {
    if (link.raw.start < done) continue
    const found =
      link.tag === 'include'
        ? yield* included(work, markdown, { link, file, trail })
        : readdressed(work, markdown, { link, file })
    splices.push(...found)
    if (link.tag === 'include') done = Math.max(done, found[0]?.end ?? 0)
    yield
  }

  return splices.length === 0 ? markdown : spliceAll(markdown, splices)
}

type FileLink = { link: Link; file: string | undefined }

/** Returns whether a target is a path. Others are addresses already, or anchors of the page. */
const isPath = (target: string): boolean =>
  target !== '' && !target.startsWith('#') && resolveLink('', target).external !== true

/** Tags whose targets are always paths or addresses. */
const leading = /^(?:content-ref|page-ref|embed|file)$/

function readdressed(work: Work, markdown: string, { link, file }: FileLink): Splice[] {
  const target = link.target.trim()
  if (!isPath(target)) return []
  const address = work.address(file, target)
  if (address === target) return []
  if (address !== undefined) return [addressSplice(markdown, link, address)]

  const { inline, how, tag = '' } = link

  if (inline)
    return [
      { start: inline.start, end: inline.text.start, text: '' },
      { start: inline.text.end, end: inline.end, text: '' },
    ]

  // A reader must not learn the name of a file that is hidden from them.
  return how !== 'tag' || leading.test(tag) ? [addressSplice(markdown, link, '#')] : []
}

function* included(
  work: Work,
  markdown: string,
  { link, file, trail }: FileLink & { trail: readonly string[] },
): Steps<Splice[]> {
  const content = work.include(file, link.target)
  work.room -= content ? content.markdown.length + 100 : 0
  if (!content || trail.includes(content.path) || trail.length > mostIncludes || work.room < 0)
    return []
  const text = yield* addressed(work, content.markdown, content.path, [...trail, content.path])
  const start = markdown.lastIndexOf('{%', link.raw.start)
  const end = markdown.indexOf('%}', link.raw.end) + 2
  return [inPlace(markdown, { start, end }, text.replace(/^(?:[ \t]*\r?\n)+|\s+$/g, ''))]
}

/**
 * Matches the text before a tag that stands alone on its line: indentation, and markers of quotes
 * and list items.
 */
const containers = /^[ \t>]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+[ \t>]*)*$/

/**
 * Returns the splice that replaces a tag with a text. The lines of the text continue the quotes and
 * list items around the tag.
 */
function inPlace(markdown: string, tag: Range, text: string): Splice {
  const first = lineStart(markdown, tag.start)
  const line = lineAt(markdown, tag.end)
  const before = markdown.slice(first, tag.start)
  const after = markdown.slice(tag.end, line.end)

  if (!containers.test(before) || after.trim() !== '') {
    const isCell = before.includes('|') || after.includes('|')
    return {
      ...tag,
      text: isCell ? text.replace(/\s*[\r\n]+\s*/g, ' ').replace(/(?<!\\)\|/g, '\\|') : text,
    }
  }

  const edge = before.replace(/[^>\s]/g, ' ')
  const lines = text
    .split(/\r\n?|\n/)
    .map((each, index) => (index === 0 ? each : each.trim() === '' ? edge.trimEnd() : edge + each))
  const eol = markdown.includes('\r\n') ? '\r\n' : '\n'

  // Adjacent tags are separate blocks, but adjacent lines of text are one paragraph: blank lines
  // keep them apart.
  const above = isApart(lineBefore(markdown, first)) || /[^>\s]/.test(before) ? [] : ['']
  const below = isApart(markdown.slice(line.next, lineAt(markdown, line.next).end))
    ? []
    : [edge.trimEnd()]
  const [top = '', ...rest] = lines
  const whole = above.length > 0 ? [...above, edge + top, ...rest] : lines

  return { ...tag, text: [...whole, ...below].join(eol) }
}

/** Returns whether a line is blank or has only markers of quotes, so that it ends a paragraph. */
const isApart = (line: string): boolean => /^[ \t>]*$/.test(line)

function lineBefore(markdown: string, start: number): string {
  if (start === 0) return ''
  const end = markdown[start - 1] === '\n' && markdown[start - 2] === '\r' ? start - 2 : start - 1
  return markdown.slice(lineStart(markdown, end), end)
}
