import type { z } from 'zod'
import { contentTypeOf } from '../../../content/media.ts'
import type { FileNode } from '../../../content/tree/build.ts'
import type { BlobMedia } from '../../../store/git/blob-media.ts'
import type { RevisionFile } from './schema.ts'

/** Returns a file as the API shows it. `metadata: false` leaves out Git metadata. */
export function presentFile(
  file: FileNode,
  {
    media,
    downloadURL,
    metadata,
  }: { media: BlobMedia | undefined; downloadURL: string; metadata: boolean },
): z.input<typeof RevisionFile> {
  const { width, height } = media ?? {}
  return {
    id: file.id,
    name: file.name,
    contentType: contentTypeOf(file.path),
    downloadURL,
    size: media?.size ?? 0,
    ...(width && height && { dimensions: { width, height } }),
    ...(metadata && { git: { oid: file.oid, path: file.path } }),
  }
}
