import { headCommit, type ListedRefs } from './listed-refs.ts'
import { flushPacket, packet } from './packets.ts'
import { ProtocolRefusal } from './protocol-error.ts'

/** A `ls-refs` command of version 2. */
export type ListRefsRequest = {
  command: 'ls-refs'
  symrefs: boolean
  unborn: boolean
  /** Names start with one of these; all are listed where there is none. */
  prefixes: readonly string[]
}

/** Git ignores prefixes beyond this number, and lists everything. */
const mostPrefixes = 65_536

/**
 * Returns the request that these argument lines say. Throws ProtocolRefusal for an unknown line.
 */
export function parseListRefs(lines: readonly string[]): ListRefsRequest {
  const request = { command: 'ls-refs' as const, symrefs: false, unborn: false }
  const prefixes: string[] = []
  for (const line of lines) {
    if (line === 'symrefs') request.symrefs = true
    else if (line === 'unborn') request.unborn = true
    else if (line.startsWith('ref-prefix ')) prefixes.push(line.slice('ref-prefix '.length))
    // Branches are commits: nothing is peeled.
    else if (line !== 'peel') throw new ProtocolRefusal('ls-refs: an argument is not supported')
  }

  return { ...request, prefixes: prefixes.length > mostPrefixes ? [] : prefixes }
}

/** Returns the answer to `ls-refs`. */
export function answerListRefs(
  listed: ListedRefs,
  { symrefs, unborn, prefixes }: ListRefsRequest,
): Buffer {
  const wanted = prefixTest(prefixes)
  const lines: Buffer[] = []
  if (wanted('HEAD')) {
    const oid = headCommit(listed)
    const target = ` symref-target:${listed.head}`
    if (oid !== undefined) lines.push(packet(`${oid} HEAD${symrefs ? target : ''}\n`))
    else if (unborn) lines.push(packet(`unborn HEAD${symrefs ? target : ''}\n`))
  }

  for (const { name, oid } of listed.refs) if (wanted(name)) lines.push(packet(`${oid} ${name}\n`))

  return Buffer.concat([...lines, flushPacket])
}

/**
 * Returns a test whether a name starts with one of the prefixes: a binary search, since a client
 * sends any number.
 */
function prefixTest(prefixes: readonly string[]): (name: string) => boolean {
  if (prefixes.length === 0) return () => true
  const kept: string[] = []
  for (const prefix of [...prefixes].sort())
    if (kept.length === 0 || !prefix.startsWith(kept.at(-1)!)) kept.push(prefix)

  return name => {
    let [low, high] = [0, kept.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (kept[middle]! <= name) low = middle + 1
      else high = middle
    }
    return low > 0 && name.startsWith(kept[low - 1]!)
  }
}
