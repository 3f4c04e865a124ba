import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import type { Actor, App } from '../../support/app.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { Browser } from '../../support/http/browser.ts'
import { formIn } from '../forms.ts'

type Files = Parameters<typeof commitFiles>[1]

/** A member with a browser. */
export type Member = {
  actor: Actor
  browser: Browser
  /** Opens a page and returns its HTML. */
  open: (path: string, status?: number) => Promise<string>
  /** Fills in and sends a form of a page. Returns the path that it leads to. */
  send: (
    page: string,
    action: string,
    fields?: Record<string, string>,
    name?: string,
  ) => Promise<string>
}

/** A space with files, whose change requests are opened in browsers. */
export type Stage = {
  id: string
  repo: Repository
  api: string
  /** The path of its change requests in the workbench. */
  list: string
  /** Opens a change request with these files. Returns its path in the workbench, and its number. */
  request: (files: Files, by?: Member) => Promise<{ path: string; number: number }>
  commit: (files: Files, number?: number) => Promise<string>
  member: (name: string, role: Parameters<App['user']>[1]) => Promise<Member>
}

/** Makes a space with files in the organization "acme". */
export async function openStage(app: App, files: Files): Promise<Stage> {
  const { body: space } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Handbook' })
  const repo = spaceRepository(app.ctx, space.id)
  const api = `/v1/spaces/${space.id}/change-requests`
  const list = `/app/s/${space.id}/changes`
  const commit: Stage['commit'] = (changed, number) =>
    commitFiles(repo, changed, {
      ref: number === undefined ? 'refs/heads/main' : `refs/heads/change-requests/${number}`,
    })
  await commit(files)

  return {
    ...{ id: space.id, repo, api, list, commit },
    request: async (changed, by) => {
      const { body } = await (by?.actor ?? app.admin).post(api, { subject: 'Changes' })
      await commit(changed, body.number)
      return { path: `${list}/${body.number}`, number: body.number }
    },
    member: async (name, role) => {
      const actor = app.user(name, role)
      const browser = new Browser(app.url)
      await browser.signIn(actor.token)
      const open: Member['open'] = async (path, status = 200) => {
        const page = await browser.get(path)
        assert.is(page.status, status, page.text)
        return page.text
      }
      const send: Member['send'] = async (page, action, fields = {}, form = '') => {
        const filled = { ...formIn(await open(page), action, form), ...fields }
        const sent = await browser.post(action, filled)
        assert.is(sent.status, 303, sent.text)
        return (sent.headers.get('location') ?? '').replace(app.url, '')
      }
      return { actor, browser, open, send }
    },
  }
}
