import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { deriveSpaceVisibility } from '../../../src/actions/sites/structure/derive-space-visibility.ts'
import { deleteSite, updateSite } from '../../../src/store/sites/sites.ts'
import { findSpace, updateSpace } from '../../../src/store/spaces/spaces.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const { store } = app.ctx
test.after(() => app.stop())

const newSpace = async (title: string): Promise<string> =>
  (await app.admin.post('/v1/orgs/acme/spaces', { title })).body.id

const newSite = async (visibility: string, spaces: string[]): Promise<string> =>
  (await app.admin.post('/v1/orgs/acme/sites', { visibility, spaces })).body.id

const derived = (spaceId: string): string | undefined => {
  store.transact(() => deriveSpaceVisibility(app.ctx, [spaceId]))
  return findSpace(store, spaceId)?.visibility
}

const publish = (siteId: string, published = 1) => updateSite(store, siteId, { published })

test('a space has the widest audience of the published sites that show it', async () => {
  const space = await newSpace('Shown')
  const audiences = ['visitor-auth', 'share-link', 'unlisted', 'public'] as const
  const sites: string[] = []

  for (const visibility of audiences) {
    sites.push(await newSite(visibility, [space]))
    const before = findSpace(store, space)?.visibility
    assert.is(derived(space), before)
    publish(sites.at(-1) as string)
    assert.is(derived(space), visibility)
  }

  publish(sites[3] as string, 0)
  assert.is(derived(space), 'unlisted')
  deleteSite(store, sites[2] as string)
  assert.is(derived(space), 'share-link')
})

test('a deleted space and a space on no site are private', async () => {
  const space = await newSpace('Deleted')
  assert.is(derived(space), 'private')
  publish(await newSite('public', [space]))
  assert.is(derived(space), 'public')
  updateSpace(store, space, { deleted_at: '2026-01-01T00:00:00.000Z' })
  assert.is(derived(space), 'private')
})

test('a change of the visibility is recorded once', async () => {
  const space = await newSpace('Audited')
  publish(await newSite('unlisted', [space]))
  assert.is(derived(space), 'unlisted')
  assert.is(derived(space), 'unlisted')
  const { body } = await app.admin.get('/v1/orgs/acme/audit-events?action=space.visibility_updated')
  const own = body.items.filter((each: { target: { id: string } }) => each.target.id === space)

  assert.equal(
    own.map((each: { details: unknown }) => each.details),
    [{ previousVisibility: 'private', visibility: 'unlisted' }],
  )
})

test.run()
