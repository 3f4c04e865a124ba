import { another, must, newChangeRequest, newSpace, type World } from '../world.ts'
import { type Calls, fresh } from './call.ts'
import { lockedSpace, ruledSpace } from './content.ts'

const body = { id: 'changelog' }

/** A site that shows nothing. */
async function emptySite({ by, ids }: World): Promise<string> {
  const path = `/orgs/${ids.organizationId}/sites`
  return (await must(by, 'POST', path, { title: another('Site') })).id
}

/** Calls that apply a template to a space or a site. */
export const templates: Calls = {
  applyTemplateToSite: fresh(async world => ({
    ids: { siteId: await emptySite(world) },
    body: { templates: ['changelog'] },
  })),
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
