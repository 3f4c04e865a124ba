import { type Oid, parseOid } from '../../lib/oid.ts'
import { checkFetchLine } from './fetch-request.ts'
import { packetsOf, textOf } from './packet-reader.ts'
import { flushPacket, packet } from './packets.ts'
import { ProtocolError, ProtocolRefusal } from './protocol-error.ts'

/** The request of a fetch in version 0 or 1, of which every line is known. */
type OldFetchRequest = {
  command: 'fetch'
  wants: readonly Oid[]
  done: boolean
  /** The names of refs whose history is left out of a shallow clone. */
  excluded: readonly string[]
  /** The lines for Git, in their order; null for a flush. */
  lines: readonly (string | null)[]
}

/**
 * Capabilities that a client may choose. Others are dropped, as Git does: clients send some that
 * are not offered.
 */
const known = new Set([
  ...[
    'multi_ack',
    'multi_ack_detailed',
    'thin-pack',
    'side-band',
    'side-band-64k',
    'ofs-delta',
    'shallow',
  ],
  ...[
    'deepen-since',
    'deepen-not',
    'deepen-relative',
    'no-progress',
    'no-done',
    'object-format=sha1',
  ],
])

/** Lines after the first want of a request in version 0 or 1. */
const lineKinds = /^(?:want|have|shallow|deepen|deepen-since|deepen-not) |^done$/

/**
 * Returns the request of a fetch in version 0 or 1. Throws ProtocolError when it is not in packets,
 * ProtocolRefusal for a line that is not served.
 */
export function parseOldFetch(message: Buffer): OldFetchRequest {
  const wants: Oid[] = []
  const excluded: string[] = []
  const lines: (string | null)[] = []

  for (const each of packetsOf(message)) {
    if (each.kind === 'flush') lines.push(null)
    else if (each.kind !== 'data')
      throw new ProtocolError('The request holds a packet of another version.')
    else {
      const { line, words } = split(textOf(each.data), wants.length === 0)
      if (!lineKinds.test(line)) throw new ProtocolRefusal('a line of the request is not supported')
      checkFetchLine(line)
      if (line.startsWith('want ')) wants.push(parseOid(line.slice(5))!)
      else if (line.startsWith('deepen-not ')) excluded.push(line.slice('deepen-not '.length))
      lines.push(words.length > 0 ? `${line} ${words.join(' ')}` : line)
    }
  }

  return { command: 'fetch', wants, done: lines.includes('done'), excluded, lines }
}

/**
 * Returns a line without the capabilities that follow the id of the first want, and those of them
 * that are known.
 */
function split(text: string, isFirst: boolean): { line: string; words: string[] } {
  if (!isFirst || !text.startsWith('want ')) return { line: text, words: [] }
  const [, line = text, rest = ''] = /^(want \S+) ?(.*)$/s.exec(text) ?? []
  const words = rest.split(' ')
  if (words.some(word => word.startsWith('object-format=') && word !== 'object-format=sha1'))
    throw new ProtocolRefusal('the object format of this repository is sha1')
  return { line, words: words.filter(word => known.has(word)) }
}

/** Returns the request of a fetch as a message of version 0 or 1 for Git. */
export const encodeOldFetch = (lines: OldFetchRequest['lines']): Buffer =>
  Buffer.concat(lines.map(line => (line === null ? flushPacket : packet(`${line}\n`))))
