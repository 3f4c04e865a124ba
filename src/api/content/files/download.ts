import type { Express, Request } from 'express'
import { admitsToSpace } from '../../../access/reader.ts'
import { isOpenToAll } from '../../../access/site-roles.ts'
import { roleOnSpace } from '../../../access/space-role.ts'
import { spaceRepository } from '../../../actions/repositories/space-repository.ts'
import type { Context } from '../../../context.ts'
import { Fault, missing } from '../../../errors.ts'
import { admissionOf, openFileAddress } from '../../../files/address.ts'
import { type FoundFile, sendFile } from '../../../files/send-file.ts'
import { objectInfo } from '../../../git/objects/objects.ts'
import { parseOid } from '../../../lib/oid.ts'
import { findUser } from '../../../store/people/users.ts'
import { findSpace } from '../../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../../store/tables/rows.ts'

/**
 * Serves files at the URLs that `fileAddresses` creates, without a token. Every use checks again
 * that the URL's user may read the space, or that the site of its readers admits them.
 */
export function serveFiles(app: Express, ctx: Context): void {
  app.get('/files/:spaceId/:oid/:name', async (req, res) => {
    await sendFile(ctx, req, res, await findFile(ctx, req))
  })
}

async function findFile(ctx: Context, { params, query }: Request): Promise<FoundFile> {
  const { spaceId = '', oid: id = '', name = '' } = params as Record<string, string>
  const oid = parseOid(id)
  const address = oid ? openFileAddress(ctx, { spaceId, oid, name }, query) : 'unknown'
  const space = findSpace(ctx.store, spaceId)
  if (!oid || address === 'unknown' || !space || space.deleted_at !== null) throw notThere(name)

  const isPublic = address !== 'over' && address.userId === undefined

  if (address === 'over' || (isPublic && !isOpenToAll(space)))
    throw new Fault(
      'address_expired',
      'The URL of this file has expired. Read the file again to get a new one.',
    )

  if (address.userId !== undefined && !mayRead(ctx, space, address.userId)) throw notThere(name)

  const repo = spaceRepository(ctx, space.id)
  const info = (await objectInfo(repo, [oid])).get(oid)
  if (info?.type !== 'blob') throw missing('file', name)

  const headers = {
    'Cache-Control': isPublic ? 'public, max-age=3600' : 'private, no-cache',
    // Other sites may embed public files.
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': isPublic ? 'cross-origin' : 'same-site',
  }

  return { repo, oid, name, size: info.size, headers }
}

/** Returns whether the user or the readers of a URL may read a space now. */
function mayRead(ctx: Context, space: SpaceRow, name: string): boolean {
  const admission = admissionOf(name)
  if (admission) return admitsToSpace(ctx, admission, space.id)
  return findUser(ctx.store, name) !== undefined && roleOnSpace(ctx, space, name) !== null
}

const notThere = (name: string) =>
  new Fault(
    'not_found',
    `There is no file "${name.slice(0, 100)}" at this URL, or you may no longer read it. Read the file again to get a new URL.`,
  )
