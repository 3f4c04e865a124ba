import { contentTypeOf, imageDimensions } from '../content/media.ts'
import type { FileNode } from '../content/tree/build.ts'
import type { Context } from '../context.ts'
import { objectInfo, streamBlobs } from '../git/objects/objects.ts'
import type { Repository } from '../git/process/processes.ts'
import { type BlobMedia, findBlobMedia, putBlobMedia } from '../store/git/blob-media.ts'
import { note } from '../store/note.ts'

/**
 * The maximum size of images whose dimensions are read: they are at the beginning, but Git unpacks
 * the whole blob.
 */
const imageLimit = 16 * 1024 * 1024

/**
 * Returns facts about the blobs of files by oid: computed once per blob, with one query for all
 * known ones.
 */
export async function loadMedia(
  ctx: Context,
  repo: Repository,
  files: readonly Pick<FileNode, 'path' | 'oid'>[],
): Promise<Map<string, BlobMedia>> {
  if (files.length === 0) return new Map()
  const known = findBlobMedia(
    ctx.store,
    files.map(file => file.oid),
  )
  const fresh = files.filter(file => !known.has(file.oid))
  if (fresh.length === 0) return known

  const mayKeep = ctx.store.watchErasing()
  const found = new Map<string, BlobMedia>()
  const infos = await objectInfo(
    repo,
    fresh.map(file => file.oid),
  )

  for (const [oid, { size }] of infos) found.set(oid, { oid, size, width: null, height: null })
  const images = fresh.filter(file => contentTypeOf(file.path).startsWith('image/'))
  const oids = images.map(file => file.oid)

  for await (const [oid, bytes] of streamBlobs(repo, oids, imageLimit)) {
    const size = imageDimensions(bytes)
    const row = found.get(oid)
    if (row && size) found.set(oid, { ...row, ...size })
  }

  note(() => ctx.store.keep(mayKeep, () => putBlobMedia(ctx.store, [...found.values()])))

  return new Map([...known, ...found])
}
