import { query } from '../../../src/store/store.ts'
import type { Actor, App, Reply } from '../../support/app.ts'
import { makeSpace, type Space } from '../change-requests/workbench.ts'

/** The scopes of comments: a space and one of its change requests. */
export type Scope = {
  name: 'space' | 'change request'
  /** The path of the space or the change request. */
  at: string
  /** The path of its comments. */
  path: string
}

export type Bench = {
  space: Space
  changeRequest: { id: string; number: number; revision: string }
  scopes: Scope[]
  /** Posts a comment, which has to succeed. */
  post: (by: Actor, scope: Scope, markdown: string, more?: object) => Promise<Reply['body']>
  /** Returns the number of open comments that the scope reports. */
  open: (scope: Scope) => Promise<number>
  /** Returns the actions of the recorded events, oldest first. */
  events: () => { action: string; target_id: string; details: Record<string, unknown> }[]
}

/** A space with three pages and a change request. */
export async function makeBench(app: App): Promise<Bench> {
  const space = await makeSpace(app)
  await space.commit({
    'README.md': '# Docs\n',
    'SUMMARY.md': '# Table of contents\n\n* [Docs](README.md)\n* [A](a.md)\n* [B](b.md)\n',
    'a.md': '# A\n',
    'b.md': '# B\n',
  })
  const changeRequest = (await space.open(app.admin, 'Better')).body
  const at = `/v1/spaces/${space.id}`
  const inRequest = `${at}/change-requests/${changeRequest.number}`

  return {
    space,
    changeRequest,
    scopes: [
      { name: 'space', at, path: `${at}/comments` },
      { name: 'change request', at: inRequest, path: `${inRequest}/comments` },
    ],
    post: async (by, { path }, markdown, more = {}) => {
      const { status, text, body } = await by.post(path, { body: { markdown }, ...more })
      if (status !== 200) throw new Error(`${status} ${text}`)
      return body
    },
    open: async ({ at }) => (await app.admin.get(at)).body.comments,
    events: () => app.ctx.store.all(eventsQuery),
  }
}

const eventsQuery = query
  .selectFrom('audit_event')
  .select(['action', 'target_id', 'details'])
  .where(({ or, eb }) => or([eb('action', 'like', 'comment.%'), eb('action', 'like', 'reply.%')]))
  .orderBy('seq')
