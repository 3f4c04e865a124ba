import { changeRequestRef } from '../../../src/actions/repositories/ref-names.ts'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { createSpace } from '../../../src/actions/spaces/create-space.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { readRef } from '../../../src/git/refs/refs.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { putPermission } from '../../../src/store/people/permissions.ts'
import { findUser } from '../../../src/store/people/users.ts'
import type { Role } from '../../../src/store/tables/roles.ts'
import type { SpaceRow } from '../../../src/store/tables/rows.ts'
import type { Actor, App, Reply } from '../../support/app.ts'
import { commitFiles, main } from '../../support/git/repo.ts'

/** A space in "acme" with helpers that commit behind the API's back, as a push does. */
export type Space = {
  id: string
  row: SpaceRow
  repo: Repository
  /** The path of its change requests. */
  path: string
  commit: (files: Record<string, string | null>, branch?: number) => Promise<Oid>
  /** Creates a user with this role on the space. */
  user: (name: string, role: Role) => Actor
  head: (branch?: number) => Promise<Oid | undefined>
  /** Creates a change request with these files changed. */
  open: (by: Actor, subject: string, files?: Record<string, string | null>) => Promise<Reply>
}

export async function makeSpace(app: App, set: Partial<SpaceRow> = {}): Promise<Space> {
  const admin = findUser(app.ctx.store, app.admin.id)!
  const row = await createSpace(app.ctx, { organization_id: 'acme', title: 'Docs', ...set }, admin)
  const repo = spaceRepository(app.ctx, row.id)
  const path = `/v1/spaces/${row.id}/change-requests`
  const refOf = (branch?: number) => (branch === undefined ? main : changeRequestRef(branch))
  const commit: Space['commit'] = (files, branch) =>
    commitFiles(repo, files, { ref: refOf(branch) })

  return {
    id: row.id,
    row,
    repo,
    path,
    commit,
    user: (name, role) => {
      const user = app.user(name, 'read')
      putPermission(app.ctx.store, {
        target_kind: 'space',
        target_id: row.id,
        subject_kind: 'user',
        subject_id: user.id,
        role,
        created_at: row.created_at,
      })

      return user
    },
    head: async branch => readRef(repo, refOf(branch)),
    open: async (by, subject, files) => {
      const made = await by.post(path, { subject })
      if (files) await commit(files, made.body.number)
      return files ? by.get(`${path}/${made.body.id}`) : made
    },
  }
}

/** Returns a description of one paragraph. */
export const paragraph = (text: string) => ({
  object: 'document',
  data: { schemaVersion: 10 },
  nodes: [
    {
      object: 'block',
      type: 'paragraph',
      nodes: [{ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] }],
    },
  ],
})
