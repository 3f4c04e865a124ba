import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { actor, startApp } from '../../support/app.ts'
import { skip } from '../../support/skip.ts'
import { Browser, newVerifier } from '../../support/sso/browser.ts'
import { SimpleSaml, simpleSamlUrl, whyNoSimpleSaml } from '../../support/sso/simplesaml.ts'

const why = whyNoSimpleSaml()
const app = await startApp({ STEMMA_PUBLIC_URL: 'https://docs.example.org' })
test.after(() => app.stop())

for (const signsResponse of [false, true])
  test(`a whole sign-in works with SimpleSAMLphp that signs ${signsResponse ? 'response and assertion' : 'the assertion'}`, async () => {
    if (why !== undefined) return skip(why)
    const email = `kim-${signsResponse}@example.org`
    const simple = new SimpleSaml({
      name: 'kim',
      password: 'secret',
      email,
      givenName: 'Kim',
      surname: "O'Hara",
    })

    try {
      const made = await app.admin.post('/v1/orgs/acme/saml', {
        label: 'SimpleSAMLphp',
        defaultRole: 'read',
      })
      const browser = new Browser(app)
      await simple.start((await browser.get(made.body.service.entityID)).text, { signsResponse })
      const metadata = await simple.metadata()
      const certificate = /<ds:X509Certificate>([^<]+)</.exec(metadata)?.[1]
      const ssoURL = /<md:SingleSignOnService[^>]* Location="([^"]+)"/.exec(metadata)?.[1]
      const entityID = /entityID="([^"]+)"/.exec(metadata)?.[1]

      assert.equal(entityID, `${simpleSamlUrl}/idp`)
      const path = `/v1/orgs/acme/saml/${made.body.id}`

      assert.is((await app.admin.patch(path, { entityID, ssoURL, certificate })).status, 200)

      const { verifier, challenge } = newVerifier()
      const redirect = {
        redirect_uri: 'http://127.0.0.1:8123/done',
        code_challenge: challenge,
        state: 's',
      }
      const started = await browser.get(
        `${made.body.service.startURL}?${new URLSearchParams(redirect)}`,
      )
      const { action, fields } = await simple.signIn(started.headers.get('location') as string)

      assert.is(action, made.body.service.acsURL)
      const page = await browser.post(action, fields)

      assert.is(page.status, 303, page.text)
      const code = new URL(page.headers.get('location') as string).searchParams.get('code')
      const exchanged = await app.anonymous.post('/v1/sso/token', { code, code_verifier: verifier })

      assert.is(exchanged.status, 201, exchanged.text)
      const { token, user } = exchanged.body
      const shown = await actor(app.url, user.id, token).get('/v1/user')

      assert.equal(
        [shown.status, shown.body.email, shown.body.displayName],
        [200, email, "Kim O'Hara"],
      )
      assert.is((await browser.post(action, fields)).status, 400)
      assert.is((await app.admin.delete(path)).status, 204)
    } finally {
      await simple.stop()
    }
  })

test.run()
