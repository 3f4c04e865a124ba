import type { FileNode } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import type { SitePlace } from './place.ts'

type Named = Pick<FileNode, 'oid' | 'name'>

const purpose = 'file of a site'

const textOf = (spaceId: string, { oid, name }: Named): string => [spaceId, oid, name].join('\n')

/**
 * Returns the address of a file of a space below its site space. The signature shows that a page
 * named the file: readers cannot make the address of a file that no page shows them.
 */
export function fileAddress(
  { ctx, resolved, open }: Pick<SitePlace, 'ctx' | 'resolved' | 'open'>,
  file: Named,
): string {
  const signature = ctx.keys.sign(purpose, textOf(open.space.id, file))
  return `${resolved.basePath}~stemma/files/${file.oid}/${signature}/${encodeURIComponent(file.name)}`
}

/** Returns whether a signature is that of a file's address. */
export const isSignedFile = (
  ctx: Context,
  spaceId: string,
  file: Named,
  signature: string,
): boolean => ctx.keys.verify(purpose, textOf(spaceId, file), signature)
