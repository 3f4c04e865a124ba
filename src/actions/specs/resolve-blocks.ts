import {
  type OpenapiBlock,
  openapiBlockSteps,
  replaceBlocks,
  slugSteps,
} from '../../content/openapi/blocks.ts'
import { words } from '../../content/openapi/text.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { inSlices, pauses } from '../../lib/slices.ts'
import { pageText } from '../revisions/page-text.ts'
import { type FoundDescription, findDescription, readPiece } from './read-spec.ts'

/** The most characters that the blocks of one page may become; those after that stay as they are written. */
const mostText = 8 * 1024 * 1024

/**
 * A page with its OpenAPI blocks written out as Markdown, from the latest versions of the organization's descriptions. A
 * block whose description or part is not there stays as it is written; of one that names a file on the web the link is
 * shown, and nothing is fetched. `written` is the page before its expressions were evaluated: who may name which
 * description there was looked at when it was written, so that what only an evaluation puts together names none.
 */
export async function resolveBlocks(
  ctx: Context,
  organizationId: string,
  markdown: string,
  { written = markdown, signal }: { written?: string; signal?: AbortSignal | undefined } = {},
): Promise<string> {
  const blocks = await inSlices(openapiBlockSteps(markdown), signal)
  const named = new Set(await inSlices(slugSteps(written), signal))
  const known = new Map<string, FoundDescription | undefined>()
  const texts = new Map<OpenapiBlock, string>()
  const pause = pauses(signal)
  let length = 0
  for (const block of blocks) {
    if ('spec' in block && !named.has(block.spec)) continue
    if ('spec' in block && !known.has(block.spec))
      known.set(block.spec, await findDescription(ctx, organizationId, block.spec))
    const text = 'url' in block ? linkOf(block) : textOf(ctx, known.get(block.spec), block, mostText - length)
    length += text.length
    if (length > mostText) break
    if (text !== '') texts.set(block, text)
    await pause()
  }
  return texts.size === 0 ? markdown : replaceBlocks(markdown, texts)
}

const linkOf = ({ url, label }: { url: string; label: string }): string => `[${words(label)}](<${url}>)`

/** The pieces that are there, one after the other, until they are longer than there is room for; '' when none is. */
function textOf(
  ctx: Context,
  found: FoundDescription | undefined,
  { keys, title }: { keys: readonly string[]; title?: string },
  room: number,
): string {
  const pieces: string[] = []
  let length = 0
  for (const key of found ? keys : []) {
    if (length > room) break
    const piece = readPiece(ctx, found!.versionId, key)?.trim() ?? ''
    length += piece.length
    if (piece !== '') pieces.push(piece)
  }
  if (title !== undefined && pieces.length > 0) pieces.unshift(`## ${words(title)}`)
  return pieces.join('\n\n')
}

/** The slugs that the blocks of pages name, by the blob of the page. */
const slugsOf = new BoundedCache<string, readonly string[]>(2_000)

/**
 * The slugs of the descriptions that a page's blocks name: what `resolveBlocks` gives of it depends on these, and
 * `shownStamp` says when they change.
 */
export async function slugsOnPage(
  repo: Repository,
  node: Pick<PageNode, 'file'>,
): Promise<readonly string[]> {
  if (!node.file) return []
  const known = slugsOf.get(node.file.oid)
  if (known) return known
  const slugs = await inSlices(slugSteps(await pageText(repo, node)))
  slugsOf.set(node.file.oid, slugs, 1 + slugs.length)
  return slugs
}
