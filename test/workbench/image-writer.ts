import * as assert from 'uvu/assert'
import { listChangeRequests } from '../../src/store/discussions/list-change-requests.ts'
import { makeSpace } from '../api/change-requests/workbench.ts'
import type { App } from '../support/app.ts'
import { readIndependently } from '../support/git/repo.ts'
import { Browser } from '../support/http/browser.ts'
import type { SentFile } from '../support/http/multipart.ts'
import { formIn } from './forms.ts'

export const asData = { accept: 'application/json' }

/** Opens the editor of a page in a folder, in a browser without a script. */
export const writersOf = (app: App) => async (name: string) => {
  const space = await makeSpace(app)
  await space.commit({
    'README.md': '# Docs\n',
    'SUMMARY.md': '# Table of contents\n\n* [Docs](README.md)\n* [Install](guide/install.md)\n',
    'guide/install.md': '# Install\n\nText.\n',
  })
  const { body: page } = await app.admin.get(`/v1/spaces/${space.id}/content/path/guide/install`)
  const browser = new Browser(app.url)
  await browser.signIn(space.user(name, 'edit').token)
  const path = `/app/s/${space.id}/edit/${page.id}`
  const fields = formIn((await browser.get(path)).text, path)

  /** Announces an image as the script does. */
  const announce = async (image: Record<string, string | number>) => {
    const sent = { csrf: fields.csrf!, name: 'a.png', type: 'image/png', size: '10', ...image }
    const values = Object.fromEntries(Object.entries(sent).map(([key, at]) => [key, String(at)]))
    const { status, text } = await browser.post(`${path}/images`, values, asData)
    return { status, body: JSON.parse(text) }
  }
  const add = async (bytes: Buffer, image: Record<string, string>) => {
    const { status, body } = await announce({ ...image, size: bytes.length })
    assert.is(status, 200, JSON.stringify(body))
    assert.is((await fetch(body.url, { method: 'PUT', body: Buffer.from(bytes) })).status, 204)
    return body.target as string
  }
  const save = (body: string, more: Record<string, string> = {}) =>
    browser.post(path, { ...fields, do: 'save', ...more, body }, asData)
  const read = (revision: string, file: string) => readIndependently(space.repo, revision, file)

  /**
   * Sends the form as a browser without a script does: the fields above the image come before it, those
   * below after it.
   */
  const send = (
    image: SentFile,
    { message = '', to = 'new', ...more }: Record<string, string> = {},
  ) => {
    const {
      image: _,
      message: __,
      do: button = '',
      ...before
    }: Record<string, string> = {
      ...fields,
      do: 'image',
      ...more,
    }
    return browser.postParts(path, [
      ...Object.entries(before),
      ['image', image],
      ['message', message],
      ['to', to],
      ['do', button],
    ])
  }

  /** Returns the head of the latest change request. */
  const latest = async (): Promise<string> => {
    const { store } = app.ctx
    const rows = (['draft', 'open'] as const).flatMap(status =>
      listChangeRequests(store, space.id, { status }, 10),
    )
    const { revision } = rows.reduce((one, other) => (one.number > other.number ? one : other))
    return revision
  }

  return { space, browser, path, fields, announce, add, save, send, read, latest }
}
