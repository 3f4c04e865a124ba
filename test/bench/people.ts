import { join } from 'node:path'
import { createToken } from '../../src/actions/people/create-token.ts'
import { zeroOid } from '../../src/lib/oid.ts'
import { putMirroredRef } from '../../src/store/git/refs.ts'
import { putMember, updateOrganization } from '../../src/store/people/organizations.ts'
import { putPermission } from '../../src/store/people/permissions.ts'
import { insertTeam, putTeamMember } from '../../src/store/people/teams.ts'
import { insertUser } from '../../src/store/people/users.ts'
import { insertCollection } from '../../src/store/spaces/collections.ts'
import { insertSpace, updateSpace } from '../../src/store/spaces/spaces.ts'
import { Store } from '../../src/store/store.ts'
import type { PermissionRow } from '../../src/store/tables/rows.ts'
import type { Stemma } from './stemma.ts'

/** The size of the organization, and the part that the member of the teams sees. */
export const crowd = {
  spaces: 5_000,
  collections: 200,
  teams: 50,
  visible: 100,
  permissions: 5_000,
}

const organization = 'default'
const at = '2026-01-01T00:00:00.000Z'

/** The request headers of three users. */
export type Lookers = Record<'member' | 'guest' | 'creator', Record<string, string>>

/**
 * Fills the organization of a stopped server with the rows of a large one: spaces in collections
 * three levels deep (rows without repositories), teams, and permissions. Half of the spaces are
 * closed, most others restricted for the teams. A member of all teams sees a few scattered spaces,
 * a guest sees one, and a user who may create spaces sees all.
 */
export function fillOrganization({ dataDir }: Pick<Stemma, 'dataDir'>): Lookers {
  const store = new Store(join(dataDir, 'stemma.db'))
  try {
    return store.transact(() => {
      updateOrganization(store, organization, { default_role: null })
      const person = (id: string, role: 'read' | 'create' | null) => {
        insertUser(store, { id, display_name: id, email: null, created_at: at })
        putMember(store, organization, id, role, at)
        return {
          authorization: `Bearer ${createToken(store, { userId: id, name: 'bench' }, new Date()).secret}`,
        }
      }

      const lookers = {
        member: person('member', 'read'),
        guest: person('guest', null),
        creator: person('creator', 'create'),
      }

      person('other', null)
      for (let n = 0; n < crowd.collections; n++) fillCollection(store, n)
      for (let n = 0; n < crowd.spaces; n++) fillSpace(store, n)

      for (let n = 0; n < crowd.teams; n++) {
        insertTeam(store, {
          id: `team-${n}`,
          organization_id: organization,
          title: `Team ${n}`,
          created_at: at,
        })
        putTeamMember(store, `team-${n}`, 'member')
      }

      givePermissions(store)

      return lookers
    })
  } finally {
    store.close()
  }
}

/**
 * Puts a tenth of the collections at the top, and about three into each collection of the level
 * above.
 */
function fillCollection(store: Store, n: number): void {
  const parent = n < 20 ? null : `collection-${n < 80 ? n % 20 : 20 + (n % 60)}`
  insertCollection(store, {
    id: `collection-${n}`,
    organization_id: organization,
    parent_id: parent,
    title: `Collection ${n}`,
    position: n,
    created_at: at,
  })
}

function fillSpace(store: Store, n: number): void {
  const id = `space-${n}`
  const placed = {
    collection_id: n % 5 === 0 ? null : `collection-${n % crowd.collections}`,
    position: n,
  }

  insertSpace(store, {
    id,
    organization_id: organization,
    title: `Space ${n}`,
    created_at: at,
    updated_at: at,
    ...placed,
  })
  putMirroredRef(store, id, 'refs/heads/main', zeroOid)
}

function givePermissions(store: Store): void {
  const give = (
    target: number,
    kind: PermissionRow['subject_kind'],
    subject: string,
    role: 'edit' | null,
  ) =>
    putPermission(store, {
      target_kind: 'space',
      target_id: `space-${target}`,
      subject_kind: kind,
      subject_id: subject,
      role,
      created_at: at,
    })
  const apart = crowd.spaces / crowd.visible
  for (let n = 0; n < crowd.permissions; n++) {
    const target = (n * 7) % crowd.spaces
    if (n % 2 === 0) {
      give(target, 'user', 'other', 'edit')
      updateSpace(store, `space-${target}`, { default_level: null })
    } else if (target % apart !== 0) give(target, 'team', `team-${n % crowd.teams}`, null)
  }

  for (let n = 0; n < crowd.visible; n++) give(n * apart, 'team', `team-${n % crowd.teams}`, 'edit')
  give(4_321, 'user', 'guest', 'edit')
}
