import { createHash } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { pauses } from '../../lib/slices.ts'
import { writeSynced } from '../disk/durable.ts'
import type { NewObject, ObjectType } from './objects.ts'
import { packEntry } from './pack-entry.ts'

/**
 * Bytes after which a pack is written and the next one started: memory holds at most this plus one
 * object.
 */
const packBytes = 16 * 1024 * 1024

/** An object in a pack: its header and its deflated content. */
type Entry = { oid: Oid; bytes: Buffer; offset: number }

/**
 * Writes objects as packs, a single one unless they are large. Pack and index are each written to a
 * temporary name, synced and renamed; the index last, since it makes the pack visible. On return
 * the contents are on the disk but the names are not: sync the folder. When it throws, no partial
 * pack remains.
 */
export async function writePacks(folder: string, objects: readonly NewObject[]): Promise<void> {
  const pause = pauses()
  let entries: Entry[] = []
  let end = headerBytes

  for (const [i, { oid, whole }] of objects.entries()) {
    const bytes = await entryOf(await whole())
    entries.push({ oid, bytes, offset: end })
    end += bytes.length
    await pause()
    if (end < packBytes && i < objects.length - 1) continue
    await writePack(folder, entries)
    entries = []
    end = headerBytes
  }
}

const headerBytes = 12

/** Returns a pack of entries. */
export function packOf(entries: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.write('PACK')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(entries.length, 8)
  return withDigest([header, ...entries])
}

async function writePack(folder: string, entries: readonly Entry[]): Promise<void> {
  const pack = packOf(entries.map(entry => entry.bytes))
  const digest = pack.subarray(-20)
  const index = indexOf(entries, digest)

  // Git's own prefixes for temporary files, so that its housekeeping recognizes leftovers.
  const files = [
    { temporary: join(folder, `tmp_pack_${randomId(10)}`), content: pack, ending: 'pack' },
    { temporary: join(folder, `tmp_idx_${randomId(10)}`), content: index, ending: 'idx' },
  ]

  await mkdir(folder, { recursive: true })

  try {
    await Promise.all(files.map(({ temporary, content }) => writeSynced(temporary, content, 0o444)))
    for (const { temporary, ending } of files)
      await rename(temporary, join(folder, `pack-${digest.toString('hex')}.${ending}`))
  } catch (error) {
    await Promise.all(files.map(({ temporary }) => rm(temporary, { force: true })))
    throw error
  }
}

/** Returns the pack entry of an object that is preceded by its type, its size and a zero byte. */
async function entryOf(whole: Buffer): Promise<Buffer> {
  const type = whole.toString('latin1', 0, whole.indexOf(' ')) as ObjectType
  return packEntry({ type, content: whole.subarray(whole.indexOf(0) + 1) })
}

/**
 * Returns the index of a pack, version 2: for each byte the number of ids that start with it or a
 * lower one, the sorted ids, and the checksum and offset of each entry.
 */
function indexOf(entries: readonly Entry[], digest: Buffer): Buffer {
  const sorted = [...entries].sort((a, b) => (a.oid < b.oid ? -1 : 1))
  const counts = new Array<number>(256).fill(0)
  for (const { oid } of sorted) counts[Number.parseInt(oid.slice(0, 2), 16)]!++
  let sum = 0
  const sums = counts.map(count => {
    sum += count
    return sum
  })

  return withDigest([
    Buffer.from([0xff, 0x74, 0x4f, 0x63]),
    numbers([2, ...sums]),
    ...sorted.map(({ oid }) => Buffer.from(oid, 'hex')),
    numbers(sorted.map(({ bytes }) => crc32(bytes))),
    numbers(sorted.map(({ offset }) => offset)),
    digest,
  ])
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, i * 4)
  return bytes
}

/** Returns the concatenated parts followed by their SHA-1. */
function withDigest(parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha1')
  for (const part of parts) hash.update(part)
  return Buffer.concat([...parts, hash.digest()])
}
