import { type Oid, parseOid } from '../../lib/oid.ts'
import { delimPacket, flushPacket, packet } from './packets.ts'
import { ProtocolRefusal } from './protocol-error.ts'

/** The request of a fetch, of which every line is known. */
export type FetchRequest = {
  command: 'fetch'
  wants: readonly Oid[]
  /** Whether the client wants the pack now, without another round of haves. */
  done: boolean
  /** The names of refs whose history is left out of a shallow clone. */
  excluded: readonly string[]
  /** The lines for Git, in their order: without newlines, and without what names the client. */
  lines: readonly string[]
}

/** Words that stand alone on a line. */
const plainLines = new Set([
  'done',
  'thin-pack',
  'no-progress',
  'include-tag',
  'ofs-delta',
  'deepen-relative',
  'wait-for-done',
])

/**
 * Returns the request that these argument lines say. Throws ProtocolRefusal for a line that is not
 * served.
 */
export function parseFetch(lines: readonly string[]): FetchRequest {
  const wants: Oid[] = []
  const excluded: string[] = []
  for (const line of lines) {
    checkFetchLine(line)
    if (line.startsWith('want ')) wants.push(parseOid(line.slice(5))!)
    else if (line.startsWith('deepen-not ')) excluded.push(line.slice('deepen-not '.length))
  }
  return { command: 'fetch', wants, done: lines.includes('done'), excluded, lines }
}

/** Lines of a clone beside its wants. */
const cloneLines = new Set(['done', 'ofs-delta', 'thin-pack', 'no-progress'])

/**
 * Returns whether these lines ask for the whole history of their wants at once, from a client that
 * has none of it and reads deltas against offsets.
 */
export function isPlainClone(lines: readonly (string | null)[]): boolean {
  const others = lines.filter(line => !line?.startsWith('want '))
  return (
    others.length < lines.length &&
    ['done', 'ofs-delta'].every(line => others.includes(line)) &&
    others.every(line => line !== null && cloneLines.has(line))
  )
}

/** Throws ProtocolRefusal unless this line of a fetch is one that is served. */
export function checkFetchLine(line: string): void {
  if (plainLines.has(line)) return
  const [, key = '', value = ''] = /^([a-z-]+) (.*)$/s.exec(line) ?? []
  if (key === 'filter' && !isServedFilter(value))
    throw new ProtocolRefusal(`filter '${printable(value)}' not supported`)
  if (!valued[key]?.(value)) throw new ProtocolRefusal(`unexpected line: '${printable(line)}'`)
}

const isOid = (value: string): boolean => parseOid(value) !== undefined

const valued: Record<string, ((value: string) => boolean) | undefined> = {
  want: isOid,
  have: isOid,
  shallow: isOid,
  deepen: value => /^[1-9]\d{0,9}$/.test(value) && Number(value) <= 0x7fff_ffff,
  'deepen-since': value => /^\d{1,12}$/.test(value),
  'deepen-not': value => value.length <= 1024 && /^[^\x00-\x20\x7f-][^\x00-\x20\x7f]*$/.test(value),
  filter: isServedFilter,
}

const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)

/** Returns the request of a fetch as a version 2 message for Git. */
export const encodeFetch = (lines: readonly string[]): Buffer =>
  Buffer.concat([
    packet('command=fetch\n'),
    packet('object-format=sha1\n'),
    delimPacket,
    ...lines.map(line => packet(`${line}\n`)),
    flushPacket,
  ])

/** Filters in one `combine`. */
const mostFilters = 8

/**
 * Returns whether a filter of a partial clone is served: `blob:none`, `blob:limit`, `object:type`,
 * `tree` of depth 0 or 1, and combinations of them. Deeper trees and `sparse:oid` would cost the
 * server a walk of every commit.
 */
function isServedFilter(filter: string): boolean {
  if (!filter.startsWith('combine:')) return isSimple(filter)
  const parts = filter.slice('combine:'.length).split('+')
  return parts.length <= mostFilters && parts.every(part => isSimple(decoded(part)))
}

const isSimple = (filter: string): boolean =>
  /^(?:blob:none|blob:limit=\d{1,12}[kmg]?|object:type=(?:blob|tree|commit|tag)|tree:[01])$/.test(
    filter,
  )

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}
