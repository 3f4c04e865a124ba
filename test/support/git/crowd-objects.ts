import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'

/**
 * Writes loose, unreachable blobs into the one object folder by whose size Git estimates the total:
 * as many as that folder has in a repository of 7,000 objects. Returns their texts by id.
 */
export function crowdObjects(repositoryDir: string): Map<string, string> {
  const folder = join(repositoryDir, 'objects/17')
  mkdirSync(folder, { recursive: true })
  const blobs = new Map<string, string>()

  for (let i = 0; blobs.size < 28; i++) {
    const whole = `blob ${`text ${i}`.length}\0text ${i}`
    const oid = createHash('sha1').update(whole).digest('hex')
    if (!oid.startsWith('17')) continue
    writeFileSync(join(folder, oid.slice(2)), deflateSync(whole), { mode: 0o444 })
    blobs.set(oid, `text ${i}`)
  }

  return blobs
}
