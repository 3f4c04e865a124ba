import { execFileSync } from 'node:child_process'

/** Reads many blobs with one `cat-file --batch`. */
export function readBlobs(repo: string, oids: string[]): Map<string, Buffer> {
  const args = ['-C', repo, 'cat-file', '--batch']
  const output = execFileSync('git', args, { input: `${oids.join('\n')}\n`, maxBuffer: 2 ** 30 })
  const blobs = new Map<string, Buffer>()

  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at)
    const [oid, , size] = output.toString('latin1', at, end).split(' ')
    blobs.set(oid!, output.subarray(end + 1, end + 1 + Number(size)))
    at = end + 2 + Number(size)
  }

  return blobs
}
