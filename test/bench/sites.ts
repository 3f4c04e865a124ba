import { join } from 'node:path'
import { createToken } from '../../src/actions/people/create-token.ts'
import { zeroOid } from '../../src/lib/oid.ts'
import { putMirroredRef } from '../../src/store/git/refs.ts'
import { putMember, updateOrganization } from '../../src/store/people/organizations.ts'
import { putPermission } from '../../src/store/people/permissions.ts'
import { insertUser } from '../../src/store/people/users.ts'
import { insertSection } from '../../src/store/sites/sections.ts'
import { insertSiteSpace } from '../../src/store/sites/site-spaces.ts'
import { insertSite, updateSite } from '../../src/store/sites/sites.ts'
import { insertSpace } from '../../src/store/spaces/spaces.ts'
import { Store } from '../../src/store/store.ts'
import type { Stemma } from './stemma.ts'

/** The sizes of the organization with many sites, and of its largest site. */
export const plenty = { sites: 1_000, spaces: 300, perSite: 5, sections: 10, siteSpaces: 100 }

const organization = 'default'
const at = '2026-01-01T00:00:00.000Z'

/**
 * The id of the largest site, and the request headers of a guest who may read a tenth of the
 * spaces.
 */
export type Filled = { site: string; guest: Record<string, string> }

/**
 * Fills the organization of a stopped server with rows: spaces without repositories, many small
 * sites, and one of many sections, which has conditions and is published.
 */
export function fillSites({ dataDir }: Pick<Stemma, 'dataDir'>): Filled {
  const store = new Store(join(dataDir, 'stemma.db'))
  try {
    return store.transact(() => {
      updateOrganization(store, organization, { default_role: null })
      insertUser(store, { id: 'guest', display_name: 'guest', email: null, created_at: at })
      putMember(store, organization, 'guest', null, at)
      const { secret } = createToken(store, { userId: 'guest', name: 'bench' }, new Date())
      for (let n = 0; n < plenty.spaces; n++) fillSpace(store, n)
      for (let n = 0; n < plenty.sites; n++) fillSmallSite(store, n)
      fillLargeSite(store)
      return { site: 'large', guest: { authorization: `Bearer ${secret}` } }
    })
  } finally {
    store.close()
  }
}

function fillSpace(store: Store, n: number): void {
  const id = `space-${n}`
  insertSpace(store, {
    id,
    organization_id: organization,
    collection_id: null,
    title: `Space ${n}`,
    position: n,
    created_at: at,
    updated_at: at,
  })
  putMirroredRef(store, id, 'refs/heads/main', zeroOid)
  if (n % 10 !== 0) return
  putPermission(store, {
    target_kind: 'space',
    target_id: id,
    subject_kind: 'user',
    subject_id: 'guest',
    role: 'read',
    created_at: at,
  })
}

const newSite = (store: Store, id: string): void => {
  insertSite(store, {
    id,
    organization_id: organization,
    title: `Site ${id}`,
    basename: id,
    published: 1,
    created_at: at,
    updated_at: at,
  })
}

function fillSmallSite(store: Store, n: number): void {
  const id = `site-${n}`
  newSite(store, id)

  for (let place = 0; place < plenty.perSite; place++)
    insertSiteSpace(store, {
      id: `${id}-${place}`,
      site_id: id,
      space_id: `space-${(n * plenty.perSite + place * 7) % plenty.spaces}`,
      path: `space-${place}`,
      position: place,
      created_at: at,
    })
}

/** Half of the site spaces are for visitors with a claim. */
function fillLargeSite(store: Store): void {
  newSite(store, 'large')
  const common = { site_id: 'large', created_at: at }
  for (let n = 0; n < plenty.sections; n++)
    insertSection(store, {
      ...common,
      id: `section-${n}`,
      title: `Part ${n}`,
      path: `part-${n}`,
      position: n,
    })

  for (let n = 0; n < plenty.siteSpaces; n++)
    insertSiteSpace(store, {
      ...common,
      id: `large-${n}`,
      section_id: `section-${n % plenty.sections}`,
      space_id: `space-${n}`,
      path: `space-${n}`,
      position: n,
      condition: n % 20 < 10 ? null : 'visitor.claims.unsigned.beta === true',
    })

  updateSite(store, 'large', { default_section_id: 'section-0', adaptive: 1 })
}
