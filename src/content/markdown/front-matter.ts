import { isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair, parseDocument } from 'yaml'
import type { Issue } from '../text/issues.ts'
import { lineAt } from '../text/lines.ts'
import type { Range } from '../text/range.ts'
import { nestsTooDeep } from '../text/yaml.ts'
import { type MetaLinks, readMetaLinks } from './meta-links.ts'

/** The parts of a page's frame that are shown; the site decides on those that are not named. */
type PageLayout = Record<string, unknown>

/** The known fields of a page's front matter; values of a wrong type are dropped. */
export type FrontMatter = {
  title?: string
  description?: string
  icon?: string
  emoji?: string
  /** The page is not finished: only members read it. */
  draft?: boolean
  hidden?: boolean
  noIndex?: boolean
  noRobotsIndex?: boolean
  cover?: string
  coverDark?: string
  coverY?: number
  coverHeight?: number
  layout?: PageLayout
  vars?: Record<string, string | number | boolean>
  /** The expression under the key `if`. */
  condition?: string
  tags?: string[]
  /** The place among the pages of a folder without a table of contents, and the title there. */
  position?: number
  label?: string
  /** The address of the page, where there is no table of contents; "/" for the front page. */
  slug?: string
  /** The name of the page in Docusaurus, which is that of its file otherwise. */
  id?: string
  /** What search engines are told: the address to list, and the same page elsewhere; as written. */
  metaLinks?: MetaLinks
}

const sizeLimit = 64 * 1024

/**
 * Splits a page: `block` is the front matter with its `---` lines, `yaml` the text between them,
 * `body` the offset of the page itself. Front matter begins at the start of the file (after a
 * byte-order mark) and ends with `---` or `...`.
 */
export function splitFrontMatter(text: string): {
  block: Range | null
  yaml: Range | null
  body: number
} {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  const first = lineAt(text, start)
  if (!/^---[ \t]*$/.test(text.slice(start, first.end)) || first.next === first.end) {
    return { block: null, yaml: null, body: start }
  }

  for (let at = first.next; at < text.length; ) {
    const line = lineAt(text, at)
    const marks = text.startsWith('---', at) || text.startsWith('...', at)
    if (marks && /^[ \t]*$/.test(text.slice(at + 3, line.end))) {
      return {
        block: { start, end: line.next },
        yaml: { start: first.next, end: at },
        body: line.next,
      }
    }

    at = line.next
  }

  return { block: null, yaml: null, body: start }
}

/** A key of front matter; without a name, its value is read as any number of fields. */
type Field = { name?: keyof FrontMatter; read: (node: Node) => unknown; want: string }

function string(node: Node): string | undefined {
  if (!isScalar(node)) return undefined
  if (typeof node.value === 'string') return node.value
  return typeof node.value === 'number' || typeof node.value === 'boolean' ? node.source : undefined
}
const boolean = (node: Node): boolean | undefined =>
  isScalar(node) && typeof node.value === 'boolean' ? node.value : undefined
/** Reads a value like `boolean`, in the spellings of YAML 1.1 too: a draft must not be published. */
function draft(node: Node): boolean | undefined {
  const written = isScalar(node) ? String(node.value) : ''
  if (/^(?:true|yes|on|y)$/i.test(written)) return true
  return /^(?:false|no|off|n)$/i.test(written) ? false : undefined
}
const number = (node: Node): number | undefined =>
  isScalar(node) && typeof node.value === 'number' && Number.isFinite(node.value)
    ? node.value
    : undefined

const keyOf = (pair: Pair): string | null => (isScalar(pair.key) ? String(pair.key.value) : null)

function layout(node: Node, depth = 0): PageLayout | undefined {
  if (!isMap(node) || depth > 4) return undefined
  const out: PageLayout = {}
  for (const pair of node.items) {
    const key = keyOf(pair)
    if (key === null || key === '__proto__' || !isNode(pair.value)) continue
    const value = isMap(pair.value)
      ? layout(pair.value, depth + 1)
      : isScalar(pair.value)
        ? pair.value.value
        : undefined
    if (['string', 'number', 'boolean', 'object'].includes(typeof value) && value !== null)
      out[key] ??= value
  }

  return out
}

/** Reads the layout; the name of one, such as "home", is of another tool and of no effect. */
function ownLayout(node: Node): Pick<FrontMatter, 'layout'> | undefined {
  if (isScalar(node)) return {}
  const read = layout(node)
  return read && { layout: read }
}

function vars(node: Node): FrontMatter['vars'] {
  if (!isMap(node)) return undefined
  const out: Record<string, string | number | boolean> = {}
  for (const pair of node.items) {
    const key = keyOf(pair)
    if (key === null || !/^[A-Za-z][A-Za-z0-9_]*$/.test(key) || Object.hasOwn(out, key)) continue
    if (!isScalar(pair.value)) continue
    const { value } = pair.value
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      out[key] = value
  }

  return out
}

function tags(node: Node): string[] | undefined {
  if (!isSeq(node)) return undefined
  return node.items.flatMap(item => {
    const tag = isMap(item) ? item.get('tag', true) : item
    const slug = isNode(tag) ? string(tag) : undefined
    return slug === undefined ? [] : [slug]
  })
}

/** Reads the name of a page in Docusaurus; a value of another kind is of another tool. */
function id(node: Node): Pick<FrontMatter, 'id'> {
  const read = string(node)
  return read === undefined ? {} : { id: read }
}

/** Reads the place and the name in the list of pages; other settings of it are of no effect. */
function sidebar(node: Node): Pick<FrontMatter, 'position' | 'label'> | undefined {
  if (!isMap(node)) return isScalar(node) ? {} : undefined
  const [order, text] = [node.get('order', true), node.get('label', true)]
  const position = isNode(order) ? number(order) : undefined
  const label = isNode(text) ? string(text) : undefined
  return { ...(position !== undefined && { position }), ...(label !== undefined && { label }) }
}

const fields = new Map<string, Field>([
  ...(['title', 'description', 'icon', 'emoji', 'cover', 'coverDark'] as const).map(
    (name): [string, Field] => [name, { name, read: string, want: 'text' }],
  ),
  ...(['hidden', 'noIndex', 'noRobotsIndex'] as const).map((name): [string, Field] => [
    name,
    { name, read: boolean, want: 'true or false' },
  ]),
  ['draft', { name: 'draft', read: draft, want: 'true or false' }],
  ...(['coverY', 'coverHeight'] as const).map((name): [string, Field] => [
    name,
    { name, read: number, want: 'a number' },
  ]),
  ['layout', { read: ownLayout, want: 'a map' }],
  ['vars', { name: 'vars', read: vars, want: 'a map of strings, numbers and booleans' }],
  ['if', { name: 'condition', read: string, want: 'an expression' }],
  ['sidebar_position', { name: 'position', read: number, want: 'a number' }],
  ['sidebar_label', { name: 'label', read: string, want: 'text' }],
  ['sidebarTitle', { name: 'label', read: string, want: 'text' }],
  ['sidebar', { read: sidebar, want: 'a map, true or false' }],
  ['slug', { name: 'slug', read: string, want: 'text' }],
  ['id', { read: id, want: 'text' }],
  ['tags', { name: 'tags', read: tags, want: 'a list' }],
  ['metaLinks', { name: 'metaLinks', read: readMetaLinks, want: 'a map' }],
])

/** The keys that a page may have. */
export const frontMatterKeys: ReadonlySet<string> = new Set(fields.keys())

type ParsedFields = { data: FrontMatter; keys: string[]; issues: Issue[] }

const lineEnds = (text: string): number => text.split(/\r\n?|\n/).length - 1

function take(found: ParsedFields, pair: Pair, line: number): void {
  const key = keyOf(pair)
  if (key === null) return

  if (found.keys.includes(key)) {
    found.issues.push({ message: `The key "${key}" is duplicated; the first one is used.`, line })
    return
  }

  found.keys.push(key)
  const field = fields.get(key)
  const value = pair.value
  if (!field || !isNode(value) || (isScalar(value) && value.value === null)) return

  const read = isAlias(value) ? undefined : field.read(value)
  if (read === undefined) found.issues.push({ message: `"${key}" should be ${field.want}.`, line })
  else Object.assign(found.data, field.name === undefined ? read : { [field.name]: read })
}

const options = {
  uniqueKeys: false,
  merge: false,
  schema: 'core',
  logLevel: 'silent',
  prettyErrors: false,
} as const

/** Reads one piece of YAML. Returns the first error of the parser, or null. */
function readYaml(found: ParsedFields, yaml: string, firstLine: number): string | null {
  const document = parseDocument(yaml, options)
  const complaint = document.errors[0]?.message
  if (complaint !== undefined) return complaint

  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) return null
  if (!isMap(contents)) return 'it is not a map of keys and values'

  let line = firstLine
  let read = 0

  for (const pair of contents.items) {
    const at = isNode(pair.key) ? (pair.key.range?.[0] ?? read) : read
    line += lineEnds(yaml.slice(read, at))
    read = at
    take(found, pair, line)
  }

  return null
}

/** Reads broken YAML key by key, so that one bad line does not hide the others. */
function salvage(found: ParsedFields, yaml: string): void {
  let line = 2
  for (const part of yaml.split(/(?<=\n|\r(?!\n))(?=[A-Za-z_][\w-]*:(?:\s|$))/)) {
    const complaint = readYaml(found, part, line)
    if (complaint !== null)
      found.issues.push({ message: `This is not valid YAML: ${complaint}`, line })
    line += lineEnds(part)
  }
}

/**
 * Reads the front matter of a page: the known fields, all top-level keys in order, and the issues.
 * Never throws. Of duplicate keys, the first is used. Aliases and merge keys are not followed.
 */
export function readFrontMatter(text: string): ParsedFields {
  const found: ParsedFields = { data: {}, keys: [], issues: [] }
  const { yaml } = splitFrontMatter(text)
  if (!yaml) return found

  const source = text.slice(yaml.start, yaml.end)

  if (source.length > sizeLimit || nestsTooDeep(source)) {
    found.issues.push({
      message: 'The front matter is too long or too deeply nested to be read.',
      line: 1,
    })
    return found
  }

  try {
    const trial: ParsedFields = { data: {}, keys: [], issues: [] }
    if (readYaml(trial, source, 2) === null) return trial
    salvage(found, source)
  } catch {
    found.issues.push({ message: 'The front matter cannot be read as YAML.', line: 1 })
  }

  return found
}
