import { stateSlot } from '../../caches.ts'
import {
  type OpenapiBlock,
  openapiBlockSteps,
  replaceBlocks,
  slugSteps,
  specFileSteps,
} from '../../content/openapi/blocks.ts'
import { describeVersion } from '../../content/openapi/describe.ts'
import { words } from '../../content/openapi/text.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices, pauses } from '../../lib/slices.ts'
import { pageText } from '../revisions/page-text.ts'
import { fileAt, fileSpec, mostSpecsOfText } from './file-specs.ts'
import { type FilesOfSpace, findReading, idOfFile } from './kept-file-specs.ts'
import { findSpecOutline, readPiece, unreadMark } from './read-spec.ts'

/** The most characters that the blocks of one page expand to; further blocks stay unchanged. */
const mostText = 8 * 1024 * 1024

/** Where the text of a page comes from: the organization, the revision, and the page's file. */
type PageSource = FilesOfSpace & { organizationId: string; path: string | undefined }

/**
 * Expands the OpenAPI blocks of a page to Markdown, from the latest versions of the organization's
 * specs and from files of the page's revision. A block whose spec or part is missing stays
 * unchanged, like those of further files beyond the most files of a text; one that names a file on
 * the web becomes a link, and nothing is fetched. `written` is
 * the page before evaluation. Only specs and files named in it are shown: access to them was checked
 * when it was written, which does not cover names that an expression puts together.
 */
export async function resolveBlocks(
  ctx: Context,
  source: PageSource,
  markdown: string,
  { written = markdown, signal }: { written?: string; signal?: AbortSignal | undefined } = {},
): Promise<string> {
  const blocks = await inSlices(openapiBlockSteps(markdown), signal)
  if (blocks.length === 0) return markdown
  const named = new Set(await inSlices(slugSteps(written), signal))
  const files = new Set(await inSlices(specFileSteps(written), signal))
  const known: Known = { specs: new Map(), files: new Map(), signal }
  const texts = new Map<OpenapiBlock, string>()
  const pause = pauses(signal)
  let length = 0

  for (const block of blocks) {
    if ('spec' in block && !named.has(block.spec)) continue
    if ('file' in block && !files.has(block.file)) continue
    const text =
      'url' in block
        ? linkOf(block)
        : textOf(ctx, await versionOf(ctx, source, block, known), block, mostText - length)
    length += text.length
    if (length > mostText) break
    if (text !== '') texts.set(block, text)
    await pause()
  }

  return texts.size === 0 ? markdown : replaceBlocks(markdown, texts)
}

const linkOf = ({ url, label }: { url: string; label: string }): string =>
  `[${words(label)}](<${url}>)`

/** The versions that were looked up, by slug and by target. */
type Known = Record<'specs' | 'files', Map<string, Oid | undefined>> & {
  signal: AbortSignal | undefined
}

/** Returns the version of the spec that a block names, which is looked up once. */
async function versionOf(
  ctx: Context,
  source: PageSource,
  block: { spec: string } | { file: string },
  { specs, files, signal }: Known,
): Promise<Oid | undefined> {
  if ('spec' in block) {
    if (!specs.has(block.spec)) {
      const found = await findSpecOutline(ctx, source.organizationId, block.spec)
      specs.set(block.spec, found?.versionId)
    }
    return specs.get(block.spec)
  }

  if (!files.has(block.file) && files.size < mostSpecsOfText)
    files.set(block.file, await versionOfFile(ctx, source, { ...block, from: source.path }, signal))

  return files.get(block.file)
}

/** Returns the version of the spec in the file that a target names; undefined if there is none. */
export async function versionOfFile(
  ctx: Context,
  place: FilesOfSpace,
  { from, file: target }: { from: string | undefined; file: string },
  signal: AbortSignal | undefined,
): Promise<Oid | undefined> {
  const file = fileAt(place, from, target)
  const found = file && (await fileSpec(ctx, place, file, signal))
  return found && 'versionId' in found ? found.versionId : undefined
}

/** Joins the pieces that exist, until they exceed the room; '' when there are none. */
function textOf(
  ctx: Context,
  version: Oid | undefined,
  { keys, title }: { keys: readonly string[]; title?: string },
  room: number,
): string {
  const pieces: string[] = []
  let length = 0
  for (const key of version === undefined ? [] : keys) {
    if (length > room) break
    const piece = readPiece(ctx, version!, key)?.trim() ?? ''
    length += piece.length
    if (piece !== '') pieces.push(piece)
  }

  if (title !== undefined && pieces.length > 0) pieces.unshift(`## ${words(title)}`)

  return pieces.join('\n\n')
}

/** The slugs and the targets of files that the blocks of a text name. */
export type NamedSpecs = { slugs: readonly string[]; files: readonly string[] }

/** What the blocks of a page name, by the page's blob. */
const namedCache = stateSlot(() => new BoundedCache<string, NamedSpecs>(2_000))

/** Returns what the blocks of a text name. */
export async function specsNamedIn(text: string, signal?: AbortSignal): Promise<NamedSpecs> {
  const slugs = await inSlices(slugSteps(text), signal)
  const files = await inSlices(specFileSteps(text), signal)
  return { slugs, files: files.slice(0, mostSpecsOfText) }
}

/**
 * Returns what the blocks of a page or of reusable content name. The result of `resolveBlocks`
 * depends on these specs; `shownStamp` and `fileStamp` tell when they change.
 */
export async function specsNamedOn(
  ctx: Context,
  repo: Repository,
  node: Pick<PageNode, 'file'>,
): Promise<NamedSpecs> {
  if (!node.file) return { slugs: [], files: [] }
  const cache = ctx.caches.get(namedCache)
  const known = cache.get(node.file.oid)
  if (known) return known
  const named = await specsNamedIn(await pageText(repo, node))
  cache.set(node.file.oid, named, 1 + named.slugs.length + named.files.length)
  return named
}

/**
 * Returns a string that changes when a text in the file `from` shows specs in files of its revision
 * differently: how they are described, and whether they can be read. '' without such blocks. Reads
 * at most `reads.left` files that were not read before; the others count as readable.
 */
export async function fileStamp(
  ctx: Context,
  place: FilesOfSpace,
  { from, files }: Pick<NamedSpecs, 'files'> & { from: string | undefined },
  {
    signal,
    reads = { left: mostSpecsOfText },
  }: { signal?: AbortSignal | undefined; reads?: { left: number } },
): Promise<string> {
  const stamps: string[] = []
  for (const target of files) {
    const file = fileAt(place, from, target)
    if (!file) continue
    let found = findReading(ctx, place, idOfFile(place.spaceId, file))
    if (!found && reads.left-- > 0) found = await fileSpec(ctx, place, file, signal)
    const passes = found !== undefined && 'passes' in found
    stamps.push(`${file.oid}/${describeVersion}${passes ? unreadMark : ''}`)
  }
  return stamps.join(' ')
}
