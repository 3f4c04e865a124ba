import { isMap, isScalar, type Pair, type YAMLMap } from 'yaml'
import { Fault } from '../../errors.ts'
import { insidePath } from '../files.ts'
import { decode, encode } from '../text/bytes.ts'
import { eolOf, lineAt, type Splice, spliceAll } from '../text/lines.ts'
import { readYaml, scalarText, type YamlFile } from '../text/yaml.ts'
import type { PageNode } from '../tree/build.ts'
import { configPath, readConfig } from '../tree/config.ts'
import { bytesAt, type Draft, fileAt, putText } from './draft.ts'
import { withDescendants } from './places.ts'
import { treeOf } from './tree.ts'

const limit = 262_144

/** Where a page is read, before it moves. */
export type Address = { id: string; address: string }

/** The addresses of a page and of all below it. */
export const addressesOf = (page: PageNode): Address[] =>
  withDescendants(page).flatMap(({ id, path, file }) => (file && path !== '' ? [{ id, address: path }] : []))

/** Leaves a redirect for every page that has another address now, unless a page has the old one. */
export function redirectMoved(draft: Draft, addresses: readonly Address[]): void {
  const tree = treeOf(draft)
  const moved = addresses.flatMap(({ id, address }) => {
    const page = tree.pageById.get(id)
    if (!page?.file || page.path === address || tree.pageByPath.has(address)) return []
    return [{ from: address, to: page.file.path }]
  })
  addRedirects(draft, moved)
}

/** Leads the redirects of `.gitbook.yaml` that name files that move (from old to new) along. What cannot be read stays. */
export function retargetRedirects(draft: Draft, moves: ReadonlyMap<string, string>): void {
  const read = readSettings(draft)
  const { root } = treeOf(draft).config
  if (!read || read.file.issues.length > 0) return
  const splices = pairsOf(redirectsOf(read.file)).flatMap(({ value }): Splice[] => {
    const written = scalarText(value)?.trim()
    if (written === undefined || /^[a-z][a-z0-9+.-]*:\/\//i.test(written)) return []
    const [, lead = '', path = '', tail = ''] = /^(\.\/|\/+)?([^#]*)(.*)$/s.exec(written)!
    const to = moves.get(insidePath(root, path) ?? '')
    return to?.startsWith(root) ? respelled(read.text, value, lead + to.slice(root.length) + tail) : []
  })
  if (splices.length > 0) putText(draft, configPath, spliceAll(read.text, splices))
}

/**
 * Writes redirects into `.gitbook.yaml`, a line each behind those that are there; an address that is redirected already gets
 * the new target. Throws 'conflict' when the file is not one that lines can be added to.
 */
export function addRedirects(draft: Draft, redirects: readonly { from: string; to: string }[]): void {
  const { root } = treeOf(draft).config
  const wanted = new Map(
    redirects.flatMap(({ from, to }) => (to.startsWith(root) ? [[from, to.slice(root.length)]] : [])),
  )
  if (wanted.size === 0) return
  const read = readSettings(draft) ?? { text: '', file: readYaml('', limit) }
  if (read.file.issues.length > 0 || (fileAt(draft, configPath) && !bytesAt(draft, configPath)))
    throw notWritable()
  const { text, file } = read
  const left = new Map(wanted)
  const map = redirectsOf(file)
  const splices: Splice[] = []
  for (const { key, value } of pairsOf(map)) {
    const from = insidePath('', scalarText(key)?.trim() ?? '')
    const to = from === undefined ? undefined : left.get(from)
    if (to === undefined) continue
    splices.push(...respelled(text, value, to))
    left.delete(from!)
  }
  if (left.size > 0) splices.push(linesFor(text, file, map, left))
  const edited = spliceAll(text, splices)
  const reads = new Map(readConfig(encode(edited)).config.redirects.map(({ from, to }) => [from, to]))
  for (const [from, to] of wanted) if (reads.get(from) !== root + to) throw notWritable()
  putText(draft, configPath, edited)
}

const notWritable = () =>
  new Fault(
    'conflict',
    `"${configPath}" cannot take a redirect: mend its "redirects" with Git first, or leave "redirect" out.`,
    { path: configPath },
  )

function readSettings(draft: Draft): { text: string; file: YamlFile } | undefined {
  const bytes = fileAt(draft, configPath)?.mode.startsWith('100') ? bytesAt(draft, configPath) : undefined
  const read = bytes && decode(bytes)
  return read?.exact ? { text: read.text, file: readYaml(read.text, limit) } : undefined
}

/** The map under `redirects`; null when there is the key with nothing, undefined when there is no such key. */
function redirectsOf(file: YamlFile): YAMLMap | null | undefined {
  const contents = file.document?.contents
  if (!isMap(contents)) return undefined
  const pair = contents.items.find(({ key }) => scalarText(key) === 'redirects')
  return pair && (isMap(pair.value) ? pair.value : null)
}

const pairsOf = (map: YAMLMap | null | undefined): Pair[] => map?.items ?? []

/** The text of a scalar as it stands between the same quotes. */
function respelled(source: string, node: unknown, text: string): Splice[] {
  if (!isScalar(node) || !node.range || /[|>]/.test(source[node.range[0]] ?? '')) return []
  const [start, end] = node.range
  const quote = source[start]
  const quoted = quote === "'" && !/[\r\n]/.test(text) ? `'${text.replace(/'/g, "''")}'` : undefined
  const words = quoted ?? (quote === '"' ? JSON.stringify(text) : plainOr(text))
  return source.slice(start, end) === words ? [] : [{ start, end, text: words }]
}

const plainOr = (text: string): string =>
  /^[\p{L}\p{N}_./][\p{L}\p{N}_./+#-]*$/u.test(text) ? text : JSON.stringify(text)

function linesFor(
  text: string,
  file: YamlFile,
  map: YAMLMap | null | undefined,
  wanted: ReadonlyMap<string, string>,
): Splice {
  const eol = eolOf(text)
  const lines = (indent: string) =>
    [...wanted].map(([from, to]) => `${indent}${plainOr(from)}: ${plainOr(to)}${eol}`).join('')
  const put = (at: number, words: string): Splice => {
    const before = at > 0 && !/[\r\n]/.test(text[at - 1]!) && text[at - 1] !== '\ufeff' ? eol : ''
    return { start: at, end: at, text: before + words }
  }
  const { document } = file
  if (map === undefined) {
    if (document?.contents && !isMap(document.contents) && scalarText(document.contents)) throw notWritable()
    return put(text.length, `redirects:${eol}${lines('  ')}`)
  }
  if (map === null) {
    const pair = (document!.contents as YAMLMap).items.find(({ key }) => scalarText(key) === 'redirects')
    const key = isScalar(pair?.key) ? pair.key.range : undefined
    if (!key) throw notWritable()
    return put(lineAt(text, key[1]).next, lines('  '))
  }
  const [first, last] = [map.items[0], map.items.at(-1)]
  const start = isScalar(first?.key) ? first.key.range?.[0] : undefined
  const end = isScalar(last?.value) ? last.value.range?.[1] : undefined
  if (map.flow || start === undefined || end === undefined) throw notWritable()
  let indent = start
  while (indent > 0 && text[indent - 1] === ' ') indent--
  return put(lineAt(text, end).next, lines(text.slice(indent, start)))
}
