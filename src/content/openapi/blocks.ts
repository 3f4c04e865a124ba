import type { Steps } from '../../lib/slices.ts'
import { type Block, blockSteps } from '../markdown/blocks.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { scanInline } from '../markdown/inline.ts'
import { findTags, type Tag as PageTag, tagAttributes } from '../markdown/tags.ts'
import { operationKey, schemaKey, webhookKey } from './describe.ts'

/** A block of a page that shows a part of an OpenAPI spec: tag, body and end tag. */
export type OpenapiBlock = {
  start: number
  end: number
  /** The column of its tag: the indent of the list or quote around it. */
  indent: number
} & Shown

/**
 * The pieces of a spec, perhaps with a heading: of one of the organization, or of one in a file of
 * the space, whose target is relative to the page. Or a file on the web.
 */
type Shown =
  | (({ spec: string } | { file: string }) & { keys: string[]; title?: string })
  | { url: string; label: string }

const names = new Set([
  'openapi-operation',
  'openapi-schemas',
  'openapi-webhook',
  'openapi',
  'swagger',
])
const slug = /^[a-zA-Z0-9-]{1,100}$/

/** Limits: schemas of one block, characters of a tag, columns of its indent. */
const mostSchemas = 100
const longestTag = 4_000
const mostIndent = 200

/** Returns whether a page may have such a block. May be wrong only for true. */
const mayHaveBlocks = (markdown: string): boolean => /\{%-?\s*(?:openapi|swagger)/.test(markdown)

/**
 * Returns the slugs of the specs that the blocks of a page name, and perhaps some that only occur
 * in its code.
 */
export const slugSteps = (markdown: string): Steps<string[]> =>
  valueSteps(markdown, 'spec', value => slug.test(value))

/**
 * Returns the targets of files of the space that the blocks of a page name, and perhaps some that
 * only occur in its code.
 */
export const specFileSteps = (markdown: string): Steps<string[]> =>
  valueSteps(markdown, 'src', isPath)

/** Returns the values of an attribute of the tags of blocks. */
function* valueSteps(
  markdown: string,
  name: 'spec' | 'src',
  isWanted: (value: string) => boolean,
): Steps<string[]> {
  if (!mayHaveBlocks(markdown)) return []
  const values = new Set<string>()
  for (const tag of findTags(markdown)) {
    const value =
      tag.closes || !names.has(tag.name) ? undefined : attributesOf(markdown, tag).get(name)
    if (value !== undefined && isWanted(value)) values.add(value)
    yield
  }

  return [...values]
}

/** Returns whether a target is a path: neither empty nor an address with a scheme or host. */
const isPath = (target: string): boolean =>
  target.trim() !== '' && !/^\s*(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(target)

type Tag = {
  name: string
  closes: boolean
  attributes: ReadonlyMap<string, string>
  start: number
  end: number
  indent: number
}

/**
 * Returns the blocks of a page that show parts of specs, in order. Tags in code, quotes or HTML, or
 * after other text on their line, are not blocks. Linear in the length of the page.
 */
export function* openapiBlockSteps(markdown: string): Steps<OpenapiBlock[]> {
  if (!mayHaveBlocks(markdown)) return []
  const found: Tag[] = []
  let scanned = 0

  for (const block of yield* blockSteps(markdown, splitFrontMatter(markdown).body)) {
    if (block.kind !== 'paragraph' || block.quoted) continue
    found.push(...tagsIn(markdown, block))
    scanned += block.text.end - block.text.start
    if (scanned > 65_536) {
      scanned = 0
      yield
    }
  }

  const blocks: OpenapiBlock[] = []

  for (const [at, tag] of found.entries()) {
    const shown = tag.closes ? undefined : shownBy(tag)
    if (!shown) continue
    const next = found[at + 1]
    const end = next?.closes && next.name === tag.name ? next.end : tag.end
    blocks.push({ start: tag.start, end, indent: tag.indent, ...shown })
  }

  return blocks
}

function tagsIn(markdown: string, { text: { start, end } }: Block): Tag[] {
  const inside = markdown.slice(start, end)
  if (!mayHaveBlocks(inside) && !/\{%-?\s*end/.test(inside)) return []
  const codes = scanInline(markdown, start, end).filter(
    ({ kind }) => kind === 'code' || kind === 'html',
  )
  const lineStart = markdown.lastIndexOf('\n', start - 1) + 1
  const found: Tag[] = []
  let code = 0

  for (const tag of findTags(inside)) {
    const { name, closes } = tag
    if (!names.has(name)) continue
    const at = start + tag.start
    while (code < codes.length && codes[code]!.end <= at) code++
    if (code < codes.length && codes[code]!.start <= at) continue

    const near = inside.slice(Math.max(0, tag.start - mostIndent), tag.start)
    const before = near.slice(near.lastIndexOf('\n') + 1)
    if (!closes && before.trim() !== '') continue

    const indent = tag.start === 0 ? start - lineStart : before.length

    found.push({
      name,
      closes,
      attributes: attributesOf(inside, tag),
      start: at,
      end: start + tag.end,
      indent,
    })
  }

  return found
}

function attributesOf(text: string, tag: PageTag): Map<string, string> {
  const { start, end } = tag.inside
  const inside = { start, end: Math.min(end, start + longestTag) }
  return new Map(tagAttributes(text, { ...tag, inside }).map(({ name, value }) => [name, value]))
}

/** Returns what a tag shows; undefined when its attributes are missing or unsupported. */
function shownBy({ name, attributes }: Tag): Shown | undefined {
  const of = (attr: string) => attributes.get(attr) ?? ''
  const [spec, src] = [of('spec'), of('src')]
  const isOld = name === 'openapi' || name === 'swagger'
  if (isOld && /^https?:\/\/[^\s<>]+$/i.test(src)) {
    const label = [of('method').toUpperCase(), of('path')].filter(part => part !== '').join(' ')
    return { url: src, label: label || src }
  }

  const source = !isOld && slug.test(spec) ? { spec } : isPath(src) ? { file: src } : undefined
  if (!source) return undefined
  if (isOld || name === 'openapi-operation')
    return { ...source, keys: [operationKey(of('method'), of('path'))] }
  if (name === 'openapi-webhook')
    return { ...source, keys: [webhookKey(of('method') || 'post', of('name'))] }

  const schemas = of('schemas').split(',', mostSchemas)
  const title = of('title').trim()

  return { ...source, keys: schemas.map(each => schemaKey(each.trim())), ...(title && { title }) }
}

/** Replaces some blocks of a page by Markdown, with the indent of their tags. */
export function replaceBlocks(markdown: string, texts: ReadonlyMap<OpenapiBlock, string>): string {
  let out = ''
  let at = 0
  let last = ''

  for (const [{ start, end, indent }, text] of texts) {
    if (start < at) continue
    const before = markdown.slice(at, start)
    const blanks = ' '.repeat(indent)
    const body = text.trim().replace(/\n(?!\n|$)/g, `\n${blanks}`)

    out += before
    if (/[^\n\r][ \t]*\r?\n[ \t]*$/.test((last + before).slice(-mostIndent))) out += `\n${blanks}`
    out += body
    last = body.slice(-mostIndent)
    at = end
    if (/^[ \t]*\r?\n[ \t]*[^\s]/.test(markdown.slice(at, at + 200))) out += '\n'
  }

  return out + markdown.slice(at)
}
