import type { Call, Reply } from '../crash/clients/call.ts'
import type { World } from '../crash/world.ts'
import { type Subject, slotPage } from './editors.ts'

/** The space under test, its edited parts, and its change requests. */
export type LoadSpace = { id: string; path: string; subjects: Subject[] }

const pagesEach = 4
const changeRequests = 3

/** Creates a space with separate pages for its primary content and for each change request. */
export async function openSpace(call: Call, world: World): Promise<LoadSpace> {
  const send = async (path: string, body: unknown): Promise<Reply> => {
    const reply = await call({ method: 'POST', path, body })
    if (!reply || reply.status >= 300)
      throw new Error(`${path} was answered ${reply?.status} ${reply?.text}`)
    return reply
  }
  const { body: made } = await send('/v1/orgs/default/spaces', { title: world.fresh('Load') })
  const path = `/v1/spaces/${made.id}`
  const titles = Array.from({ length: pagesEach * (1 + changeRequests) }, (_, at) => `Page ${at}`)
  const changes = titles.map(title => ({
    operation: 'insert_page',
    title,
    document: { markdown: slotPage(title) },
  }))
  const { body: begun } = await send(`${path}/content`, { changes })
  const pages: string[] = begun.changes.map(({ page }: { page: { id: string } }) => page.id)
  const subjects = [
    subject(
      `${path}/content`,
      { path: `${path}/content`, of: reply => reply.body.id },
      'refs/heads/main',
      pages,
    ),
  ]

  for (let n = 0; n < changeRequests; n++) {
    const { body: request } = await send(`${path}/change-requests`, { subject: `Request ${n}` })
    const at = `${path}/change-requests/${request.id}`
    const ref = `refs/heads/change-requests/${request.number}`
    subjects.push(
      subject(`${at}/content`, { path: at, of: reply => reply.body.revision }, ref, pages),
    )
  }

  return { id: made.id, path, subjects }
}

/** Takes the next unused pages. */
const subject = (path: string, head: Subject['head'], ref: string, pages: string[]): Subject => ({
  path,
  head,
  ref,
  pages: pages.splice(0, pagesEach),
  promised: new Set(),
  refused: new Set(),
})
