import type { Context } from '../../context.ts'
import { specOfFiles } from '../../store/openapi/versions.ts'
import { removeImages } from './image-files.ts'
import { removePrints } from './print-files.ts'
import { removeDerived } from './remove-derived.ts'
import { forgetOtherVersions } from './spec-rows.ts'

/** Deletes the files and rows that were made from the content of a space. */
export async function removeMade(ctx: Context, spaceId: string): Promise<void> {
  await removeDerived(ctx, spaceId)
  await removePrints(ctx, spaceId)
  await removeImages(ctx, spaceId)
  await forgetOtherVersions(ctx, specOfFiles(spaceId), [])
}
