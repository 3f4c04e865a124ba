import { decodeHTML } from 'entities'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { Browser } from '../../support/http/browser.ts'
import { newChangeRequest, newSpace, type World } from '../world.ts'

/** Returns a page as the author of the world sees it. */
export async function pageOf({ app, by }: World, path: string): Promise<string> {
  const browser = new Browser(app.url)
  await browser.signIn(by.token)
  return (await browser.get(path)).text
}

const textOf = (word: string) => `# Install\n\nRun it ${word}.\n`

/** A change request that conflicts with the published content, and a form that resolves the conflict. */
export async function conflictingRequest(world: World) {
  const { app, by } = world
  const spaceId = await newSpace(world)
  const repo = spaceRepository(app.ctx, spaceId)
  await commitFiles(repo, { 'install.md': textOf('') })
  const changeRequestId = await newChangeRequest(world, spaceId)
  const { body } = await by.get(`/v1/spaces/${spaceId}/change-requests/${changeRequestId}`)
  const ref = `refs/heads/change-requests/${body.number}`
  await commitFiles(repo, { 'install.md': textOf('here') }, { ref })
  await commitFiles(repo, { 'install.md': textOf('there') })

  const text = await pageOf(world, `/app/s/${spaceId}/changes/${body.number}/conflicts`)
  const [, name = ''] = /name="(hunk\|[^"]+)"/.exec(text) ?? []
  return { ids: { spaceId, changeRequestId }, body: { [decodeHTML(name)]: 'ours' } }
}
