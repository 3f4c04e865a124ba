import { mustGet } from '../../lib/must-get.ts'
import { readPageFacts } from '../page/facts.ts'
import { parseSummary } from '../summary/parse.ts'
import { decode } from '../text/bytes.ts'
import { buildTree } from '../tree/build.ts'
import { readConfig } from '../tree/config.ts'
import { applyChanges } from './apply-in-memory.ts'
import type { ApplyTemplate } from './changes.ts'
import { blobId } from './draft.ts'

/**
 * Returns the files of a new space that is created from a template: the given initial files with
 * the template applied. Throws like `applyTemplate`: a new space has no files or pages that a name
 * could refer to.
 */
export function filesWithTemplate(
  spaceId: string,
  files: readonly [path: string, text: string][],
  change: ApplyTemplate,
): [path: string, bytes: Uint8Array][] {
  const bytesOf = new Map<string, Uint8Array>(
    files.map(([path, text]) => [path, Buffer.from(text)]),
  )
  const byOid = new Map<string, Uint8Array>()
  const listed = [...bytesOf].map(([path, bytes]) => {
    const oid = blobId(bytes)
    byOid.set(oid, bytes)
    return { path, oid, mode: '100644' }
  })
  const { config } = readConfig(undefined)
  const contents = bytesOf.get(config.summary)
  const input = {
    spaceId,
    files: listed,
    config,
    summary: contents ? parseSummary(decode(contents).text) : null,
    facts: (oid: string) => {
      const bytes = byOid.get(oid)
      return bytes && readPageFacts(bytes)
    },
    variables: {},
  }
  const identity = new Map()
  const tree = buildTree({ ...input, identity })
  const edits = applyChanges({ spaceId, tree, identity, input, blob: oid => byOid.get(oid) }, [
    change,
  ])

  for (const [path, file] of edits.files) {
    if (!file) bytesOf.delete(path)
    else bytesOf.set(path, file.bytes ?? mustGet(byOid, file.oid))
  }

  return [...bytesOf]
}
