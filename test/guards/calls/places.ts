import { another, must, newCollection, newSpace } from '../world.ts'
import { type Calls, fresh } from './call.ts'

/** Collections and spaces: created, changed, moved and deleted. */
export const places: Calls = {
  createCollection: fresh(() => ({ body: { title: 'At the top' } })),
  'createCollection@inside': fresh(({ ids }) => ({
    body: { title: 'Inside', parent: ids.collectionId },
  })),
  updateCollectionById: fresh(() => ({ body: { title: another('Docs') } })),
  deleteCollectionById: fresh(async world => ({
    ids: { collectionId: await newCollection(world) },
  })),
  moveCollection: fresh(async world => ({
    ids: { collectionId: await newCollection(world) },
    body: { parent: world.shelf },
  })),
  'moveCollection@top': fresh(async world => ({
    ids: { collectionId: await newCollection(world) },
    body: { parent: null },
  })),
  transferCollection: fresh(async world => ({
    ids: { collectionId: await newCollection(world) },
    body: { organization: 'beta' },
  })),
  'transferCollection@foreign': fresh(async world => ({
    ids: { collectionId: await newCollection(world) },
    body: { organization: 'rival' },
  })),
  createSpace: fresh(() => ({ body: { title: another('At the top') } })),
  'createSpace@inside': fresh(({ ids }) => ({
    body: { title: another('Inside'), parent: ids.collectionId },
  })),
  updateSpaceById: fresh(() => ({ body: { title: another('Guide') } })),
  deleteSpaceById: fresh(async world => ({ ids: { spaceId: await newSpace(world) } })),
  duplicateSpace: fresh(async world => ({ ids: { spaceId: await newSpace(world) } })),
  restoreSpace: fresh(async world => {
    const spaceId = await newSpace(world)
    await must(world.by, 'DELETE', `/spaces/${spaceId}`)
    return { ids: { spaceId } }
  }),
  'getSpaceById@deleted': fresh(async world => {
    const spaceId = await newSpace(world)
    await must(world.by, 'DELETE', `/spaces/${spaceId}`)
    return { ids: { spaceId } }
  }),
  moveSpace: fresh(async world => ({
    ids: { spaceId: await newSpace(world) },
    body: { parent: world.shelf },
  })),
  'moveSpace@top': fresh(async world => ({
    ids: { spaceId: await newSpace(world) },
    body: { parent: null },
  })),
  transferSpace: fresh(async world => ({
    ids: { spaceId: await newSpace(world) },
    body: { organization: 'beta' },
  })),
  'transferSpace@foreign': fresh(async world => ({
    ids: { spaceId: await newSpace(world) },
    body: { organization: 'rival' },
  })),
}
