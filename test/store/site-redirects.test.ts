import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization } from '../../src/store/people/organizations.ts'
import { deleteSection, insertSection } from '../../src/store/sites/sections.ts'
import { insertSiteSpace } from '../../src/store/sites/site-spaces.ts'
import { insertSite } from '../../src/store/sites/sites.ts'
import { insertSpace } from '../../src/store/spaces/spaces.ts'
import { query, Store } from '../../src/store/store.ts'
import type { RedirectDestination } from '../../src/store/tables/sites.ts'
import { cpuTime } from '../support/cpu-time.ts'

const at = '2026-01-01T00:00:00.000Z'
const made = { created_at: at, updated_at: at }
const siteSpaces = 296

/**
 * Returns a store with a section of many site spaces, and a number of redirects to the site space
 * "kept".
 */
function storeWith(redirects: number): Store {
  const store = new Store(':memory:')
  store.transact(() => {
    insertOrganization(store, { id: 'acme', title: 'Acme', created_at: at })
    insertSite(store, {
      id: 'site',
      organization_id: 'acme',
      title: 'Site',
      basename: 'site',
      ...made,
    })
    for (const [position, id] of ['kept', 'gone'].entries())
      insertSection(store, { id, site_id: 'site', title: id, path: id, position, created_at: at })

    for (let position = 0; position <= siteSpaces; position++) {
      const id = position === 0 ? 'kept' : `gone-${position}`
      insertSpace(store, { id, organization_id: 'acme', title: id, position, ...made })
      const section_id = position === 0 ? 'kept' : 'gone'
      const row = {
        id,
        site_id: 'site',
        space_id: id,
        section_id,
        path: id,
        position,
        created_at: at,
      }

      insertSiteSpace(store, row)
    }

    for (let n = 0; n < redirects; n++)
      redirect(store, `/kept/${n}`, { kind: 'site-space', siteSpaceId: 'kept' })
    redirect(store, '/gone', { kind: 'site-section', siteSectionId: 'gone' })
    redirect(store, '/gone/7', { kind: 'site-space', siteSpaceId: 'gone-7' })
  })

  return store
}

const redirect = (store: Store, source: string, destination: RedirectDestination) =>
  store.run(
    query.insertInto('site_redirect').values({
      id: source,
      site_id: 'site',
      source,
      source_folded: source,
      destination,
      created_at: at,
    }),
  )

/** Deletes the section, and returns the processor time that this takes. */
function timeToDelete(redirects: number): number {
  const store = storeWith(redirects)
  const start = cpuTime()
  store.transact(() => deleteSection(store, 'gone'))
  const time = cpuTime() - start
  const left = store.all(query.selectFrom('site_redirect').select('source'))

  assert.is(left.length, redirects)
  assert.ok(left.every(({ source }) => source.startsWith('/kept/')))
  store.close()

  return time
}

test('deleting a section takes no longer on a site with ten times the redirects to other parts', () => {
  const least = (redirects: number) => Math.min(...[1, 2, 3].map(() => timeToDelete(redirects)))
  const [few, many] = [least(500), least(5000)]
  assert.ok(many < 3 * few + 30, `${few} ms, ${many} ms`)
})

test.run()
