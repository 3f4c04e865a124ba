import type { CommentsGrant } from '../../access/guards/comment.ts'
import { kindOfName, type Named, namesInText } from '../../content/changes/text-names.ts'
import { decode } from '../../content/text/bytes.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { objectInfo, readBlob } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { findEntry } from '../../git/trees/tree-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices } from '../../lib/slices.ts'
import type { CommentRow } from '../../store/tables/rows.ts'
import { currentChangeRequest } from '../heads/current-change-request.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { viewRevision } from '../revisions/view-revision.ts'

type Placed = Pick<CommentRow, 'id' | 'page_id' | 'node_id' | 'revision'>

/** The most bytes of pages that are read for one answer, and of one page. */
const mostBytes = 1_000_000

/**
 * Returns the ids of those comments whose block or line has changed since they were posted, so that they are on an
 * earlier revision. A comment counts where its block or line stood in the page then, as it is written; what a page
 * shows of expressions and included content is not judged. The pages that do not fit into the budget of one answer
 * are left out. May take the space's lock: do not hold it.
 */
export async function findOutdated(
  ctx: Context,
  { space, changeRequest }: Pick<CommentsGrant, 'space' | 'changeRequest'>,
  rows: readonly Placed[],
): Promise<ReadonlySet<string>> {
  const outdated = new Set<string>()
  const asked = rows.filter(({ node_id: name, page_id: page }) => page && name && kindOfName(name))
  if (asked.length === 0) return outdated
  const revision = changeRequest
    ? (await currentChangeRequest(ctx, changeRequest)).revision
    : (await primaryHead(ctx, space)).head
  const earlier = asked.filter(row => row.revision !== revision)
  if (earlier.length === 0) return outdated

  const { content } = await viewRevision(ctx, space.id, revision)
  const names = new NameReader(spaceRepository(ctx, space.id))
  for (const row of earlier) if (await hasChanged(row, content, names)) outdated.add(row.id)
  return outdated
}

async function hasChanged(
  { page_id: page, node_id: name, revision }: Placed,
  content: ContentTree,
  names: NameReader,
): Promise<boolean> {
  const node = content.pageById.get(page!)
  if (!node) return true
  const kind = kindOfName(name!)
  if (!node.file || !kind) return false
  const { path, oid } = node.file
  const former = await names.blobAt(revision, path)
  if (former === undefined || former === oid) return false
  const [was, is] = [await names.in(former, kind), await names.in(oid, kind)]
  return was !== undefined && is !== undefined && was.has(name!) && !is.has(name!)
}

/** Reads the names in pages, each once, within the budget of one answer. */
class NameReader {
  readonly #repo: Repository
  readonly #blobs = new Map<string, Promise<Oid | undefined>>()
  readonly #names = new Map<string, Promise<ReadonlySet<string> | undefined>>()
  #left = mostBytes

  constructor(repo: Repository) {
    this.#repo = repo
  }

  /** Returns the blob at a path in a revision; undefined if there is none any more. */
  blobAt(revision: Oid, path: string): Promise<Oid | undefined> {
    return once(this.#blobs, `${revision} ${path}`, async () => {
      try {
        return (await findEntry(this.#repo, revision, path))?.oid
      } catch (error) {
        if (isGitError(error)) return undefined
        throw error
      }
    })
  }

  in(blob: Oid, kind: Named): Promise<ReadonlySet<string> | undefined> {
    return once(this.#names, `${blob} ${kind}`, async () => {
      const size = (await objectInfo(this.#repo, [blob])).get(blob)?.size
      if (size === undefined || size > this.#left) return undefined
      this.#left -= size
      const bytes = await readBlob(this.#repo, blob)
      return bytes && inSlices(namesInText(decode(bytes).text, kind))
    })
  }
}

function once<Value>(known: Map<string, Promise<Value>>, key: string, read: () => Promise<Value>) {
  const found = known.get(key) ?? read()
  known.set(key, found)
  return found
}
