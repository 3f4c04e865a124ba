import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { startApp } from '../support/app.ts'
import { commitFiles } from '../support/git/repo.ts'
import { Browser } from '../support/http/browser.ts'

const app = await startApp()
test.after(() => app.stop())
const lea = app.user('Lea', 'edit')
const mia = app.user('Mia', 'edit')
const { body: space } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Handbook' })
const api = `/v1/spaces/${space.id}/change-requests`
const repo = spaceRepository(app.ctx, space.id)

async function browserOf({ token }: { token: string }): Promise<Browser> {
  const browser = new Browser(app.url)
  await browser.signIn(token)
  return browser
}

const asLea = await browserOf(lea)
const asMia = await browserOf(mia)

/** The events of an open page, as its browser receives them. */
class Events {
  readonly response: IncomingMessage
  readonly states: { text: string; again?: string }[] = []
  hasEnded = false
  #wake = () => {}

  constructor(response: IncomingMessage) {
    this.response = response
    response.setEncoding('utf8')
    response.on('data', (part: string) => {
      for (const [, data = ''] of part.matchAll(/^data: (.+)$/gm))
        this.states.push(JSON.parse(data))
      this.#wake()
    })
    response.on('close', () => {
      this.hasEnded = true
      this.#wake()
    })
  }

  /** Returns the last text once it is one that is waited for, or the stream has ended. */
  async until(isIt: (text: string) => boolean): Promise<string> {
    for (;;) {
      const { text = '' } = this.states.at(-1) ?? {}
      if (this.hasEnded || isIt(text)) return text
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }

  leave = () => this.response.destroy()
}

const follow = (browser: Browser, path: string): Promise<Events> =>
  new Promise((resolve, reject) => {
    const headers = { cookie: browser.cookie, accept: 'text/event-stream' }
    get(app.url + path, { agent: false, headers }, response => resolve(new Events(response))).on(
      'error',
      reject,
    )
  })

/** Opens a change request, and returns what its overview follows. */
async function opened(): Promise<{ number: number; live: string; branch: string }> {
  const { body } = await lea.post(api, { subject: 'Mine' })
  const { text } = await asMia.get(`/app/s/${space.id}/changes/${body.number}`)
  const [, live = ''] = /data-live="([^"]+)"/.exec(text) ?? []
  return {
    number: body.number,
    live: live.replaceAll('&amp;', '&'),
    branch: `refs/heads/change-requests/${body.number}`,
  }
}

test('an open page of a change request says how many commits are new, and what became of it', async () => {
  const { number, live, branch } = await opened()
  const events = await follow(asMia, live)
  assert.is(events.response.statusCode, 200)
  assert.match(events.response.headers['content-type'] ?? '', 'text/event-stream')
  assert.is(events.response.headers['x-accel-buffering'], 'no')
  await commitFiles(repo, { 'a.md': '# A\n' }, { ref: branch })
  assert.is(await events.until(text => text !== ''), '1 new commit.')
  const changes = [{ operation: 'insert_page', title: 'B', document: { markdown: 'B' } }]
  await lea.post(`${api}/${number}/content`, { changes })
  assert.is(await events.until(text => text !== '1 new commit.'), '2 new commits.')
  assert.is(events.states.at(-1)?.again, 'Show')
  await lea.post(`${api}/${number}/merge`, {})
  assert.match(await events.until(text => text.includes('merged')), 'It was merged.')
  events.leave()
})

test('a branch that is replaced is named as such, and an unknown revision too', async () => {
  const { live, branch } = await opened()
  await commitFiles(repo, { 'a.md': '# A\n' }, { ref: branch })
  const unknown = live.replace(/revision=\w+/, `revision=${'0'.repeat(40)}`)
  const reply = await asMia.get(unknown)
  assert.equal(JSON.parse(reply.text), {
    text: 'The branch leads to other commits now.',
    again: 'Show',
  })
  for (const query of ['', '?revision=x&status=open', '?revision=--all&status=open'])
    assert.is((await asMia.get(live.replace(/\?.*/, query))).status, 400, query)
})

test('a stream ends when its session does', async () => {
  const { live, branch } = await opened()
  const browser = await browserOf(mia)
  const events = await follow(browser, live)
  await browser.post('/sso/sign-out', { csrf: await browser.csrf() })
  await commitFiles(repo, { 'secret.md': '# Secret\n' }, { ref: branch })
  assert.is(await events.until(() => false), '')
  assert.ok(events.hasEnded)
})

test('a stream ends when its user loses their role', async () => {
  const noa = app.user('Noa', 'read')
  const { live, branch } = await opened()
  const events = await follow(await browserOf(noa), live)
  assert.is((await app.admin.delete(`/v1/orgs/acme/members/${noa.id}`)).status, 204)
  await commitFiles(repo, { 'secret.md': '# Secret\n' }, { ref: branch })
  assert.is(await events.until(() => false), '')
  assert.ok(events.hasEnded)
})

test('an editor says who else has the page open, and where', async () => {
  const { body } = await lea.get(`/v1/spaces/${space.id}/content`)
  const path = `/app/s/${space.id}/edit/${body.pages[0].id}`
  const { text } = await asLea.get(`${path}?to=new`)
  assert.match(text, `data-live="${path}/live"`)
  const ofLea = await follow(asLea, `${path}/live`)
  const ofMia = await follow(asMia, `${path}/live?in=7`)
  const again = await follow(asMia, `${path}/live?in=7`)

  assert.is(
    await ofLea.until(text => text !== ''),
    'Mia (in #7) has this page open, too. What both save is merged.',
  )
  assert.is(
    await ofMia.until(text => text !== ''),
    'Lea has this page open, too. What both save is merged.',
  )
  again.leave()
  ofMia.leave()
  assert.is(await ofLea.until(text => text === ''), '')
  ofLea.leave()
})

/** Sends a request as its bytes are, and returns the whole answer once the server has ended it. */
async function exchanged(
  { cookie }: Browser,
  [method, path, version]: [string, string, string],
): Promise<string> {
  const { hostname, port, host } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  const lines = [
    `${method} ${path} HTTP/${version}`,
    `Host: ${host}`,
    `Cookie: ${cookie}`,
    'Accept: text/event-stream',
    'Connection: close',
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  return text(socket)
}

test('only GET opens a stream: the answers to HEAD and OPTIONS end at once', async () => {
  const { live } = await opened()
  const browser = await browserOf(app.user('Kim', 'read'))
  for (const version of ['1.1', '1.0']) {
    const head = await exchanged(browser, ['HEAD', live, version])
    assert.match(head, /^HTTP\/1\.1 200 .*\r\nContent-Type: text\/event-stream.*\r\n\r\n$/s)
    assert.match(await exchanged(browser, ['OPTIONS', live, version]), /^HTTP\/1\.1 4\d\d /)
  }
  // None of them is counted.
  const streams = await Promise.all([1, 2, 3, 4].map(() => follow(browser, live)))
  for (const { response } of streams) assert.is(response.statusCode, 200)
  for (const stream of streams) stream.leave()
})

test('a stream of HTTP/1.0 has its events, and ends with its connection', async () => {
  const { live } = await opened()
  const { cookie } = await browserOf(app.user('Jo', 'read'))
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  socket.setEncoding('utf8')
  socket.write(`GET ${live} HTTP/1.0\r\nCookie: ${cookie}\r\nAccept: text/event-stream\r\n\r\n`)
  let received = ''
  for await (const part of socket) {
    received += part
    if (received.includes('retry: ')) break
  }
  assert.match(received, ' 200 ')
  assert.not.match(received, /transfer-encoding/i)
})

test('a person has at most four streams; the browser is told not to ask again', async () => {
  const { live } = await opened()
  const browser = await browserOf(app.user('Pia', 'read'))
  const streams = await Promise.all([1, 2, 3, 4].map(() => follow(browser, live)))
  const fifth = await follow(browser, live)
  assert.is(fifth.response.statusCode, 204)
  assert.is(fifth.response.headers['content-length'], undefined)
  streams[0]!.leave()
  // The server learns of it within a moment.
  for (;;) {
    const next = await follow(browser, live)
    if (next.response.statusCode === 200) {
      next.leave()
      break
    }
  }
  for (const stream of streams) stream.leave()
})

test.run()
