import type { Access } from '../../access/asker.ts'
import { type ContentGrant, primaryContent, revisionContent } from '../../access/guards/content.ts'
import { missing } from '../../errors.ts'
import { parseOid } from '../../lib/oid.ts'

/** Admits whom `revisionContent` admits. Throws 'missing' where the path has no id of a commit. */
export const revisionOfPath: Access<
  { spaceId: string; revisionId: string },
  ContentGrant
> = asker => {
  const { revisionId } = asker.params
  if (parseOid(revisionId) !== undefined) return revisionContent(asker)
  primaryContent(asker)
  throw missing('revision', revisionId)
}
