import { rename, rm } from 'node:fs/promises'
import type { Context } from '../../context.ts'
import { listBlobs } from '../../git/objects/list-blobs.ts'
import { isGitError } from '../../git/values/errors.ts'
import { randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { pauses } from '../../lib/slices.ts'
import { deleteBlobFacts } from '../../store/git/blob-facts.ts'
import { deleteBlobMedia } from '../../store/git/blob-media.ts'
import { forgetBlobs } from '../../store/git/content-purges.ts'
import { erasing } from '../made-files/erasing.ts'
import { removeMade } from '../made-files/remove-made.ts'
import { forgetOpened } from '../repositories/opened.ts'
import { isSpecsKey, repositoryOf } from '../repositories/repository-of.ts'

/** The number of blobs whose facts are deleted in one transaction, which blocks all requests. */
const batch = 200

/**
 * Deletes the folder of a repository whose history was purged, set back or deleted, and before it all
 * that this node has made from its content: then a killed process begins again. Other spaces make the
 * facts of blobs that they share again.
 */
export async function discardFolder(ctx: Context, key: string): Promise<void> {
  const { dir, processes } = repositoryOf(ctx, key)
  ctx.log.warn({ repository: key }, 'what this node has of a repository is deleted')
  processes.closeRepository(dir)
  ctx.caches.clear()
  await erasing(ctx, async () => {
    await forgetFacts(ctx, key)
    if (!isSpecsKey(key)) await removeMade(ctx, key)
    forgetOpened(ctx, key)
    const trash = `${dir}.old-${randomId(8)}`
    await rename(dir, trash)
    await rm(trash, { recursive: true, force: true })
    // Work under way may have read the folder meanwhile, and opened it again. What it keeps from now on, it
    // keeps only with `watchErasing`, or if a mark of it is still there, as that of a spec.
    processes.closeRepository(dir)
    ctx.caches.clear()
    if (!isSpecsKey(key)) await removeMade(ctx, key)
  })
}

/** Deletes what is known of the blobs of a repository; if they cannot be listed, of all blobs. */
async function forgetFacts(ctx: Context, key: string): Promise<void> {
  let blobs: Oid[]
  try {
    blobs = await listBlobs(repositoryOf(ctx, key))
  } catch (error) {
    if (!isGitError(error)) throw error
    ctx.store.transact(() => {
      for (const table of ['blob_facts', 'blob_links'] as const) deleteBlobFacts(ctx.store, table)
      deleteBlobMedia(ctx.store)
    })
    return
  }
  const pause = pauses()
  for (let at = 0; at < blobs.length; at += batch) {
    forgetBlobs(ctx.store, blobs.slice(at, at + batch))
    await pause()
  }
}
