import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { sampleOf } from '../../support/long-run.ts'
import { formIn } from '../../workbench/forms.ts'
import { makeCallers } from '../callers.ts'
import type { Sent } from '../calls/call.ts'
import { quietState } from '../taken-away.ts'
import { makeWorld } from '../world.ts'
import { changedBetween, readWritten } from '../written.ts'
import { calls } from './calls.ts'
import { addressOf, forms, nameOf, reads, routes } from './routes.ts'
import { signedIn, statusOf } from './visitors.ts'

const app = await startApp({ STEMMA_MAX_SPACES_PER_DAY: '0' })
test.after(() => app.stop())
makeCallers(app)
const world = await makeWorld(app, app.admin, 'acme')
const owner = await signedIn(app.url, app.admin.token)
const stranger = await signedIn(app.url, app.user('Stan').token)
const spaceOf = (sent: Sent) => sent.ids?.spaceId ?? (world.ids.spaceId as string)
const sentTo = async (name: string): Promise<Sent> =>
  (await calls[name]?.make(world, { column: 'owner', actor: app.admin })) ?? {}

/** How forms of pages of others arrive. */
const forgeries: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  { origin: 'null' },
  { origin: '' },
  { origin: '', 'sec-fetch-site': 'same-site' },
  { origin: '', 'sec-fetch-site': 'none' },
  { origin: app.url, 'sec-fetch-site': 'cross-site' },
  { origin: `${app.url}.evil.example` },
  { origin: 'https://evil.example', accept: 'application/json' },
]

for (const form of sampleOf(forms)) {
  const name = nameOf(form)

  test(`${name} does nothing for a page of another site`, async () => {
    const sent = await sentTo(name)
    const address = addressOf(form, world, sent)
    const fields = { csrf: owner.csrf, ...(sent.body ?? {}) }
    const before = await quietState(app, spaceOf(sent))
    for (const headers of forgeries) {
      const { status } = await owner.browser.post(address, fields, headers)
      assert.is(status, 403, JSON.stringify(headers))
    }
    // The token of another session, too.
    const foreign = { ...fields, csrf: stranger.csrf }
    assert.is((await owner.browser.post(address, foreign)).status, 403)
    const asData = await owner.browser.post(address, foreign, { accept: 'application/json' })
    assert.is(asData.status, 403)
    assert.equal(changedBetween(before, await readWritten(app, spaceOf(sent))), [])
  })

  test(`${name} loses nothing with a session that ends meanwhile`, async () => {
    const writer = await signedIn(app.url, app.admin.token)
    const sent = await sentTo(name)
    const address = addressOf(form, world, sent)
    const typed = (sent.body ?? {}) as Record<string, string>
    await writer.browser.post('/sso/sign-out', { csrf: writer.csrf })
    const before = await quietState(app, spaceOf(sent))
    const lost = await writer.browser.post(address, { csrf: writer.csrf, ...typed })
    assert.is(lost.status, 401)
    assert.equal(withoutToken(formIn(lost.text, address, typed.form)), typed)
    assert.equal(changedBetween(before, await readWritten(app, spaceOf(sent))), [])

    await writer.browser.signIn(app.admin.token)
    const asked = await writer.browser.post(address, formIn(lost.text, address, typed.form))
    assert.is(asked.status, 403)
    const again = formIn(asked.text, address, typed.form)
    assert.equal(withoutToken(again), typed)
    const done = await writer.browser.post(address, again)
    const wrote = changedBetween(before, await readWritten(app, spaceOf(sent)))
    // A user has a limited number of sessions, and the owner's is the oldest.
    await writer.browser.post('/sso/sign-out', { csrf: again.csrf ?? '' })
    // What is lost is the file alone, which browsers do not fill in.
    const needsFile = sent.files !== undefined
    assert.is(statusOf(done), needsFile ? 400 : reads(form) ? 200 : 204, done.text.slice(-500))
    if (reads(form) || needsFile) return
    assert.not.equal(wrote, [])
  })
}

const withoutToken = ({ csrf: _, ...fields }: Record<string, string>) => fields

test('no page stands in a frame of others, or is kept', async () => {
  const policies = new Map<string, string>()
  for (const route of routes.filter(({ method }) => method === 'GET')) {
    const name = nameOf(route)
    const address = addressOf(route, world, await sentTo(name))
    for (const { browser } of [owner, stranger]) {
      const { headers, status } = await browser.get(address)
      const what = `${name}: ${status}`
      assert.match(headers.get('cache-control') ?? '', 'private, no-store', what)
      assert.is(headers.get('x-content-type-options'), 'nosniff', what)
      assert.is(headers.get('access-control-allow-origin'), null, what)
      if ((headers.get('content-type') ?? '').startsWith('text/html'))
        policies.set(what, headers.get('content-security-policy') ?? '')
    }
  }

  for (const [what, policy] of policies) {
    assert.match(policy, "frame-ancestors 'none'", what)
    assert.match(policy, "form-action 'self'", what)
    assert.match(policy, "default-src 'none'", what)
    assert.not.match(policy, /unsafe|script-src[^;]*https:/, what)
  }
})

test.run()
