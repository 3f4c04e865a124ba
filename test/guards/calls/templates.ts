import { newChangeRequest, newSpace } from '../world.ts'
import { type Calls, fresh } from './call.ts'
import { lockedSpace, ruledSpace } from './content.ts'

const body = { id: 'changelog' }

/** Calls that apply a template to a space. */
export const templates: Calls = {
  applyTemplateToSpace: fresh(async world => ({ ids: { spaceId: await newSpace(world) }, body })),
  'applyTemplateToSpace@locked': fresh(async world => ({
    ids: { spaceId: await lockedSpace(world) },
    body,
  })),
  'applyTemplateToSpace@rules': fresh(async world => ({
    ids: { spaceId: await ruledSpace(world) },
    body,
  })),
  'applyTemplateToSpace@request': fresh(async world => {
    const spaceId = await lockedSpace(world)
    return {
      ids: { spaceId },
      body: { ...body, changeRequestId: await newChangeRequest(world, spaceId) },
    }
  }),
}
