import { zeroOid } from '../../lib/oid.ts'
import { headCommit, type ListedRefs } from './listed-refs.ts'
import { flushPacket, packet } from './packets.ts'

export type Service = 'git-upload-pack' | 'git-receive-pack'

/** What the installed Git offers to clients of `upload-pack`, as it says itself. */
export type FetchCapabilities = {
  /** Words of versions 0 and 1, without those that depend on the repository or name the agent. */
  v1: readonly string[]
  /** The features of the command `fetch` of version 2. */
  fetch: readonly string[]
}

/**
 * The capabilities of a push, whose meaning is ours. `no-thin` keeps the base of every delta inside
 * the pack.
 */
const pushCapabilities = [
  'report-status',
  'report-status-v2',
  'delete-refs',
  'side-band-64k',
  'quiet',
  'atomic',
  'ofs-delta',
  'no-thin',
  'push-options',
  'object-format=sha1',
]

/** Returns the answer to `info/refs` of a fetch in version 0 or 1. */
export function advertiseFetch(
  listed: ListedRefs,
  version: 0 | 1,
  capabilities: FetchCapabilities,
  agent: string,
): Buffer {
  const head = headCommit(listed)
  const words = [
    ...capabilities.v1,
    ...(head === undefined ? [] : [`symref=HEAD:${listed.head}`]),
    'object-format=sha1',
    `agent=${agent}`,
  ]
  const refs = head === undefined ? listed.refs : [{ name: 'HEAD', oid: head }, ...listed.refs]
  return advertise('git-upload-pack', version, refs, words)
}

/** Returns the answer to `info/refs` of a push. Version 2 does not exist for pushes. */
export const advertisePush = (
  { refs }: Pick<ListedRefs, 'refs'>,
  version: 0 | 1,
  agent: string,
): Buffer => advertise('git-receive-pack', version, refs, [...pushCapabilities, `agent=${agent}`])

/**
 * Returns the answer to `info/refs` of a fetch in version 2, which does not depend on the
 * repository.
 */
export const advertiseVersion2 = ({ fetch }: FetchCapabilities, agent: string): Buffer =>
  Buffer.concat([
    packet('version 2\n'),
    packet(`agent=${agent}\n`),
    packet('ls-refs=unborn\n'),
    packet(`fetch=${fetch.join(' ')}\n`),
    packet('object-format=sha1\n'),
    flushPacket,
  ])

function advertise(
  service: Service,
  version: 0 | 1,
  refs: ListedRefs['refs'],
  words: readonly string[],
): Buffer {
  const named = refs.length > 0 ? refs : [{ name: 'capabilities^{}', oid: zeroOid }]
  return Buffer.concat([
    packet(`# service=${service}\n`),
    flushPacket,
    ...(version === 1 ? [packet('version 1\n')] : []),
    ...named.map(({ name, oid }, i) =>
      packet(`${oid} ${name}${i === 0 ? `\0${words.join(' ')}` : ''}\n`),
    ),
    flushPacket,
  ])
}
