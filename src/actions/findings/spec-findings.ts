import { type Finding, finding } from '../../content/findings/kinds.ts'
import { linkSources, type RevisionLink } from '../../content/links/list.ts'
import { openapiBlockSteps } from '../../content/openapi/blocks.ts'
import { decode } from '../../content/text/bytes.ts'
import { lineCounter } from '../../content/text/issues.ts'
import type { Context } from '../../context.ts'
import { inSlices } from '../../lib/slices.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { streamReadable } from '../revisions/read-content.ts'
import { fileAt, fileSpec, mostSpecsOfText } from '../specs/file-specs.ts'
import type { FileSpec, FilesOfSpace } from '../specs/kept-file-specs.ts'
import { readPiece } from '../specs/read-spec.ts'

/** The most files with specs that are read for the findings of a revision. */
const mostSpecs = 50

/** The most bytes of a page whose blocks are checked. */
const longestPage = 1024 * 1024

/**
 * Returns the findings about blocks that show parts of specs in files of a revision: the file is no
 * spec, or has no such operation, webhook or schema. A file that does not exist is a broken link. Not `whole` if
 * one of the files cannot be read now.
 */
export async function specFindings(
  ctx: Context,
  place: FilesOfSpace,
  links: readonly RevisionLink[],
  signal: AbortSignal,
): Promise<{ findings: Finding[]; whole: boolean }> {
  const named = new Set<string>()
  for (const { how, to, source } of links)
    if (how === 'openapi' && to.kind === 'file') named.add(source)
  const sources = linkSources(place.content).filter(({ path }) => named.has(path))
  const oids = sources.map(({ oid }) => oid)
  const specs = new Map<string, FileSpec>()
  const found: Finding[] = []
  const repo = spaceRepository(ctx, place.spaceId)

  for await (const [oid, bytes] of streamReadable(repo, oids, longestPage))
    for (const { path } of sources.filter(each => each.oid === oid)) {
      signal.throwIfAborted()
      found.push(...(await inPage(ctx, place, { path, text: decode(bytes).text, signal }, specs)))
    }

  return { findings: found, whole: ![...specs.values()].some(spec => 'passes' in spec) }
}

const tooMany = `a page shows operations of at most ${mostSpecsOfText} files.`

async function inPage(
  ctx: Context,
  place: FilesOfSpace,
  { path, text, signal }: { path: string; text: string; signal: AbortSignal },
  specs: Map<string, FileSpec>,
): Promise<Finding[]> {
  const lineAt = lineCounter(text)
  const found: Finding[] = []
  const targets = new Set<string>()

  for (const block of await inSlices(openapiBlockSteps(text), signal)) {
    if (!('file' in block)) continue
    const at = { file: path, line: lineAt(block.start) }
    const name = `"${block.file.slice(0, 300)}"`
    if (!targets.has(block.file) && targets.size >= mostSpecsOfText) {
      found.push(finding('missing-operation', at, `${name} is not shown: ${tooMany}`))
      continue
    }
    targets.add(block.file)
    const file = fileAt(place, path, block.file)
    if (!file || (!specs.has(file.path) && specs.size >= mostSpecs)) continue
    const spec = specs.get(file.path) ?? (await fileSpec(ctx, place, file, signal))
    specs.set(file.path, spec)
    const missing =
      'why' in spec
        ? []
        : block.keys.filter(key => readPiece(ctx, spec.versionId, key) === undefined)

    if ('why' in spec)
      found.push(finding('missing-operation', at, `${name} cannot be shown: ${spec.why}`))
    for (const key of missing)
      found.push(finding('missing-operation', at, `${name} has no ${nameOf(key)}.`))
  }

  return found
}

/** Returns the key of a piece in words: `operation "GET /pets"`. */
function nameOf(key: string): string {
  const [kind = '', ...words] = key.split(' ')
  const [first = '', ...rest] = words
  const shown = kind === 'schema' ? words : [first.toUpperCase(), ...rest]
  return `${kind} "${shown.join(' ').trim().slice(0, 300)}"`
}
