import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of a zip, and what is wrong with it. */
export type ZipEntry = {
  path: string
  bytes: Uint8Array | string
  /** The size that the zip declares; by default the true one. */
  size?: number
  /** By default a regular file. */
  mode?: number
  encrypted?: boolean
  checksum?: number
}

const deflated = 8

/** Returns a zip of these entries, as the format has it. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = []
  const index: Buffer[] = []
  let at = 0
  for (const { path, bytes, size, mode = 0o100644, encrypted, checksum } of entries) {
    const raw = Buffer.from(bytes)
    const packed = deflateRawSync(raw)
    const name = Buffer.from(path)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE((encrypted ? 1 : 0) | 0x800, 2)
    common.writeUInt16LE(deflated, 4)
    common.writeUInt32LE(checksum ?? crc32(raw), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size ?? raw.length, 18)
    common.writeUInt16LE(name.length, 22)
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), common, name, packed)
    const place = Buffer.alloc(14)
    place.writeUInt32LE((mode << 16) >>> 0, 6)
    place.writeUInt32LE(at, 10)
    index.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, place, name)
    at += 30 + name.length + packed.length
  }
  const list = Buffer.concat(index)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, list, end])
}
