import { isMap, isScalar, type Pair, type Scalar, type YAMLMap } from 'yaml'
import { Fault } from '../../errors.ts'
import { insidePath } from '../files.ts'
import { decode, encode } from '../text/bytes.ts'
import { lineAt, type Splice, spliceAll } from '../text/lines.ts'
import { readYaml, scalarText, type YamlFile } from '../text/yaml.ts'
import {
  endOfDocument,
  endOfPair,
  indentOf,
  insertPairs,
  isShared,
  replaceValue,
} from '../text/yaml-edit.ts'
import type { PageNode } from '../tree/build.ts'
import { configPath, readConfig } from '../tree/config.ts'
import { type Draft, fileAt, putText } from './draft.ts'
import { withDescendants } from './places.ts'
import { bytesAt, structureOf } from './read.ts'
import type { Asking } from './requests.ts'
import { treeOf } from './tree.ts'

const limit = 262_144

/** The address of a page before it moves. */
type Address = { id: string; address: string }

/** Returns the addresses of a page and of its descendants. */
export const addressesOf = (page: PageNode): Address[] =>
  withDescendants(page).flatMap(({ id, path, file }) =>
    file && path !== '' ? [{ id, address: path }] : [],
  )

/**
 * Adds a redirect for every page whose address has changed, unless another page has the old
 * address.
 */
export function* redirectMoved(draft: Draft, addresses: readonly Address[]): Asking<void> {
  const tree = treeOf(draft)
  const moved = addresses.flatMap(({ id, address }) => {
    const page = tree.pageById.get(id)
    if (!page?.file || page.path === address || tree.pageByPath.has(address)) return []
    return [{ from: address, to: page.file.path }]
  })
  yield* addRedirects(draft, moved)
}

/**
 * Updates the redirects of `.gitbook.yaml` whose target is a file that moves; `moves` maps old to
 * new paths. Redirects that cannot be read or edited stay as they are.
 */
export function* retargetRedirects(draft: Draft, moves: ReadonlyMap<string, string>): Asking<void> {
  const read = yield* readSettings(draft)
  const { root } = treeOf(draft).config
  if (!read || read.file.issues.length > 0) return

  const map = redirectsOf(read.file)?.map
  const splices = (map?.items ?? []).flatMap(pair => {
    const written = scalarText(pair.value)?.trim()
    if (written === undefined || /^[a-z][a-z0-9+.-]*:\/\//i.test(written)) return []
    const [, lead = '', path = '', tail = ''] = /^(\.\/|\/+)?([^#]*)(.*)$/s.exec(written)!
    const to = moves.get(insidePath(root, path) ?? '')
    return to?.startsWith(root)
      ? targetSplice(read.text, map!, pair, lead + to.slice(root.length) + tail)
      : []
  })
  if (splices.length > 0) putText(draft, configPath, spliceAll(read.text, splices))
}

/**
 * Adds redirects to `.gitbook.yaml`, one line each below the existing ones; an address that is
 * redirected already gets the new target. Throws 'conflict' if the file cannot take them.
 */
export function* addRedirects(
  draft: Draft,
  redirects: readonly { from: string; to: string }[],
): Asking<void> {
  const { root } = treeOf(draft).config
  const wanted = new Map(
    redirects.flatMap(({ from, to }) =>
      to.startsWith(root) ? [[from, to.slice(root.length)]] : [],
    ),
  )
  if (wanted.size === 0) return

  const { text, file } = (yield* readSettings(draft)) ?? { text: '', file: readYaml('', limit) }
  if (file.issues.length > 0 || (fileAt(draft, configPath) && !(yield* bytesAt(draft, configPath))))
    throw notWritable()

  const edited = withRedirects(text, file, wanted)
  // The root that another tool names is not in the file.
  const { config } = readConfig(encode(edited))
  const reads = new Map(config.redirects.map(({ from, to }) => [from, to]))

  for (const [from, to] of wanted) if (reads.get(from) !== config.root + to) throw notWritable()
  putText(draft, configPath, edited)
}

const notWritable = () =>
  new Fault(
    'settings_broken',
    `Cannot add a redirect to "${configPath}": correct its "redirects" with Git first, or leave "redirect" out.`,
    { path: configPath },
  )

function* readSettings(draft: Draft): Asking<{ text: string; file: YamlFile } | undefined> {
  yield* structureOf(draft)
  const isFile = fileAt(draft, configPath)?.mode.startsWith('100')
  const bytes = isFile ? yield* bytesAt(draft, configPath) : undefined
  const read = bytes && decode(bytes)
  return read?.exact ? { text: read.text, file: readYaml(read.text, limit) } : undefined
}

/**
 * Returns the pair with the key `redirects`, and its map unless it has another value; undefined
 * without such a key.
 */
function redirectsOf({ document }: YamlFile): { pair: Pair; map: YAMLMap | undefined } | undefined {
  const contents = document?.contents
  if (!isMap(contents)) return undefined
  const pair = (contents as YAMLMap).items.find(({ key }) => scalarText(key) === 'redirects')
  return pair && { pair, map: isMap(pair.value) ? (pair.value as YAMLMap) : undefined }
}

/** Returns the settings with these redirects, by the address that they redirect from. */
function withRedirects(text: string, file: YamlFile, wanted: ReadonlyMap<string, string>): string {
  const left = new Map(wanted)
  const redirects = redirectsOf(file)
  const map = redirects?.map
  const splices: Splice[] = []

  for (const pair of map?.items ?? []) {
    const from = insidePath('', scalarText(pair.key)?.trim() ?? '')
    const to = from === undefined ? undefined : left.get(from)
    if (to === undefined) continue
    splices.push(...targetSplice(text, map!, pair, to))
    left.delete(from!)
  }

  if (left.size === 0) return spliceAll(text, splices)

  const lines = [...left].map(([from, to]) => `${plainOrQuoted(from)}: ${plainOrQuoted(to)}`)

  if (map) {
    const last = map.items.at(-1)
    if (map.flow || !last) throw notWritable()
    splices.push(insertPairs(text, endOfPair(text, last), lines, { indent: indentOf(text, map) }))
  } else splices.push(firstRedirects(text, file, redirects?.pair, lines))

  return spliceAll(text, splices)
}

/**
 * Returns the splice that adds the first redirects, below the key `redirects` if there is one
 * without a value.
 */
function firstRedirects(
  text: string,
  { document }: YamlFile,
  pair: Pair | undefined,
  lines: string[],
): Splice {
  if (pair)
    return insertPairs(text, lineAt(text, (pair.key as Scalar).range![1]).next, lines, {
      indent: '  ',
    })

  const contents = document?.contents
  if (contents && !isMap(contents) && scalarText(contents)) throw notWritable()

  const indent = isMap(contents) ? indentOf(text, contents as YAMLMap) : ''
  const block = `redirects:\n${lines.map(line => `  ${line}`).join('\n')}`

  return insertPairs(text, endOfDocument(text), [block], { indent })
}

/**
 * Returns the splice that sets the target of a redirect, in the same quotes; none for a value that
 * cannot be edited.
 */
function targetSplice(source: string, map: YAMLMap, pair: Pair, target: string): Splice[] {
  const { value } = pair
  if (!isScalar(value) || !value.range || isShared(map, pair)) return []
  const [start, end] = value.range
  const quote = source[start] ?? ''
  if (/[|>]/.test(quote)) return []

  const single =
    quote === "'" && !/[\r\n]/.test(target) ? `'${target.replace(/'/g, "''")}'` : undefined
  const text = single ?? (quote === '"' ? JSON.stringify(target) : plainOrQuoted(target))

  return source.slice(start, end) === text ? [] : [replaceValue(source, pair, text)]
}

const plainOrQuoted = (text: string): string =>
  /^[\p{L}\p{N}_./][\p{L}\p{N}_./+#-]*$/u.test(text) ? text : JSON.stringify(text)
