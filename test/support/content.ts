import { createHash } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { Edits } from '../../src/content/edit/apply.ts'
import { applyChanges, type MemorySource } from '../../src/content/edit/apply-in-memory.ts'
import type { Change } from '../../src/content/edit/changes.ts'
import { readPageFacts } from '../../src/content/page/facts.ts'
import { parseSummary } from '../../src/content/summary/parse.ts'
import { decode, encode } from '../../src/content/text/bytes.ts'
import { buildTree, type ContentTree, type TreeInput } from '../../src/content/tree/build.ts'
import { readConfig, spelledAs } from '../../src/content/tree/config.ts'
import type { IdOverrides } from '../../src/content/tree/identity.ts'
import { readVariables } from '../../src/content/tree/variables.ts'
import { Fault } from '../../src/errors.ts'
import { asOid } from '../../src/lib/oid.ts'

export type Files = Map<string, Uint8Array>
export type Content = {
  files: Files
  identity: IdOverrides
  tree: ContentTree
  input: Omit<TreeInput, 'identity'>
}

export const spaceId = 'space'
/** The id that Git gives a blob. */
export const blobId = (bytes: Uint8Array) =>
  asOid(createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'))

/** Reads files as the service reads a revision. */
export function open(files: Files, identity: IdOverrides = new Map()): Content {
  const oids = new Map([...files].map(([path, bytes]) => [path, blobId(bytes)]))
  const byOid = new Map<string, Uint8Array>(
    [...files].map(([path, bytes]) => [oids.get(path)!, bytes]),
  )
  const { config: named, issues } = readConfig(files.get('.gitbook.yaml'))
  const config = spelledAs(named, path => files.has(path))
  const source = files.get(config.summary)
  const vars = readVariables(files.get(`${config.root}.gitbook/vars.yaml`))
  const input = {
    spaceId,
    files: [...files.keys()].sort().map(path => ({ path, oid: oids.get(path)!, mode: '100644' })),
    config,
    summary: source ? parseSummary(decode(source).text) : null,
    facts: (oid: string) => {
      const bytes = byOid.get(oid)
      return bytes && readPageFacts(bytes)
    },
    variables: vars.variables,
    issues: [
      ...issues.map(issue => ({ ...issue, path: '.gitbook.yaml' })),
      ...vars.issues.map(issue => ({ ...issue, path: `${config.root}.gitbook/vars.yaml` })),
    ],
  }

  return { files, identity, input, tree: buildTree({ ...input, identity }) }
}

/** Content made of texts by path. */
export const from = (texts: Record<string, string>): Content =>
  open(new Map(Object.entries(texts).map(([path, text]) => [path, encode(text)])))

/** Content as the source of an edit. */
export function sourceOf({ files, identity, tree, input }: Content): MemorySource {
  const blobs = new Map<string, Uint8Array>(
    [...files.values()].map(bytes => [blobId(bytes), bytes]),
  )
  return { spaceId, tree, identity, input, blob: oid => blobs.get(oid) }
}

/** Applies a batch of changes and reads the result from scratch. */
export function edit(content: Content, ...changes: Change[]): { edits: Edits; after: Content } {
  const edits = applyChanges(sourceOf(content), changes)
  const files = new Map(content.files)
  for (const [path, file] of edits.files) {
    if (!file) files.delete(path)
    else
      files.set(
        path,
        file.bytes ?? [...content.files.values()].find(bytes => blobId(bytes) === file.oid)!,
      )
    if (file) assert.is(blobId(files.get(path)!), file.oid)
  }

  const after = open(files, edits.identity)
  if (edits.tree) assert.equal(shape(edits.tree), shape(after.tree))

  return { edits, after }
}

/** The comparable part of a tree. */
export const shape = ({
  pageById,
  pageByPath,
  pageByFile,
  fileById,
  fileByPath,
  ...rest
}: ContentTree) => ({
  ...rest,
  files: [...rest.files].sort((a, b) => (a.path < b.path ? -1 : 1)),
  variables: { ...rest.variables },
  pageById: [...pageById].map(([id, page]) => [id, page.key, page.parentId]),
  pageByPath: [...pageByPath].map(([path, page]) => [path, page.id]).sort(),
  pageByFile: [...pageByFile].map(([path, page]) => [path, page.id, page.file?.oid]).sort(),
  fileById: [...fileById].sort(),
  fileByPath: [...fileByPath].sort(),
})

export const textOf = (content: Content, path: string) =>
  decode(content.files.get(path) ?? new Uint8Array()).text
export const idAt = (content: Content, path: string) => content.tree.pageByPath.get(path)!.id

/** Returns the fault that the work is refused with. */
export function refusal(work: () => unknown): Fault {
  try {
    work()
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error(`It was not refused: ${work}`)
}
