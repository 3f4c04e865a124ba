import { type FileHandle, open } from 'node:fs/promises'

/** Returns whether a font has a glyph for a code point. */
export type Coverage = (codePoint: number) => boolean

/** Larger tables are not read; those of fonts with all Chinese characters have 300 kB. */
const mostBytes = 4 * 1024 * 1024

const nothing: Coverage = () => false

/**
 * Returns which characters a TrueType or OpenType font has according to its `cmap`; for a
 * collection, those of its first font. A file that is not a font has none. Throws when the file
 * cannot be opened.
 */
export async function readCoverage(path: string): Promise<Coverage> {
  const file = await open(path)
  try {
    const table = await readCmap(file)
    return table ? coverageOf(rangesOf(table)) : nothing
  } catch (error) {
    // Only offsets beyond the end of the file can fail from here on.
    if (error instanceof RangeError) return nothing
    throw error
  } finally {
    await file.close()
  }
}

async function read(file: FileHandle, length: number, position: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

async function readCmap(file: FileHandle): Promise<Buffer | undefined> {
  const start = await read(file, 16, 0)
  const first = start.toString('latin1', 0, 4) === 'ttcf' ? start.readUInt32BE(12) : 0
  const count = (await read(file, 12, first)).readUInt16BE(4)
  const records = await read(file, count * 16, first + 12)

  for (let at = 0; at + 16 <= records.length; at += 16) {
    if (records.toString('latin1', at, at + 4) !== 'cmap') continue
    const length = records.readUInt32BE(at + 12)
    return length > mostBytes ? undefined : read(file, length, records.readUInt32BE(at + 8))
  }

  return undefined
}

type Ranges = [from: number, to: number][]

/** Returns the ranges of the widest Unicode table, in order. */
function rangesOf(cmap: Buffer): Ranges {
  const count = cmap.readUInt16BE(2)
  let best: { at: number; format: number } | undefined
  for (let i = 0; i < count; i++) {
    const platform = cmap.readUInt16BE(4 + i * 8)
    const encoding = cmap.readUInt16BE(6 + i * 8)
    if (platform !== 0 && !(platform === 3 && (encoding === 1 || encoding === 10))) continue
    const at = cmap.readUInt32BE(8 + i * 8)
    const format = cmap.readUInt16BE(at)
    if ((format === 12 || format === 4) && format > (best?.format ?? 0)) best = { at, format }
  }

  if (!best) return []

  const ranges = best.format === 12 ? groupsOf(cmap, best.at) : segmentsOf(cmap, best.at)

  return ranges.sort(([a], [b]) => a - b)
}

function groupsOf(cmap: Buffer, at: number): Ranges {
  const count = cmap.readUInt32BE(at + 12)
  const ranges: Ranges = []
  for (let i = 0, from = at + 16; i < count; i++, from += 12)
    ranges.push([cmap.readUInt32BE(from), cmap.readUInt32BE(from + 4)])
  return ranges
}

function segmentsOf(cmap: Buffer, at: number): Ranges {
  const doubled = cmap.readUInt16BE(at + 6)
  const ranges: Ranges = []
  for (let i = 0; i < doubled; i += 2) {
    const to = cmap.readUInt16BE(at + 14 + i)
    const from = cmap.readUInt16BE(at + 16 + doubled + i)
    if (from <= to && from !== 0xffff) ranges.push([from, to])
  }
  return ranges
}

function coverageOf(ranges: Ranges): Coverage {
  return codePoint => {
    let [low, high] = [0, ranges.length - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      const [from, to] = ranges[middle]!
      if (codePoint < from) high = middle - 1
      else if (codePoint > to) low = middle + 1
      else return true
    }

    return false
  }
}
