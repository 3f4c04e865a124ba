import type { z } from 'zod'
import { indexUpTo } from '../../../actions/heads/index-up-to.ts'
import { primaryHead } from '../../../actions/heads/primary-head.ts'
import { spaceRepository } from '../../../actions/repositories/space-repository.ts'
import { type FileRevision, fileHistory } from '../../../actions/revisions/file-history.ts'
import { viewRevision } from '../../../actions/revisions/view-revision.ts'
import type { Context } from '../../../context.ts'
import { Fault, invalid } from '../../../errors.ts'
import { readCommit } from '../../../git/objects/objects.ts'
import { isGitError } from '../../../git/values/errors.ts'
import type { Commit } from '../../../git/values/parse.ts'
import { answerList } from '../../../http/list.ts'
import type { Oid } from '../../../lib/oid.ts'
import { findRevision, listRevisions as listRows } from '../../../store/git/revisions.ts'
import { findServiceCommits } from '../../../store/git/service-commits.ts'
import type { RevisionRow, SpaceRow } from '../../../store/tables/rows.ts'
import { presentSummary } from './present.ts'
import { commitUrlOf } from './read.ts'
import type { RevisionSummary } from './schema.ts'

type Query = { page?: string | undefined; limit?: number | undefined; path?: string | undefined }

/** A revision in the list; with a path, the path of the file at that revision and before it. */
type Item = Pick<FileRevision, 'oid' | 'seq'> & Partial<FileRevision>
type Key = number | [seq: number, path: string, asked: string]
type Summary = z.input<typeof RevisionSummary>

/**
 * Returns a page of the published revisions of a space, newest first; with a path or page, only
 * those that changed that file.
 */
export async function listRevisions(ctx: Context, space: SpaceRow, query: Query) {
  const { ref, head: then } = await primaryHead(ctx, space)
  const head = await indexUpTo(ctx, space.id, ref, then)
  const { cursor, path } = await filterOf(ctx, space, head, query)
  let asked = path
  return answerList<Item, Summary, Key>(
    ctx,
    { page: cursor, limit: query.limit },
    {
      name: `revisions ${space.id}`,
      rows: (limit, key) => {
        const [after, name, of] = typeof key === 'number' ? [key] : (key ?? [])
        asked = key === undefined ? path : of
        if (key !== undefined && path !== undefined && path !== asked)
          throw new Fault(
            'invalid_page_token',
            '"page" in the query: belongs to the list of another path. Leave one of the two out.',
          )
        if (asked === undefined) return listRows(ctx.store, space.id, limit, after)
        return fileHistory(ctx.store, space.id, name ?? asked, limit, after)
      },
      key: item =>
        item.before === undefined ? item.seq : [item.seq, item.before, asked ?? item.before],
      show: items => present(ctx, space, items),
    },
  )
}

/**
 * `page` is a page of results, as in every list, or the id of a page of the content, which never
 * contains a dot.
 */
async function filterOf(
  ctx: Context,
  space: SpaceRow,
  head: Oid,
  { page, path }: Query,
): Promise<{ cursor?: string | undefined; path?: string | undefined }> {
  if (page === undefined || page.includes('.')) return { cursor: page, path }
  const { content } = await viewRevision(ctx, space.id, head)
  const node = content.pageById.get(page)

  if (!node) {
    throw new Fault(
      'invalid_page_token',
      '"page" in the query: takes "next.page" of this list, or the id of a page in the current content.',
    )
  }

  if (path !== undefined) throw invalid('Send "path" or the id of a page in "page", not both.')

  // A page without a file never changed; no file has an empty name.
  return { path: node.file?.path ?? '' }
}

async function present(ctx: Context, space: SpaceRow, items: readonly Item[]) {
  const oids = items.map(item => item.oid)
  const commits = await Promise.all(oids.map(oid => readListed(ctx, space, oid)))
  const made = findServiceCommits(ctx.store, space.id, oids)
  const commitUrl = commitUrlOf(ctx, space)

  return items.flatMap(({ oid, path }, at) => {
    const commit = commits[at]
    if (!commit) return []
    const base = ctx.publicUrl()
    return [
      presentSummary(commit, { spaceId: space.id, made: made.get(oid), commitUrl, path, base }),
    ]
  })
}

/**
 * Returns a commit of the list; for a damaged commit, what the index knows of it, so that it does
 * not hide the others.
 */
async function readListed(ctx: Context, space: SpaceRow, oid: Oid): Promise<Commit | undefined> {
  const commit = await readCommit(spaceRepository(ctx, space.id), oid).catch((error: unknown) => {
    if (!isGitError(error, 'object_unreadable')) throw error
    ctx.log.error({ space: space.id, oid }, 'a listed revision is damaged: run "stemma verify"')
  })
  if (commit) return commit
  const row = findRevision(ctx.store, space.id, oid)
  return row && fromIndex(row)
}

/** Returns a commit from the index, which does not know the committer. */
function fromIndex(row: RevisionRow): Commit {
  const at = { at: row.committed_at, zone: '+0000' }
  return {
    oid: row.oid,
    tree: row.tree,
    parents: row.parents,
    author: { ...at, name: row.author_name, email: row.author_email },
    committer: { ...at, name: '', email: '' },
    message: row.message,
  }
}
