import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { self } from '../../../src/access/guards/self.ts'
import { createToken } from '../../../src/actions/people/create-token.ts'
import { InTransaction } from '../../../src/http/endpoint.ts'
import { Admission } from '../../../src/http/limits/admission.ts'
import { Throttles } from '../../../src/http/limits/throttles.ts'
import { serveSignIn } from '../../../src/sign-in/serve.ts'
import { deleteMember } from '../../../src/store/people/members.ts'
import { revokeToken } from '../../../src/store/people/tokens.ts'
import type { Route } from '../../../src/workbench/frame/page.ts'
import { serveTable } from '../../../src/workbench/frame/serve.ts'
import { startApp } from '../../support/app.ts'
import { sampleOf } from '../../support/long-run.ts'
import { join, makeCallers } from '../callers.ts'
import { quietState } from '../taken-away.ts'
import { makeWorld } from '../world.ts'
import { changedBetween, readWritten, type Written } from '../written.ts'
import { calls } from './calls.ts'
import { addressOf, forms, nameOf, reads, routes } from './routes.ts'
import { signedIn } from './visitors.ts'

const app = await startApp({ STEMMA_MAX_SPACES_PER_DAY: '0' })
makeCallers(app)
const world = await makeWorld(app, app.admin, 'acme')
const rose = app.user('Rose', 'admin')

/** What happens between the guard of a form and its write. */
type Between = { early: boolean; run: () => Promise<void> }
let between: Between | undefined

/** Returns a page or form that is interrupted: before its act, or before the transaction. */
function interrupted(route: Route): Route {
  const act = route.act as ((asked: unknown) => unknown) | undefined
  if (!act) return route
  return {
    ...route,
    act: async (asked: unknown) => {
      if (between?.early) await between.run()
      const result = await act(asked)
      if (!between?.early && result instanceof InTransaction) await between?.run()
      return result
    },
  }
}

const server = express()
const listening = server.set('query parser', 'simple').listen(0, '127.0.0.1')
await once(listening, 'listening')
const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
const ctx = { ...app.ctx, publicUrl: () => url }
const throttles = new Throttles(ctx)
serveSignIn(server, ctx, throttles)
serveTable(server, { ctx, throttles, admission: new Admission() }, routes.map(interrupted))
test.after(async () => {
  listening.closeAllConnections()
  listening.close()
  await app.stop()
})

/**
 * Sends a form as an admin from whom something is taken away meanwhile. Returns what was written since;
 * undefined if nothing was taken away, because the form does not end with `inTransaction`.
 */
async function sendMeanwhile(form: Route, what: 'role' | 'token', early: boolean) {
  const name = nameOf(form)
  const { store } = app.ctx
  join(app, 'acme', rose.id, 'admin')
  const token = createToken(store, { userId: rose.id, name: 'browser' }, app.ctx.now())
  const { browser, csrf } = await signedIn(url, token.secret)
  const sent = (await calls[name]?.make(world, { column: 'owner', actor: rose })) ?? {}
  const spaceId = sent.ids?.spaceId ?? (world.ids.spaceId as string)

  let before: Written | undefined
  between = {
    early,
    run: async () => {
      const now = app.ctx.now().toISOString()
      if (what === 'role') deleteMember(store, 'acme', rose.id, now)
      else revokeToken(store, token.row.id, now)
      before = await quietState(app, spaceId)
    },
  }
  const fields = { csrf, ...(sent.body ?? {}) }
  const { status, text } = await browser.post(addressOf(form, world, sent), fields)
  between = undefined
  const wrote = before && changedBetween(before, await readWritten(app, spaceId))
  calls[name]?.after?.(world)
  return { status, text, wrote }
}

for (const form of sampleOf(forms.filter(each => !reads(each)))) {
  const name = nameOf(form)

  if (form.access !== (self as unknown as Route['access']))
    test(`${name} writes nothing when the role is taken away after the guard`, async () => {
      const late = await sendMeanwhile(form, 'role', false)
      const { wrote, status, text } = late.wrote ? late : await sendMeanwhile(form, 'role', true)
      assert.equal(wrote, [], text)
      // To leave what one does not belong to is repeatable.
      if (status !== 303) assert.ok(status === 404 || status === 403, `${status}: ${text}`)
      else assert.match(name, '/remove')
    })

  test(`${name} writes nothing when the session ends before its transaction`, async () => {
    const { wrote, status, text } = await sendMeanwhile(form, 'token', false)
    if (!wrote) return
    assert.equal(wrote, [], text)
    assert.is(status, 401, text)
  })
}

test.run()
