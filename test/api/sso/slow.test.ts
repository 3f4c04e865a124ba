import type { Worker } from 'node:worker_threads'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { threadLimits } from '../../../src/sso/limits.ts'
import { startApp } from '../../support/app.ts'
import { send } from '../../support/http/send.ts'
import { answerTo, Browser, newSamlProvider, signInWith, start } from '../../support/sso/browser.ts'
import { client, openForgingIssuer } from '../../support/sso/forging-issuer.ts'

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true', STEMMA_TRUST_PROXY: 'loopback' })
test.after(() => app.stop())

test('a check of a response that takes too long ends with its thread, and the next sign-ins work', async () => {
  const provider = await newSamlProvider(app)
  const { ms } = threadLimits
  const threads: Worker[] = []
  const note = (thread: Worker) => void threads.push(thread)

  process.on('worker', note)

  // A thread takes longer than a millisecond to start.
  Object.assign(threadLimits, { ms: 1 })

  try {
    // More responses than the slots of a provider.
    for (let n = 0; n < 5; n++) {
      const browser = new Browser(app)
      const begun = await start(browser, provider)
      const form = { SAMLResponse: answerTo(begun, provider), RelayState: begun.relayState }
      const page = await browser.post(provider.service.acsURL, form)
      assert.is(page.status, 400, page.text)
      assert.match(page.text, /takes too long to check\. Its admin must make it smaller\./)
    }
  } finally {
    process.off('worker', note)
    Object.assign(threadLimits, { ms })
  }

  // The id of a thread that has ended.
  assert.equal(
    threads.map(({ threadId }) => threadId),
    Array(5).fill(-1),
  )
  const { items } = (await app.admin.get('/v1/orgs/acme/audit-events?action=sso.refused')).body

  assert.equal(
    items.map(({ details }: { details: { reason: string } }) => details.reason),
    Array(5).fill('work'),
  )
  assert.is((await signInWith(app, provider, { email: 'kim@example.org' })).user.displayName, 'kim')
})

test('sign-ins at a provider that does not answer wait in a bounded line, and others do not wait for them', async () => {
  const [slow, quick] = [await openForgingIssuer(), await openForgingIssuer()]
  const added = async ({ url: issuer }: { url: string }) => {
    const made = await app.admin.post('/v1/orgs/acme/oidc', { label: 'OIDC', issuer, ...client })
    assert.is(made.status, 201, made.text)
    return new URL(made.body.service.startURL).pathname
  }
  const [slowStart, quickStart] = [await added(slow), await added(quick)]
  let senders = 0
  const begin = (path: string) => {
    senders++
    const headers = {
      connection: 'close',
      'x-forwarded-for': `198.51.${senders >> 8}.${senders & 255}`,
    }
    return send(app.url + path, { method: 'GET', headers, body: undefined })
  }
  const answers: (() => unknown)[] = []
  const { answer } = slow

  slow.answer = (req, res) => answers.push(() => answer(req, res))

  try {
    const all: ReturnType<typeof begin>[] = []
    let refused: Awaited<ReturnType<typeof begin>> | undefined
    while (!refused && all.length < 2_000) {
      const sent = begin(slowStart).then(page => {
        if (page.status === 503) refused ??= page
        return page
      })
      all.push(sent)
      await Promise.race([sent, app.anonymous.get('/healthz')])
    }

    assert.ok(refused, `${all.length} wait`)
    assert.match(refused.text, /Too many people sign in through this identity provider right now\./)
    assert.is(refused.headers.get('retry-after'), '10')
    assert.is((await begin(quickStart)).status, 302)
    slow.answer = answer
    for (const give of answers) give()
    for (const { status } of await Promise.all(all))
      assert.ok([302, 403, 503].includes(status), `${status}`)
    assert.is((await begin(slowStart)).status, 302)
  } finally {
    slow.stop()
    quick.stop()
  }
})

test.run()
