import { wholeTypes } from './entry-header.ts'
import { deflated } from './loose.ts'
import type { ObjectType } from './objects.ts'

/**
 * Returns the pack entry of a whole object: type and size as seven bits a byte (four in the first),
 * then the deflated content.
 */
export async function packEntry({
  type,
  content,
}: {
  type: ObjectType
  content: Buffer
}): Promise<Buffer> {
  const header: number[] = []
  let byte = (wholeTypes.indexOf(type) << 4) | (content.length & 15)
  for (let size = Math.floor(content.length / 16); size > 0; size = Math.floor(size / 128)) {
    header.push(byte | 128)
    byte = size & 127
  }
  return Buffer.concat([Buffer.from([...header, byte]), await deflated(content)])
}
