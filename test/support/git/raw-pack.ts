import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, deflateRawSync, deflateSync, gunzipSync } from 'node:zlib'
import type { ServerMode } from './git-server.ts'

/**
 * An entry of a pack: an object, one that is given as it is in the pack, or a delta against the
 * entry `base` (an index in the pack) or the object `base`.
 */
export type PackEntry =
  | { type: 'commit' | 'tree' | 'blob' | 'tag'; content: Buffer }
  | { type: 'deflated'; size: number; content: Buffer }
  | { type: 'delta'; base: number | string; content: Buffer }

const types = { commit: 1, tree: 2, blob: 3, tag: 4, ofsDelta: 6, refDelta: 7 }

/** Encodes a number with seven bits per byte, lowest first. */
function varint(value: number): number[] {
  const bytes: number[] = []
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128)
  return [...bytes, value]
}

function entryHead(type: number, size: number): Buffer {
  const more = size > 15 ? varint(Math.floor(size / 16)) : []
  return Buffer.from([(more.length > 0 ? 128 : 0) | (type << 4) | (size & 15), ...more])
}

/** Encodes the distance back to a base, in the pack format. */
function distance(value: number): Buffer {
  const bytes = [value & 127]
  for (value >>= 7; value > 0; value >>= 7) bytes.unshift(128 | (--value & 127))
  return Buffer.from(bytes)
}

export const sha1 = (...parts: (Buffer | string)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha1')).digest()

export const objectId = (type: string, content: Buffer): string =>
  sha1(`${type} ${content.length}\0`, content).toString('hex')

/** Builds a pack of these entries without checking them. */
export function packOf(entries: readonly PackEntry[]): Buffer {
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(entries.length, 8)
  const parts: Buffer[] = [head]
  const starts: number[] = []
  let at = head.length

  for (const entry of entries) {
    starts.push(at)
    const { content } = entry
    const bytes: Buffer[] = []

    if (entry.type === 'deflated') bytes.push(entryHead(types.blob, entry.size))
    else if (entry.type !== 'delta') bytes.push(entryHead(types[entry.type], content.length))
    else if (typeof entry.base === 'string')
      bytes.push(entryHead(types.refDelta, content.length), Buffer.from(entry.base, 'hex'))
    else
      bytes.push(
        entryHead(types.ofsDelta, content.length),
        distance(at - (starts[entry.base] ?? 0)),
      )

    bytes.push(entry.type === 'deflated' ? content : deflateSync(content))
    parts.push(...bytes)
    for (const part of bytes) at += part.length
  }

  const whole = Buffer.concat(parts)

  return Buffer.concat([whole, sha1(whole)])
}

/** A file of this many megabytes of zeros, without the time to deflate them. */
export function zerosEntry(megabytes: number): PackEntry {
  const size = megabytes * 1024 ** 2
  const block = deflateRawSync(Buffer.alloc(1024 ** 2), { finishFlush: constants.Z_FULL_FLUSH })
  // The end is an empty last block and the Adler-32 of zeros.
  const end = Buffer.from([3, 0, 0, 0, 0, 1])
  end.writeUInt16BE(size % 65521, 2)
  const content = Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array(megabytes).fill(block), end])
  return { type: 'deflated', size, content }
}

/**
 * A delta that copies the first `size` bytes of its base (16 MB at most) `times` times and appends
 * `tail`.
 */
export function copyDelta(baseSize: number, size: number, times: number, tail = ''): Buffer {
  const copy = [0xf0, size & 255, (size >> 8) & 255, (size >> 16) & 255]
  const target = size * times + tail.length
  return Buffer.from([
    ...varint(baseSize),
    ...varint(target),
    ...Array.from({ length: times }, () => copy).flat(),
    ...(tail ? [tail.length, ...Buffer.from(tail)] : []),
  ])
}

/**
 * A commit, its tree with one page, and the page: the first entries of a pack whose branch is the
 * commit.
 */
export function homeEntries(): { entries: PackEntry[]; commit: string } {
  const page = Buffer.from('# Home\n')
  const name = Buffer.from('100644 README.md\0')
  const tree = Buffer.concat([name, Buffer.from(objectId('blob', page), 'hex')])
  const who = 'Mallory <mallory@example.org> 1700000000 +0000'
  const text = `tree ${objectId('tree', tree)}\nauthor ${who}\ncommitter ${who}\n\nHostile\n`
  const commit = Buffer.from(text)
  const entries: PackEntry[] = [
    { type: 'commit', content: commit },
    { type: 'tree', content: tree },
    { type: 'blob', content: page },
  ]

  return { entries, commit: objectId('commit', commit) }
}

function packet(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

/** Bytes for the band of the call, or for an explicit band. */
type Piece = Buffer | readonly [band: 1 | 2, bytes: Buffer]

/** Sends a piece, then a progress message every 50 ms until the client disconnects. */
export async function* droning(first: Iterable<Piece> = []): AsyncGenerator<Piece> {
  yield* first
  for (;;) {
    yield [
      2,
      Buffer.from(
        '\nReceiving objects: 100% (9/9), done.\rResolving deltas: 50% (1/2)\r'.repeat(20),
      ),
    ]
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

/**
 * The responses of a host with one branch "main" at `commit` that sends these bytes unchanged as
 * the pack, or with `band` 2 as progress.
 */
export const sendingPack =
  (
    commit: string,
    bytes: Iterable<Piece> | AsyncIterable<Piece>,
    band: 1 | 2 = 1,
  ): Extract<ServerMode, (...args: never) => unknown> =>
  (request, response) => {
    if (request.method === 'GET') advertise(response, commit)
    else answer(request, response, bytes, band).catch(() => response.destroy())
    return false
  }

function advertise(response: ServerResponse, commit: string): void {
  response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
  const capabilities = 'side-band-64k ofs-delta symref=HEAD:refs/heads/main'
  response.write(Buffer.concat([packet('# service=git-upload-pack\n'), Buffer.from('0000')]))
  response.end(
    Buffer.concat([packet(`${commit} refs/heads/main\0${capabilities}\n`), Buffer.from('0000')]),
  )
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  source: Iterable<Piece> | AsyncIterable<Piece>,
  band: 1 | 2,
): Promise<void> {
  const sent: Buffer[] = []
  for await (const chunk of request) sent.push(chunk)
  const body = Buffer.concat(sent)
  const asked = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString(
    'latin1',
  )

  response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' })
  response.write(packet('NAK\n'))
  if (!asked.includes('0009done')) return void response.end()

  const closed = once(response, 'close')

  for await (const piece of source) {
    const [on, bytes] = Buffer.isBuffer(piece) ? [band, piece] : piece
    for (let at = 0; at < bytes.length; at += 65_000) {
      if (response.destroyed) return
      const part = Buffer.concat([Buffer.from([on]), bytes.subarray(at, at + 65_000)])
      if (!response.write(packet(part))) await Promise.race([once(response, 'drain'), closed])
    }
  }

  response.end('0000')
}
