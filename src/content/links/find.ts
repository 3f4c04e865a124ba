import { atOnce, type Steps } from '../../lib/slices.ts'
import { linksToItself } from '../markdown/anchor.ts'
import { type Block, blockSteps } from '../markdown/blocks.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { type Inline, scanInline } from '../markdown/inline.ts'
import { withinLimits } from '../markdown/limits.ts'
import { formatTarget, unescapeText } from '../markdown/plain-text.ts'
import { piecesOf } from '../markdown/table-cells.ts'
import { findTags, quotedArgument, tagAttributes } from '../markdown/tags.ts'
import type { Splice } from '../text/lines.ts'
import type { Range } from '../text/range.ts'

/**
 * A link in a source: `raw` is the target as written, without quotes or `<>`, `target` the same
 * target unescaped.
 */
export type Link = {
  raw: Range
  target: string
  how: 'md-link' | 'md-image' | 'definition' | 'html-attr' | 'tag' | 'front-matter' | 'autolink'
  /** The name of the tag that the link is an attribute of. */
  tag?: string
  /** The ranges of a Markdown link or image and of its words. */
  inline?: Inline
}

/**
 * A block that shows a spec of the organization. The slug is not a target, so moves do not rewrite
 * it.
 */
type SpecUse = { at: number; slug: string }

const attribute = /\s(?:href|src|srcset|poster)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/gi
const definition = /^\[(?!\^)(?:[^[\]\\]|\\.)+\]:[ \t]*(?:<([^<>\r\n]*)>|([^\s<]\S*))/gm
const cover =
  /^(?:cover|coverDark):[ \t]+(?:"([^"\r\n]*)"|'([^'\r\n]*)'|([^\s"'#>|&*{[][^\r\n]*))/gm

const metaLinks = /^metaLinks:[ \t]*\r?\n(?:[ \t]+\S.*(?:\r?\n|$))+/m
const metaLink =
  /^[ \t]+(?:canonical:|-)[ \t]+(?:"([^"\r\n]*)"|'([^'\r\n]*)'|([^\s"'#>|&*{[][^\r\n]*))/gm

/** Returns the first group of a match that is not empty, and its offset in the searched text. */
function part(found: RegExpExecArray): { text: string; at: number } | null {
  const text = found.slice(1).find(group => group !== undefined)
  if (!text) return null
  return { text: text.trimEnd(), at: found.index + found[0].lastIndexOf(text) }
}

type Finding = { markdown: string; links: Link[]; specs: SpecUse[] }

function search(finding: Finding, pattern: RegExp, range: Range, how: Link['how']): void {
  const source = finding.markdown.slice(range.start, range.end)
  for (const found of source.matchAll(pattern)) {
    const hit = part(found)
    if (!hit) continue
    const start = range.start + hit.at
    const target = how === 'front-matter' ? hit.text : unescapeText(hit.text)
    finding.links.push({ raw: { start, end: start + hit.text.length }, target, how })
  }
}

/** Attributes of tags whose values are targets. */
const targetNames = new Set(['url', 'src', 'page'])

function searchTags({ markdown, links, specs }: Finding, range: Range): void {
  const source = markdown.slice(range.start, range.end)
  if (!source.includes('{%')) return
  const add = (tag: string, target: string, { start, end }: Range) =>
    links.push({
      raw: { start: range.start + start, end: range.start + end },
      target,
      how: 'tag',
      tag,
    })

  for (const tag of findTags(source)) {
    if (tag.closes) continue
    const file = tag.name === 'include' ? quotedArgument(source, tag) : undefined
    if (file) add(tag.name, file.value, file.raw)

    for (const { name, value, raw } of tagAttributes(source, tag)) {
      if (value === '') continue
      if (targetNames.has(name)) add(tag.name, value, raw)
      if (name === 'spec' && tag.name.startsWith('openapi'))
        specs.push({ at: range.start + tag.start, slug: value })
    }
  }
}

function inParagraph(finding: Finding, range: Range): void {
  const { markdown, links } = finding
  let plain = range.start
  const inlines = scanInline(markdown, range.start, range.end)

  for (const inline of inlines) {
    const { kind, target, start, end, text: inside } = inline
    if ((kind === 'link' || kind === 'image') && target) {
      const text = unescapeText(markdown.slice(target.start, target.end))
      links.push({
        raw: target,
        target: text,
        how: kind === 'link' ? 'md-link' : 'md-image',
        inline,
      })
    } else if (kind === 'html') {
      if (!linksToItself(markdown.slice(start, end)))
        search(finding, attribute, { start, end }, 'html-attr')
    }

    if (kind === 'autolink') {
      const address = markdown.slice(inside.start, inside.end)
      const isMail = !/^[a-z][a-z0-9+.-]*:/i.test(address)
      links.push({ raw: inside, target: isMail ? `mailto:${address}` : address, how: 'autolink' })
    }

    if (kind === 'code') {
      searchTags(finding, { start: plain, end: start })
      plain = end
    }
  }

  searchTags(finding, { start: plain, end: range.end })
  if (markdown[range.start] === '[') search(finding, definition, range, 'definition')
}

function inHtml(finding: Finding, range: Range): void {
  const source = finding.markdown.slice(range.start, range.end)
  if (/^<(?:!--|pre\b|script\b|style\b|textarea\b)/i.test(source)) return
  search(finding, attribute, range, 'html-attr')
  searchTags(finding, range)
}

function inFrontMatter(finding: Finding, yaml: Range): void {
  search(finding, cover, yaml, 'front-matter')
  const meta = metaLinks.exec(finding.markdown.slice(yaml.start, yaml.end))
  if (!meta) return
  const start = yaml.start + meta.index
  search(finding, metaLink, { start, end: start + meta[0].length }, 'front-matter')
}

/** The links and the specs of a page, each in order, and the blocks of the page. */
type Findings = { links: Link[]; specs: SpecUse[]; blocks: Block[] }

/** The findings of a file that is too large to be parsed. */
export const noFindings: Findings = { links: [], specs: [], blocks: [] }

/** The number of characters between two yields to the event loop. */
const portion = 32_768

/**
 * Finds the links of a page in steps: links and images, definitions, `href` and `src`, attributes
 * of tags, and the targets in front matter, but nothing in code. Linear in the page. Throws
 * 'too_large' for a page that is too large to be parsed.
 */
export function* linkSteps(markdown: string): Steps<Findings> {
  const finding: Finding = { markdown, links: [], specs: [] }
  const { yaml, body } = splitFrontMatter(markdown)
  if (yaml) inFrontMatter(finding, yaml)

  const blocks = yield* blockSteps(markdown, body)
  let read = 0
  const isPortion = ({ start, end }: Range) => {
    read += end - start
    if (read < portion) return false
    read = 0
    return true
  }

  for (const block of blocks) {
    const { kind, text } = block
    // The title of a tab is shown as plain text.
    if (kind === 'paragraph' && block.titleOf === 'tab') continue
    if (kind === 'paragraph' || kind === 'heading')
      for (const piece of piecesOf(markdown, text)) {
        inParagraph(finding, piece)
        if (isPortion(piece)) yield
      }
    else {
      if (kind === 'html') inHtml(finding, text)
      if (isPortion(text)) yield
    }
  }

  finding.links.sort((a, b) => a.raw.start - b.raw.start || b.raw.end - a.raw.end)

  return { links: finding.links, specs: finding.specs, blocks }
}

/**
 * Returns the links of a page in order. Throws 'too_large' for a page that is too large to be
 * parsed.
 */
export const findLinks = (markdown: string): Link[] => atOnce(linkSteps(markdown)).links

/** Returns the links of a file that came with Git: none if it is too large to be parsed. */
export const findLinksOfAny = (markdown: string): Link[] =>
  atOnce(withinLimits(linkSteps(markdown), noFindings)).links

const percent = (text: string): string =>
  text.replace(/./gsu, char => (/[\s<>()%"'\\#?]/.test(char) ? encoded(char) : char))

const encoded = (char: string): string =>
  /['()]/.test(char)
    ? `%${char.charCodeAt(0).toString(16).toUpperCase()}`
    : encodeURIComponent(char)

/** Reports whether YAML would read an unquoted text as something other than this string. */
const isMarked = (text: string): boolean =>
  /^[[\]{},&*!|>'"%@`#~?-]/.test(text) || /^(?:null|true|false|[\d.+-][\d.eE+_-]*)$/i.test(text)

/** A new target as text, and how many characters around the old target it replaces. */
type Spelling = { text: string; edge: number }

/** Returns a new target as it has to be written in place of the old one. */
function spell(markdown: string, link: Link, named: string, tail: string): Spelling {
  const old = markdown.slice(link.raw.start, link.raw.end)
  // A number sign in a file name would begin the fragment.
  const path = tail === '' ? named : named.replace(/#/g, encoded)
  const target = path + tail
  const isQuoted = /["']/.test(markdown[link.raw.end] ?? '')
  if (link.how === 'tag') return { text: spellInTag(target, isQuoted), edge: 0 }
  if (link.how === 'front-matter') return { text: spellInYaml(target, isQuoted), edge: 0 }
  if (link.how === 'html-attr') return { text: spellInHtml(target, old, isQuoted), edge: 0 }

  const angle = markdown[link.raw.start - 1] === '<' && markdown[link.raw.end] === '>'
  if (angle) return { text: formatTarget(target, true), edge: 1 }
  if (/%[0-9A-Fa-f]{2}/.test(tail === '' ? old : old.replace(/[?#].*$/s, '')))
    return { text: formatTarget(percent(named) + tail), edge: 0 }

  const raw = formatTarget(target)
  const text = !raw.startsWith('<') && old.includes('\\_') ? raw.replace(/(?<!\\)_/g, '\\_') : raw

  return { text, edge: 0 }
}

const spellInTag = (target: string, isQuoted: boolean): string =>
  target.replace(/&(?=#?\w+;)/g, '&amp;').replace(isQuoted ? /["'\r\n]/g : /[\s"'<>=`]/g, encoded)

function spellInYaml(target: string, isQuoted: boolean): string {
  const text = target.replace(isQuoted ? /["'\r\n]/g : /[\r\n:]|\s(?=#)/g, encoded)
  return isQuoted || !isMarked(text) ? text : `'${text.replace(/'/g, encoded)}'`
}

function spellInHtml(target: string, old: string, isQuoted: boolean): string {
  const amp = old.includes('&#x26;') ? '&#x26;' : '&amp;'
  const safe = target.replace(/&/g, amp).replace(/"/g, '&quot;').replace(/'/g, '&#39;')
  return isQuoted ? safe : safe.replace(/[\s<>=`]/g, percent)
}

/**
 * Returns the Markdown with the target of one link replaced by `target` (not encoded), spelled as
 * the old one was: `<>`, percent encoding and escapes stay. `tail` (a query, a fragment) is
 * appended unchanged. Rewrite several links from the last to the first.
 */
export function rewriteLink(markdown: string, link: Link, target: string, tail = ''): string {
  const { text, edge } = spell(markdown, link, target, tail)
  return markdown.slice(0, link.raw.start - edge) + text + markdown.slice(link.raw.end + edge)
}

/** Returns the splice that replaces the target of a link with an encoded address. */
export function addressSplice(markdown: string, link: Link, address: string): Splice {
  const { text, edge } = spell(markdown, link, '', address)
  return { start: link.raw.start - edge, end: link.raw.end + edge, text }
}

/** A target resolved against a file: candidate paths in the order in which to try them. */
type Resolved = {
  candidates: string[]
  fragment?: string
  external?: boolean
  escapes?: boolean
}

function normalise(folder: string, path: string): string | null {
  const out: string[] = path.startsWith('/') ? [] : folder.split('/').filter(part => part !== '')
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') out.push(part)
    else if (out.pop() === undefined) return null
  }
  return out.join('/') + (/(?:^|\/)\.{0,2}$/.test(path) && out.length > 0 ? '/' : '')
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/**
 * Resolves a target against the folder of the file that contains it; all paths are relative to the
 * content root. A directory keeps its final slash; the root itself is ''. Candidates: the whole
 * target verbatim (a name may contain `#`), without its fragment, percent-decoded, without its
 * query. `escapes` is set when the target leaves the root.
 */
export function resolveLink(fromPath: string, target: string): Resolved {
  if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(target) || target.startsWith('//'))
    return { candidates: [], external: true }
  const hash = target.indexOf('#')
  const path = hash === -1 ? target : target.slice(0, hash)
  const fragment = hash === -1 ? {} : { fragment: target.slice(hash + 1) }
  if (path === '') return { candidates: hash === -1 ? [] : [fromPath], ...fragment }

  const folder = fromPath.includes('/') ? fromPath.slice(0, fromPath.lastIndexOf('/')) : ''
  const plain = path.replace(/\?.*$/s, '')
  const spellings = [...(hash === -1 ? [] : [target]), path, decoded(path), plain, decoded(plain)]
  // A link that is a query alone leads to its own page.
  const paths = [...new Set(spellings)].map(spelling =>
    spelling === '' ? fromPath : normalise(folder, spelling),
  )
  const candidates = [
    ...new Set(paths.filter(found => found !== null && !found.includes('\0'))),
  ] as string[]

  return { candidates, ...fragment, ...(paths.includes(null) ? { escapes: true } : {}) }
}
