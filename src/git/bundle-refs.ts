import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { GitError } from './errors.ts'
import type { Oid } from './oid.ts'
import { parseRefLines } from './parse.ts'

/** The refs that a bundle file holds, by name, from its first lines. Throws GitError 'bad_objects' when it is no bundle. */
export async function readBundleRefs(file: string): Promise<Map<string, Oid>> {
  const input = createReadStream(file, { encoding: 'latin1' })
  const lines: string[] = []
  try {
    for await (const line of createInterface({ input })) {
      if (line === '') break
      lines.push(line)
    }
  } finally {
    input.destroy()
  }
  if (!lines[0]?.startsWith('# v')) throw new GitError('bad_objects', 'The file is no bundle.')
  const refs = parseRefLines(Buffer.from(lines.join('\n'), 'latin1').toString())
  refs.delete('HEAD')
  return refs
}
