import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import git from 'isomorphic-git'
import { Volume } from 'memfs'
import { asOid, type Oid } from '../../lib/oid.ts'
import { deflated, looseFile } from '../objects/loose.ts'
import { type NewObject, type ObjectType, wholeObject } from '../objects/objects.ts'

/** An object of a volume, with its content and its loose file. */
type VolumeObject = Required<Omit<NewObject, 'whole'>> & {
  type: ObjectType
  content: Buffer
  whole: () => Buffer
}

/** Loose objects on a volume in memory. */
export type ObjectVolume = {
  writeBlob: (bytes: Uint8Array) => Promise<Oid>
  /** Writes a tree or a commit from its bytes. */
  writeContent: (type: 'tree' | 'commit', content: Uint8Array) => Promise<Oid>
  /** Writes an object of any type from its bytes with header, which `wholeObject` returns. */
  writeWhole: (oid: Oid, whole: Buffer) => void
  /** Returns an object of the volume, undefined when it has none with this id. */
  readObject: (oid: Oid) => { type: ObjectType; content: Buffer } | undefined
  /** Returns all objects, with their loose files. */
  objects: () => VolumeObject[]
}

const folder = '/objects'

/**
 * Opens an empty volume. isomorphic-git encodes and hashes blobs. Its public functions that encode
 * trees and commits also compress them with CompressionStream, which takes eight times the CPU time
 * of zlib for a small object, so callers encode trees and commits. The volume is written through
 * memfs: isomorphic-git's function for deflated objects is deprecated, and slower. A loose file is
 * written when it is first asked for: many objects become a pack, which compresses them
 * differently. Objects are read from the content that the volume holds, not from these files.
 */
export function openObjectVolume(): ObjectVolume {
  const volume = new Volume()
  volume.mkdirSync(folder, { recursive: true })
  const written = new Map<Oid, VolumeObject>()
  const writeFile = async (name: string, whole: Buffer): Promise<Buffer> => {
    if (!volume.existsSync(name)) {
      const bytes = await deflated(whole)
      volume.mkdirSync(dirname(name), { recursive: true })
      volume.writeFileSync(name, bytes)
    }
    return volume.readFileSync(name) as Buffer
  }

  const write = (type: ObjectType, id: string, whole: Buffer): Oid => {
    const oid = asOid(id)
    const file = () => writeFile(looseFile(folder, oid), whole)
    if (!written.has(oid))
      written.set(oid, { oid, type, content: contentOf(whole), file, whole: () => whole })
    return oid
  }

  return {
    writeBlob: async bytes => {
      const { oid, object } = await git.hashBlob({ object: bytes })
      return write('blob', oid, Buffer.from(object.buffer, object.byteOffset, object.length))
    },
    writeContent: async (type, content) => {
      const whole = wholeObject({ type, content })
      return write(type, createHash('sha1').update(whole).digest('hex'), whole)
    },
    writeWhole: (oid, whole) => {
      write(whole.toString('latin1', 0, whole.indexOf(' ')) as ObjectType, oid, whole)
    },
    readObject: oid => {
      const own = written.get(oid)
      return own && { type: own.type, content: own.content }
    },
    objects: () => [...written.values()],
  }
}

const contentOf = (whole: Buffer): Buffer => whole.subarray(whole.indexOf(0) + 1)
