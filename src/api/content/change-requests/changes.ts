import type { OpenContent } from '../../../actions/audience/open-content.ts'
import { findMergeBase } from '../../../actions/heads/find-merge-base.ts'
import { viewRevision } from '../../../actions/revisions/view-revision.ts'
import type { ContentTree, FileNode } from '../../../content/tree/build.ts'
import { Fault } from '../../../errors.ts'
import { fileAddresses } from '../../../files/address.ts'
import { streamDiff } from '../../../git/trees/diff.ts'
import { isGitError } from '../../../git/values/errors.ts'
import type { Bytes } from '../../../http/endpoint.ts'
import { sha256 } from '../../../lib/digest.ts'
import { mustGet } from '../../../lib/must-get.ts'
import type { Oid } from '../../../lib/oid.ts'
import { findChangeRequestByMerge } from '../../../store/discussions/change-requests.ts'
import type { ChangeRequestRow } from '../../../store/tables/rows.ts'
import { answer, until } from '../answer.ts'
import { presentFiles } from '../files/read.ts'
import { differing } from './attributes.ts'
import { type Change, Changes, mostChanges } from './changes-schema.ts'
import { loadChangeRequest } from './load.ts'
import { pageChanges } from './page-changes.ts'

type Query = { limit?: number | undefined; format?: 'diff' | undefined }

/** The maximum size of a diff in bytes; larger ones are better read with git. */
const diffLimit = 10 * 1024 * 1024

/**
 * Answers with the changes of a change request against the primary content that it started from or
 * was last updated with.
 */
export const answerChangesOfRequest = async (
  open: OpenContent,
  request: ChangeRequestRow,
  query: Query,
): Promise<Bytes> =>
  answerChanges(open, await findMergeBase(open.ctx, { ...request, revision: open.view.oid }), query)

/** Answers with the changes of a revision against its first parent. */
export const answerChangesOfRevision = (open: OpenContent, query: Query): Promise<Bytes> =>
  answerChanges(open, open.view.parents[0] ?? null, query)

async function answerChanges(open: OpenContent, base: Oid | null, query: Query): Promise<Bytes> {
  if (query.format === 'diff') return answerDiff(open, base)
  const { ctx, space, user, view } = open
  const limit = query.limit ?? mostChanges
  const merged = open.pinned ? findChangeRequestByMerge(ctx.store, space.id, view.oid) : undefined
  const mergedFrom = merged && (await loadChangeRequest(ctx, merged, undefined))
  const { stamp, seconds, reader } = fileAddresses(ctx, space, { user })
  const question = {
    key: `changes ${base ?? ''} ${limit} ${reader}`,
    schema: Changes,
    holds: mergedFrom
      ? until(`${stamp} ${sha256(JSON.stringify(mergedFrom))}`, 0)
      : until(stamp, seconds),
    // The same revision has different changes against different bases.
    ownTag: true,
  }

  return answer(open, question, async () => {
    const before = base ? (await viewRevision(ctx, space.id, base)).content : undefined
    const files = await fileChanges(open, before, limit)
    const changes = [
      ...pageChanges(before, view.content),
      ...files.changes,
      ...variableChanges(before, view.content),
      ...reusableContentChanges(before, view.content),
    ]
    const more = changes.length + files.untold - limit

    return {
      ...(mergedFrom && { mergedFrom }),
      changes: changes.slice(0, limit),
      ...(more > 0 && { more }),
    }
  })
}

async function answerDiff(
  { repo, view, pinned, signal }: OpenContent,
  base: Oid | null,
): Promise<Bytes> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of streamDiff(repo, base, view.oid, {
      maxBytes: diffLimit,
      signal,
    }))
      chunks.push(chunk)
  } catch (error) {
    if (!isGitError(error, 'too_large')) throw error
    throw new Fault(
      'result_too_large',
      'The diff is larger than 10 MB. Read it with "git diff" in a clone.',
    )
  }

  return {
    bytes: Buffer.concat(chunks),
    etag: `${base ?? ''}-${view.oid}`,
    type: 'text/x-diff; charset=utf-8',
    ...(pinned && { cacheControl: 'private, max-age=31536000, immutable' }),
  }
}

/**
 * Returns the changes of files, matched by id. Compares only as many as the answer shows; the
 * others are counted.
 */
async function fileChanges(
  open: OpenContent,
  before: ContentTree | undefined,
  limit: number,
): Promise<{ changes: Change[]; untold: number }> {
  const old = before?.fileById ?? new Map<string, FileNode>()
  const now = open.view.content.fileById
  const pairs: [FileNode | undefined, FileNode | undefined][] = []

  for (const [id, file] of now) {
    const was = old.get(id)
    if (was?.oid !== file.oid || was.path !== file.path) pairs.push([was, file])
  }

  for (const [id, file] of old) if (!now.has(id)) pairs.push([file, undefined])
  const close = pairs.slice(0, limit)
  const shown = new Map(
    (
      await presentFiles(
        open,
        close.flat().filter(file => file !== undefined),
        true,
      )
    ).map(file => [`${file.git?.oid} ${file.git?.path}`, file]),
  )
  const show = (file: FileNode) => mustGet(shown, `${file.oid} ${file.path}`)
  const changes = close.map(([was, is]) => fileChange(was && show(was), is && show(is)))

  return { changes, untold: pairs.length - close.length }
}

type ShownFile = Awaited<ReturnType<typeof presentFiles>>[number]

function fileChange(was: ShownFile | undefined, is: ShownFile | undefined): Change {
  const { id, name, contentType, downloadURL } = (is ?? was)!
  const file = { id, name, contentType, downloadURL }
  if (!was || !is) return { type: is ? 'file_created' : 'file_deleted', file }
  const attributes = differing(fileFields(was), fileFields(is)) ?? {}
  return { type: 'file_edited', file, attributes }
}

const fileFields = ({ name, downloadURL, size, contentType, dimensions, git }: ShownFile) => ({
  name,
  path: git?.path,
  downloadURL,
  size,
  contentType,
  dimensions,
})

function variableChanges(before: ContentTree | undefined, { variables }: ContentTree): Change[] {
  const changed = differing({ ...before?.variables }, { ...variables })
  return changed ? [{ type: 'variables_edited', variables: changed as Record<string, object> }] : []
}

function reusableContentChanges(
  before: ContentTree | undefined,
  { includes }: ContentTree,
): Change[] {
  const old = new Map(before?.includes.map(each => [each.id, each]))
  const changes: Change[] = []
  for (const { id, title, oid } of includes) {
    const was = old.get(id)
    old.delete(id)
    const reusableContent = { id, title }

    if (!was) {
      changes.push({ type: 'reusable_content_created', reusableContent })
      continue
    }

    const attributes = differing({ title: was.title, document: was.oid }, { title, document: oid })
    if (attributes) changes.push({ type: 'reusable_content_edited', reusableContent, attributes })
  }

  for (const { id, title } of old.values())
    changes.push({ type: 'reusable_content_deleted', reusableContent: { id, title } })

  return changes
}
