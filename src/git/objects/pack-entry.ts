import type { Oid } from '../../lib/oid.ts'
import { idDelta, wholeTypes } from './entry-header.ts'
import { deflated } from './loose.ts'
import type { ObjectType } from './objects.ts'

/** Returns the pack entry of a whole object: its type and size, then the deflated content. */
export async function packEntry({
  type,
  content,
}: {
  type: ObjectType
  content: Buffer
}): Promise<Buffer> {
  const header = headerOf(wholeTypes.indexOf(type), content.length)
  return Buffer.concat([header, await deflated(content)])
}

/** Returns the pack entry of a tree as a delta against one with an id: entries of both are copied. */
export async function treeDeltaEntry(id: Oid, base: Buffer, content: Buffer): Promise<Buffer> {
  const delta = deltaOf(base, content)
  return Buffer.concat([
    headerOf(idDelta, delta.length),
    Buffer.from(id, 'hex'),
    await deflated(delta),
  ])
}

/** Returns type and size as seven bits a byte, four in the first. */
function headerOf(type: number, size: number): Buffer {
  return Buffer.from(sevenBits((type << 4) | (size & 15), Math.floor(size / 16)))
}

/** Returns bytes of which each but the last has its highest bit set. */
function sevenBits(first: number, more: number): number[] {
  const bytes: number[] = []
  let byte = first
  for (let rest = more; rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 128)
    byte = rest & 127
  }
  return [...bytes, byte]
}

function deltaOf(base: Buffer, content: Buffer): Buffer {
  const places = new Map(entriesOf(base).map(({ at, text }) => [text, at]))
  const parts: Buffer[] = [Buffer.from([...sizeOf(base.length), ...sizeOf(content.length)])]
  let same = { from: 0, bytes: 0 }
  for (const { at, text } of entriesOf(content)) {
    const place = places.get(text)
    if (place !== undefined && place === same.from + same.bytes) {
      same.bytes += text.length
      continue
    }
    parts.push(...copies(same.from, same.bytes))
    same = { from: place ?? 0, bytes: place === undefined ? 0 : text.length }
    if (place === undefined) parts.push(...insertions(content.subarray(at, at + text.length)))
  }
  return Buffer.concat([...parts, ...copies(same.from, same.bytes)])
}

/** Returns the entries of a tree, each as Latin-1, and where it begins. */
function entriesOf(tree: Buffer): { at: number; text: string }[] {
  const entries: { at: number; text: string }[] = []
  for (let at = 0; at < tree.length; ) {
    const end = Math.max(tree.indexOf(0, at), at) + 21
    entries.push({ at, text: tree.toString('latin1', at, end) })
    at = end
  }
  return entries
}

/** The most bytes that one instruction of a delta inserts, and copies. */
const mostInserted = 127
const mostCopied = 0xff_ff

const sizeOf = (size: number) => sevenBits(size & 127, Math.floor(size / 128))

/** Returns instructions that insert bytes. */
function insertions(bytes: Buffer): Buffer[] {
  const made: Buffer[] = []
  for (let at = 0; at < bytes.length; at += mostInserted) {
    const some = bytes.subarray(at, at + mostInserted)
    made.push(Buffer.from([some.length]), some)
  }
  return made
}

/** Returns instructions that copy bytes of the base: each with an offset and a size. */
function copies(from: number, bytes: number): Buffer[] {
  const made: Buffer[] = []
  for (let done = 0; done < bytes; done += mostCopied) {
    const copy = Buffer.alloc(7)
    copy[0] = 0b1011_1111
    copy.writeUInt32LE(from + done, 1)
    copy.writeUInt16LE(Math.min(mostCopied, bytes - done), 5)
    made.push(copy)
  }
  return made
}
