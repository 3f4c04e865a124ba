import { atOnce, type Steps } from '../../lib/slices.ts'
import { type Block, blockSteps } from '../markdown/blocks.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { scanInline } from '../markdown/inline.ts'
import { withinLimits } from '../markdown/limits.ts'
import { formatTarget, unescapeText } from '../markdown/plain-text.ts'
import { piecesOf } from '../markdown/table-cells.ts'
import type { Range } from '../text/range.ts'

/** A place that names a target: `raw` is the target as written, without quotes or `<>`; `target` what it means. */
export type Link = {
  raw: Range
  target: string
  how: 'md-link' | 'md-image' | 'definition' | 'html-attr' | 'tag' | 'front-matter' | 'autolink'
  /** The name of the tag whose attribute it is. */
  tag?: string
}

/** A description in the registry that a block shows, by its slug: no target, so nothing that a move rewrites. */
export type SpecUse = { at: number; slug: string }

const attribute = /\s(?:href|src|srcset)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/gi
const tag = /\{%\s*(?:include\s+"([^"\n]*)"|([@\w/-]+)(?:\s(?:[^%{\n]|%(?!\})|\{(?!%))*)?%\})/g
const tagAttribute = /\s(?:url|src|page)=(?:"([^"]*)"|'([^']*)')/g
const specAttribute = /\sspec=(?:"([^"]*)"|'([^']*)')/
/** The mark that gives a heading its id links to itself: not a link of the page. */
const headingAnchor = /^<a href="#([^"]*)" id="\1">$/
const definition = /^\[(?!\^)(?:[^[\]\\]|\\.)+\]:[ \t]*(?:<([^<>\r\n]*)>|([^\s<]\S*))/gm
const cover = /^(?:cover|coverDark):[ \t]+(?:"([^"\r\n]*)"|'([^'\r\n]*)'|([^\s"'#>|&*{[][^\r\n]*))/gm

const metaLinks = /^metaLinks:[ \t]*\r?\n(?:[ \t]+\S.*(?:\r?\n|$))+/m
const metaLink = /^[ \t]+(?:canonical:|-)[ \t]+(?:"([^"\r\n]*)"|'([^'\r\n]*)'|([^\s"'#>|&*{[][^\r\n]*))/gm

/** Gives the first group of a match that took part, and where it begins in the text that was searched. */
const part = (found: RegExpExecArray): { text: string; at: number } | null => {
  const text = found.slice(1).find(group => group !== undefined)
  if (!text) return null
  return { text: text.trimEnd(), at: found.index + found[0].lastIndexOf(text) }
}

type Finding = { markdown: string; links: Link[]; specs: SpecUse[] }

const search = (
  finding: Finding,
  pattern: RegExp,
  range: Range,
  how: Link['how'],
  tagName?: string,
): void => {
  const source = finding.markdown.slice(range.start, range.end)
  for (const found of source.matchAll(pattern)) {
    const hit = part(found)
    if (!hit) continue
    const start = range.start + hit.at
    const target = how === 'front-matter' || how === 'tag' ? hit.text : unescapeText(hit.text)
    const raw = { start, end: start + hit.text.length }
    finding.links.push({ raw, target, how, ...(tagName !== undefined && { tag: tagName }) })
  }
}

const searchTags = (finding: Finding, range: Range): void => {
  const source = finding.markdown.slice(range.start, range.end)
  if (!source.includes('{%')) return
  for (const found of source.matchAll(tag)) {
    const start = range.start + found.index
    if (found[1] !== undefined) {
      const at = start + found[0].indexOf('"') + 1
      const raw = { start: at, end: at + found[1].length }
      finding.links.push({ raw, target: found[1], how: 'tag', tag: 'include' })
      continue
    }
    search(finding, tagAttribute, { start, end: start + found[0].length }, 'tag', found[2])
    const spec = found[2]?.startsWith('openapi') ? specAttribute.exec(found[0]) : null
    const slug = spec && (spec[1] ?? spec[2])
    if (slug) finding.specs.push({ at: start, slug })
  }
}

const inParagraph = (finding: Finding, range: Range): void => {
  const { markdown, links } = finding
  let plain = range.start
  const inlines = scanInline(markdown, range.start, range.end)
  for (const { kind, target, start, end, text: inside } of inlines) {
    if ((kind === 'link' || kind === 'image') && target) {
      const text = unescapeText(markdown.slice(target.start, target.end))
      links.push({ raw: target, target: text, how: kind === 'link' ? 'md-link' : 'md-image' })
    } else if (kind === 'html') {
      const own = headingAnchor.test(markdown.slice(start, end))
      if (!own) search(finding, attribute, { start, end }, 'html-attr')
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

const inHtml = (finding: Finding, range: Range): void => {
  const source = finding.markdown.slice(range.start, range.end)
  if (/^<(?:!--|pre\b|script\b|style\b|textarea\b)/i.test(source)) return
  search(finding, attribute, range, 'html-attr')
  searchTags(finding, range)
}

const inFrontMatter = (finding: Finding, yaml: Range): void => {
  search(finding, cover, yaml, 'front-matter')
  const meta = metaLinks.exec(finding.markdown.slice(yaml.start, yaml.end))
  if (!meta) return
  const start = yaml.start + meta.index
  search(finding, metaLink, { start, end: start + meta[0].length }, 'front-matter')
}

/** What names something in a page, each list in order, and the blocks it was found in. */
export type Findings = { links: Link[]; specs: SpecUse[]; blocks: Block[] }

/** What a file holds that is too large to be parsed. */
export const noFindings: Findings = { links: [], specs: [], blocks: [] }

/** So many characters are read before others are let in. */
const portion = 32_768

/** Finds the same as `findLinks`, in steps, and the descriptions that blocks show. */
export function* linkSteps(markdown: string): Steps<Findings> {
  const finding: Finding = { markdown, links: [], specs: [] }
  const { yaml, body } = splitFrontMatter(markdown)
  if (yaml) inFrontMatter(finding, yaml)
  const blocks = yield* blockSteps(markdown, body)
  let read = 0
  for (const block of blocks) {
    if (block.kind === 'paragraph' || block.kind === 'heading')
      for (const piece of piecesOf(markdown, block.text)) inParagraph(finding, piece)
    else if (block.kind === 'html') inHtml(finding, block.text)
    read += block.text.end - block.text.start
    if (read < portion) continue
    read = 0
    yield
  }
  finding.links.sort((a, b) => a.raw.start - b.raw.start || b.raw.end - a.raw.end)
  return { links: finding.links, specs: finding.specs, blocks }
}

/**
 * Finds the places of a page that name a target, in order: links and images, definitions, `href` and `src`, the
 * attributes of tags, covers. What stands in code is not looked at. Linear in the page. Throws 'too_large' for a page that is
 * too large to be parsed.
 */
export const findLinks = (markdown: string): Link[] => atOnce(linkSteps(markdown)).links

/** Does the same for a file that came with Git: one that is too large to be parsed has no links. */
export const findLinksOfAny = (markdown: string): Link[] =>
  atOnce(withinLimits(linkSteps(markdown), noFindings)).links

const percent = (text: string): string =>
  text.replace(/./gsu, char => (/[\s<>()%"'\\#?]/.test(char) ? encoded(char) : char))

const encoded = (char: string): string =>
  /['()]/.test(char) ? `%${char.charCodeAt(0).toString(16).toUpperCase()}` : encodeURIComponent(char)

/** Whether YAML would take a text for something else than a string, or for none at all. */
const isMarked = (text: string): boolean =>
  /^[[\]{},&*!|>'"%@`#~?-]/.test(text) || /^(?:null|true|false|[\d.+-][\d.eE+_-]*)$/i.test(text)

/** Gives the spelling of a new target that fits where the old one stands. */
const spell = (markdown: string, link: Link, named: string, tail: string): { text: string; edge: number } => {
  const old = markdown.slice(link.raw.start, link.raw.end)
  // A number sign in a name would be taken for the beginning of what follows the path.
  const path = tail === '' ? named : named.replace(/#/g, encoded)
  const target = path + tail
  if (link.how === 'tag' || link.how === 'front-matter') {
    const quote = markdown[link.raw.end]
    const quoted = link.how === 'tag' || quote === '"' || quote === "'"
    const unsafe = quoted ? /["'\r\n]/g : /[\r\n:]|\s(?=#)/g
    const text = target.replace(unsafe, encoded)
    return { text: quoted || !isMarked(text) ? text : `'${text.replace(/'/g, encoded)}'`, edge: 0 }
  }
  if (link.how === 'html-attr') {
    const amp = old.includes('&#x26;') ? '&#x26;' : '&amp;'
    const quoted = /["']/.test(markdown[link.raw.end] ?? '')
    const safe = target.replace(/&/g, amp).replace(/"/g, '&quot;').replace(/'/g, '&#39;')
    return { text: quoted ? safe : safe.replace(/[\s<>=`]/g, percent), edge: 0 }
  }
  const angle = markdown[link.raw.start - 1] === '<' && markdown[link.raw.end] === '>'
  if (angle) return { text: formatTarget(target, true), edge: 1 }
  if (/%[0-9A-Fa-f]{2}/.test(tail === '' ? old : old.replace(/[?#].*$/s, '')))
    return { text: formatTarget(percent(named) + tail), edge: 0 }
  const raw = formatTarget(target)
  const text = !raw.startsWith('<') && old.includes('\\_') ? raw.replace(/(?<!\\)_/g, '\\_') : raw
  return { text, edge: 0 }
}

/**
 * Gives the Markdown with one link's target changed to `target` (not encoded), in the spelling of the old one:
 * `<>`, percent encoding and escapes stay. `tail` (a query, a fragment) follows as it is. Several links are to be
 * rewritten from the last to the first.
 */
export const rewriteLink = (markdown: string, link: Link, target: string, tail = ''): string => {
  const { text, edge } = spell(markdown, link, target, tail)
  return markdown.slice(0, link.raw.start - edge) + text + markdown.slice(link.raw.end + edge)
}

/** What a target means from a file: candidates are paths in the order in which they are to be tried. */
export type Resolved = { candidates: string[]; fragment?: string; external?: boolean; escapes?: boolean }

const normalise = (folder: string, path: string): string | null => {
  const out: string[] = path.startsWith('/') ? [] : folder.split('/').filter(part => part !== '')
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') out.push(part)
    else if (out.pop() === undefined) return null
  }
  return out.join('/') + (/(?:^|\/)\.{0,2}$/.test(path) && out.length > 0 ? '/' : '')
}

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/**
 * Resolves a target against the folder of the file it stands in, both as paths from the content root. A directory
 * keeps its final slash; the root itself is ''. Candidates: the whole target verbatim (a `#` can be part of a
 * name), without its fragment, percent-decoded, without a query. `escapes` is set when it leaves the root.
 */
export const resolveLink = (fromPath: string, target: string): Resolved => {
  if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(target) || target.startsWith('//'))
    return { candidates: [], external: true }
  const hash = target.indexOf('#')
  const path = hash === -1 ? target : target.slice(0, hash)
  const fragment = hash === -1 ? {} : { fragment: target.slice(hash + 1) }
  if (path === '') return { candidates: hash === -1 ? [] : [fromPath], ...fragment }
  const folder = fromPath.includes('/') ? fromPath.slice(0, fromPath.lastIndexOf('/')) : ''
  const plain = path.replace(/\?.*$/s, '')
  const spellings = [...(hash === -1 ? [] : [target]), path, decoded(path), plain, decoded(plain)]
  const paths = spellings.map(spelling => normalise(folder, spelling))
  const candidates = [...new Set(paths.filter(found => found !== null && !found.includes('\0')))] as string[]
  return { candidates, ...fragment, ...(paths.includes(null) ? { escapes: true } : {}) }
}
