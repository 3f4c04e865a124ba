import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { createSpace } from '../../../src/actions/spaces/create-space.ts'
import type { Context } from '../../../src/context.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { findUser } from '../../../src/store/people/users.ts'
import type { SpaceRow } from '../../../src/store/tables/rows.ts'
import { commitFiles } from '../git/repo.ts'

/** A space of "acme", its repository, and its API path. */
export type TestSpace = { space: SpaceRow; repo: Repository; api: string }

/**
 * Creates a space. With `files`, they replace the first page, committed from outside the service.
 */
export async function makeSpace(
  { ctx, admin }: { ctx: Context; admin: { id: string } },
  files: Record<string, string | Uint8Array> = {},
  title = 'Guide',
): Promise<TestSpace> {
  const user = findUser(ctx.store, admin.id)
  if (!user) throw new Error('The admin is gone.')
  const row = { organization_id: 'acme', title, empty: Object.keys(files).length > 0 }
  const space = await createSpace(ctx, row, user)
  const repo = spaceRepository(ctx, space.id)
  if (row.empty) await commitFiles(repo, files)
  return { space, repo, api: `/v1/spaces/${space.id}` }
}
