import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Oid } from '../../lib/oid.ts'
import { GitError } from '../values/errors.ts'
import { parseRefLines } from '../values/parse.ts'

/**
 * Returns the refs in a bundle file by name, from its first lines. Throws GitError 'bad_objects'
 * unless it is a bundle.
 */
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

  if (!lines[0]?.startsWith('# v'))
    throw new GitError('bad_objects', 'The file is not a Git bundle.')

  const refs = parseRefLines(Buffer.from(lines.join('\n'), 'latin1').toString())

  refs.delete('HEAD')

  return refs
}
